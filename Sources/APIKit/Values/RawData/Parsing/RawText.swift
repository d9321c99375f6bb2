/// Reads the text of a string node.
enum RawText {
  /// The index of the quote that ends the string whose opening quote is at `start`; nil in text that was cut.
  @inline(__always)
  static func closingQuote<Bytes: RandomAccessCollection<UInt8>>(in bytes: Bytes, from start: Int) -> Int?
  where Bytes.Index == Int {
    var index = start + 1
    while index < bytes.endIndex, bytes[index] != UInt8(ascii: "\"") {
      index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return index < bytes.endIndex ? index : nil
  }

  /// A node's text as a String.
  static func string(_ bytes: UnsafeBufferPointer<UInt8>, _ node: RawNode) -> String {
    if node.tag == .string { return String(decoding: node.text(in: bytes), as: UTF8.self) }
    // Resolving escapes never lengthens the text: the six bytes of `\uXXXX` become at most three of UTF-8.
    return String(unsafeUninitializedCapacity: node.length) { unescape(bytes, node, into: $0) }
  }

  /// The UTF-8 of a node with escapes.
  static func unescaped(_ bytes: UnsafeBufferPointer<UInt8>, _ node: RawNode) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: node.length) { buffer, count in
      count = unescape(bytes, node, into: buffer)
    }
  }

  /// Writes the text, of at most `node.length` bytes, and returns its length. An unpaired surrogate becomes
  /// U+FFFD.
  private static func unescape(
    _ bytes: UnsafeBufferPointer<UInt8>, _ node: RawNode, into output: UnsafeMutableBufferPointer<UInt8>
  ) -> Int {
    var count = 0
    var index = node.offset
    let end = node.offset + node.length
    while index < end {
      let byte = bytes[index]
      guard byte == UInt8(ascii: "\\") else {
        output[count] = byte
        count += 1
        index += 1
        continue
      }
      let escape = bytes[index + 1]
      index += 2
      guard escape == UInt8(ascii: "u") else {
        output[count] = simple(escape)
        count += 1
        continue
      }
      var scalar = unit(bytes, at: index)
      index += 4
      if scalar & 0xFC00 == 0xD800, index + 6 <= end, bytes[index] == UInt8(ascii: "\\"),
        bytes[index + 1] == UInt8(ascii: "u")
      {
        let low = unit(bytes, at: index + 2)
        if low & 0xFC00 == 0xDC00 {
          scalar = 0x10000 + (scalar & 0x3FF) << 10 + low & 0x3FF
          index += 6
        }
      }
      if scalar & 0xFFFF_F800 == 0xD800 { scalar = 0xFFFD }
      for byte in UTF8.encode(Unicode.Scalar(scalar) ?? "\u{FFFD}") ?? UTF8.encodedReplacementCharacter {
        output[count] = byte
        count += 1
      }
    }
    return count
  }

  private static func simple(_ escape: UInt8) -> UInt8 {
    switch escape {
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    default: escape
    }
  }

  private static func unit(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> UInt32 {
    var unit: UInt32 = 0
    for offset in 0..<4 { unit = unit << 4 | UInt32(Hex.value(of: bytes[index + offset]) ?? 0) }
    return unit
  }
}
