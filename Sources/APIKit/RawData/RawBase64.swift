/// Base64 of RFC 4648, both alphabets.
enum RawBase64 {
  /// The bytes of a text; nil when it is not base64. Padding may be absent but must be right when present;
  /// bits that no byte uses must be zero.
  static func decoded(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    var end = text.count
    if end % 4 == 0, end > 0, text[end - 1] == UInt8(ascii: "=") {
      end -= text[end - 2] == UInt8(ascii: "=") ? 2 : 1
    }
    guard end % 4 != 1 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(end * 3 / 4)
    var bits: UInt32 = 0
    var held = 0
    for index in 0..<end {
      guard let value = value(text[index]) else { return nil }
      bits = bits << 6 | value
      held += 6
      if held >= 8 {
        held -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(held)))
      }
    }
    return bits & ((1 << UInt32(held)) - 1) == 0 ? bytes : nil
  }

  /// The text of bytes, standard alphabet with padding.
  static func encoded(_ bytes: some Collection<UInt8>) -> [UInt8] {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    var bits: UInt32 = 0
    var held = 0
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      held += 8
      while held >= 6 {
        held -= 6
        text.append(alphabet[Int(bits >> UInt32(held) & 63)])
      }
    }
    if held > 0 { text.append(alphabet[Int(bits << UInt32(6 - held) & 63)]) }
    while text.count % 4 != 0 { text.append(UInt8(ascii: "=")) }
    return text
  }

  private static func value(_ character: UInt8) -> UInt32? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a") + 26)
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0") + 52)
    case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
    case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
    default: nil
    }
  }
}
