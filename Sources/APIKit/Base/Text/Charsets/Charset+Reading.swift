// Text in the charsets that the system's library reads, as the WHATWG encoding standard has it.
extension Charset {
  /// U+FFFD in UTF-8.
  static let replacement: [UInt8] = [0xEF, 0xBF, 0xBD]

  /// The text in UTF-8; nil when the library does not know the charset, or when `isStrict` and a sequence cannot be read.
  static func convert(_ bytes: ArraySlice<UInt8>, from name: String, isStrict: Bool) -> [UInt8]? {
    guard let converter = CharsetConverter(name) else { return nil }
    if CharsetSequence.exist(in: name) { return sequences(bytes, name, by: converter, isStrict: isStrict) }
    // Escape sequences change what the bytes after them mean, so it is read as a whole.
    if name == "ISO-2022-JP" { return converter.text(of: bytes, isStrict: isStrict) }
    guard bytes.contains(where: { $0 >= 0x80 }) else { return Array(bytes) }
    let table = (UInt8(0x80)...0xFF).map { character($0, name, by: converter) }
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count * 2)
    for byte in bytes {
      if byte < 0x80 {
        output.append(byte)
      } else if let character = table[Int(byte) - 0x80] {
        output += character
      } else if isStrict {
        return nil
      } else {
        output += replacement
      }
    }
    return output
  }

  /// The character of one byte of a charset without longer sequences; nil where the standard has none. Each byte is
  /// converted by itself: the library joins a letter and the mark after it (windows-1258), the standard does not.
  private static func character(_ byte: UInt8, _ name: String, by converter: CharsetConverter) -> [UInt8]? {
    if let known = characters[name]?[byte] { return Array(String(known).utf8) }
    if let character = converter.text(of: CollectionOfOne(byte), isStrict: true) { return character }
    // The standard reads what the pages of Windows leave undefined as control characters.
    return name.hasPrefix("CP") && byte < 0xA0 ? [0xC2, byte] : nil
  }

  /// Where the standard has another character than the library.
  private static let characters: [String: [UInt8: Unicode.Scalar]] = [
    "KOI8-U": [0xAE: "\u{45E}", 0xBE: "\u{40E}"], "MACINTOSH": [0xC6: "\u{2206}", 0xF0: "\u{F8FF}"],
    "MAC-UK": [0xFF: "\u{20AC}"], "CP1255": [0xCA: "\u{5BA}"],
  ]

  /// How many bytes are converted in one call.
  private static let runLength = 4096

  private static func sequences(
    _ bytes: ArraySlice<UInt8>, _ name: String, by converter: CharsetConverter, isStrict: Bool
  ) -> [UInt8]? {
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count * 2)
    var (run, index) = (bytes.startIndex, bytes.startIndex)
    while index < bytes.endIndex {
      let sequence = CharsetSequence(in: bytes, at: index, of: name)
      if case .whole(let count) = sequence {
        index += count
        if index - run < runLength, index < bytes.endIndex { continue }
      }
      guard append(bytes[run..<index], name, by: converter, isStrict: isStrict, to: &output) else {
        return nil
      }
      switch sequence {
      case .whole: break
      case .known(let count, let character):
        output += String(character).utf8
        index += count
      case .broken(let count):
        guard !isStrict else { return nil }
        output += replacement
        index += count
      }
      run = index
    }
    return output
  }

  /// Appends a run of whole sequences; false when `isStrict` and one of them has no character.
  private static func append(
    _ run: ArraySlice<UInt8>, _ name: String, by converter: CharsetConverter, isStrict: Bool,
    to output: inout [UInt8]
  ) -> Bool {
    if run.isEmpty { return true }
    if let text = converter.text(of: run, isStrict: true) {
      output += text
      return true
    }
    guard !isStrict else { return false }
    var index = run.startIndex
    while index < run.endIndex {
      guard case .whole(let count) = CharsetSequence(in: run, at: index, of: name) else { return false }
      let sequence = run[index..<index + count]
      index += count
      if let text = converter.text(of: sequence, isStrict: true) {
        output += text
        continue
      }
      output += replacement
      // An ASCII character in the place of the second byte is kept.
      if count == 2, let last = sequence.last, last < 0x80 { output.append(last) }
    }
    return true
  }
}
