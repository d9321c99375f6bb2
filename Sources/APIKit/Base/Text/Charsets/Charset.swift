/// How text is encoded as bytes, by the labels of the WHATWG encoding standard.
///
/// As that standard has it, `ISO-8859-1` and `US-ASCII` are read as windows-1252, `GB2312` as gb18030, `Shift_JIS` with
/// Microsoft's extensions: what the field sends under these names.
/// - SeeAlso: <https://encoding.spec.whatwg.org/#names-and-labels>
package enum Charset: Sendable, Hashable {
  case utf8
  case utf16(isBigEndian: Bool)
  case utf32(isBigEndian: Bool)
  /// One that the system's library reads, by its name there.
  case other(String)

  /// The encoding of a label; nil for one that is not known.
  package init?(label: String) {
    guard let charset = Self.byLabel[label.trimmingSpaces().lowercased()] else { return nil }
    self = charset
  }

  /// The encoding and the length of a byte-order mark; nil without one.
  static func mark(of bytes: [UInt8]) -> (charset: Charset, length: Int)? {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
    if bytes.starts(with: [0xFF, 0xFE, 0, 0]) { return (.utf32(isBigEndian: false), 4) }
    if bytes.starts(with: [0, 0, 0xFE, 0xFF]) { return (.utf32(isBigEndian: true), 4) }
    if bytes.starts(with: [0xFF, 0xFE]) { return (.utf16(isBigEndian: false), 2) }
    if bytes.starts(with: [0xFE, 0xFF]) { return (.utf16(isBigEndian: true), 2) }
    return nil
  }

  /// The wide encoding of text that begins with an ASCII character, by the place of its NULs; nil for other text.
  static func wide(_ bytes: [UInt8]) -> Charset? {
    guard bytes.count >= 2 else { return nil }
    let (third, fourth) = bytes.count >= 4 ? (bytes[2], bytes[3]) : (1, 1)
    switch (bytes[0] == 0, bytes[1] == 0) {
    case (true, true): return third == 0 && fourth != 0 ? .utf32(isBigEndian: true) : nil
    case (true, false): return .utf16(isBigEndian: true)
    case (false, true):
      return third == 0 && fourth == 0 && bytes.count >= 4
        ? .utf32(isBigEndian: false) : .utf16(isBigEndian: false)
    case (false, false): return nil
    }
  }

  /// The charset of a content type, without quotes; nil when it states none.
  package static func label(in contentType: String?) -> String? {
    contentType?.fieldParameters.first { $0.name == "charset" }?.value
  }

  /// What the beginning of a document declares by `encoding="…"` (XML) or, with `readsHTML`, by `charset=…`; nil when it
  /// declares nothing.
  package static func declared(in bytes: [UInt8], readsHTML: Bool = false) -> String? {
    let isXML = bytes.starts(with: "<?xml".utf8)
    guard isXML || readsHTML && bytes.first(where: { $0 > 0x20 }) == UInt8(ascii: "<") else { return nil }
    let start = String(decoding: bytes.prefix(1024).map { $0 < 0x80 ? $0 : 0x3F }, as: UTF8.self).lowercased()
    var head = start[...]
    if isXML {
      // Behind the declaration the word means something else, as `encodingStyle` of SOAP does.
      guard let end = start.firstRange(of: "?>") else { return nil }
      head = start[..<end.lowerBound]
    }
    let labels = head.split(separator: isXML ? "encoding" : "charset", omittingEmptySubsequences: false)
      .dropFirst().lazy.map { part in
        part.drop { $0 == " " || $0 == "=" || $0 == "\"" || $0 == "'" }
          .prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "-_:.".contains($0)) }
      }.filter { !$0.isEmpty }
    // In HTML the word may stand anywhere, such as in a script.
    let label = isXML ? labels.first : labels.first { Charset(label: String($0)) != nil }
    // What declares UTF-16 in ASCII is not UTF-16.
    return label.flatMap { $0.hasPrefix("utf-16") ? nil : String($0) }
  }

  /// The text; what cannot be read becomes U+FFFD, or makes it nil when `isStrict`.
  func text(of bytes: ArraySlice<UInt8>, isStrict: Bool) -> [UInt8]? {
    switch self {
    case .utf8:
      if let text = String(wellFormed: bytes, as: UTF8.self) { return Array(text.utf8) }
      return isStrict ? nil : Array(String(decoding: bytes, as: UTF8.self).utf8)
    case .utf16(let isBigEndian):
      let units = Self.units(of: bytes, 2) {
        isBigEndian ? UInt16($0[0]) << 8 | UInt16($0[1]) : UInt16($0[1]) << 8 | UInt16($0[0])
      }
      guard isStrict else { return Array(String(decoding: units, as: UTF16.self).utf8) }
      guard bytes.count % 2 == 0 else { return nil }
      return String(wellFormed: units, as: UTF16.self).map { Array($0.utf8) }
    case .utf32(let isBigEndian):
      let units = Self.units(of: bytes, 4) { unit in
        (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(unit[isBigEndian ? $1 : 3 - $1]) }
      }
      guard isStrict else { return Array(String(decoding: units, as: UTF32.self).utf8) }
      guard bytes.count % 4 == 0 else { return nil }
      return String(wellFormed: units, as: UTF32.self).map { Array($0.utf8) }
    case .other(let name): return Self.convert(bytes, from: name, isStrict: isStrict)
    }
  }

  private static func units<Unit>(
    of bytes: ArraySlice<UInt8>, _ width: Int, _ make: ([UInt8]) -> Unit
  ) -> [Unit] {
    stride(from: bytes.startIndex, to: bytes.endIndex - width + 1, by: width).map {
      make(Array(bytes[$0..<$0 + width]))
    }
  }
}
