/// Base64 by RFC 4648: the standard alphabet with padding, or the URL alphabet without.
/// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc4648>
package enum Base64 {
  /// The alphabet, and whether the last group is padded.
  package enum Alphabet {
    /// `+`, `/` and padding (RFC 4648, 4).
    case standard
    /// `-`, `_` and no padding (RFC 4648, 5).
    case url
  }

  /// The Base64 text of `bytes`.
  package static func encode(_ bytes: some Collection<UInt8>, _ alphabet: Alphabet = .standard) -> String {
    bytes.withContiguousStorageIfAvailable { encode($0, alphabet) }
      ?? Array(bytes).withUnsafeBufferPointer { encode($0, alphabet) }
  }

  private static let standardDigits: StaticString =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
  private static let urlDigits: StaticString =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

  private static func encode(_ bytes: UnsafeBufferPointer<UInt8>, _ alphabet: Alphabet) -> String {
    let digits = (alphabet == .standard ? standardDigits : urlDigits).utf8Start
    return String(unsafeUninitializedCapacity: (bytes.count + 2) / 3 * 4) { target in
      var (index, written) = (0, 0)
      while index < bytes.count {
        let left = bytes.count - index
        let group =
          UInt32(bytes[index]) << 16 | (left > 1 ? UInt32(bytes[index + 1]) << 8 : 0)
          | (left > 2 ? UInt32(bytes[index + 2]) : 0)
        for place in 0..<4 {
          if place <= left {
            target[written] = digits[Int(group >> UInt32(18 - 6 * place) & 0x3F)]
          } else if alphabet == .standard {
            target[written] = UInt8(ascii: "=")
          } else {
            break
          }
          written += 1
        }
        index += 3
      }
      return written
    }
  }

  /// The bytes of a text; nil for a character of another alphabet, an impossible length, missing or extra
  /// padding, or unused bits that are not zero.
  package static func decode(_ text: String, _ alphabet: Alphabet = .standard) -> [UInt8]? {
    var text = text
    let bytes = text.withUTF8 { decode(lenient: $0) }
    // Strict: only the text that the encoder makes of these bytes is accepted.
    return bytes.flatMap { encode($0, alphabet) == text ? $0 : nil }
  }

  /// The bytes of a text in either alphabet. Padding may be missing, but must be correct where present;
  /// unused bits must be zero unless they are allowed.
  package static func decode(lenient text: UnsafeBufferPointer<UInt8>, allowsUnusedBits: Bool = false)
    -> [UInt8]?
  {
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
    return allowsUnusedBits || bits & ((1 << UInt32(held)) - 1) == 0 ? bytes : nil
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
