/// Base 64 by RFC 4648: the standard alphabet with padding, or the URL alphabet without.
/// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc4648>
enum Base64 {
  /// Which sixty-four characters, and whether the last group is padded.
  enum Alphabet {
    /// `+`, `/` and padding (RFC 4648, 4).
    case standard
    /// `-`, `_` and no padding (RFC 4648, 5).
    case url

    fileprivate var characters: StaticString {
      switch self {
      case .standard: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
      case .url: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
      }
    }
  }

  /// The text that stands for `bytes`.
  static func encode(_ bytes: [UInt8], _ alphabet: Alphabet = .standard) -> String {
    let characters = alphabet.characters.utf8Start
    return String(unsafeUninitializedCapacity: (bytes.count + 2) / 3 * 4) { target in
      var out = 0
      func put(_ sextet: UInt32) {
        target[out] = characters[Int(sextet & 63)]
        out += 1
      }
      var index = 0
      while index + 3 <= bytes.count {
        let group = UInt32(bytes[index]) << 16 | UInt32(bytes[index + 1]) << 8 | UInt32(bytes[index + 2])
        put(group >> 18)
        put(group >> 12)
        put(group >> 6)
        put(group)
        index += 3
      }
      let left = bytes.count - index
      guard left > 0 else { return out }
      let group = UInt32(bytes[index]) << 16 | (left == 2 ? UInt32(bytes[index + 1]) << 8 : 0)
      put(group >> 18)
      put(group >> 12)
      if left == 2 { put(group >> 6) }
      if alphabet == .standard {
        for _ in left..<3 {
          target[out] = UInt8(ascii: "=")
          out += 1
        }
      }
      return out
    }
  }

  /// The bytes that the text stands for; nil for a foreign character, a length that no encoder gives,
  /// missing or extra padding, or bits beyond the last byte.
  static func decode(_ text: String, _ alphabet: Alphabet = .standard) -> [UInt8]? {
    let characters = text.utf8
    var digits = characters[...]
    while digits.last == UInt8(ascii: "="), characters.count - digits.count < 2 { digits = digits.dropLast() }
    let padding = characters.count - digits.count
    guard alphabet == .standard ? characters.count % 4 == 0 : padding == 0, digits.count % 4 != 1 else {
      return nil
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count * 3 / 4)
    var bits: UInt32 = 0
    var held = 0
    for character in digits {
      guard let value = value(of: character, alphabet) else { return nil }
      bits = bits << 6 | UInt32(value)
      held += 6
      if held >= 8 {
        held -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(held)))
        bits &= (1 << UInt32(held)) - 1
      }
    }
    return bits == 0 ? bytes : nil
  }

  private static func value(of character: UInt8, _ alphabet: Alphabet) -> UInt8? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+") where alphabet == .standard, UInt8(ascii: "-") where alphabet == .url: 62
    case UInt8(ascii: "/") where alphabet == .standard, UInt8(ascii: "_") where alphabet == .url: 63
    default: nil
    }
  }
}
