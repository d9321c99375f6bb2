/// References to characters in XML: `&lt;`, `&#65;`, `&#x41;`.
package enum XMLReference {
  /// The character that a reference stands for; nil for a name that is not known, and for what XML does not allow.
  ///
  /// - Parameter name: What stands between `&` and `;`.
  package static func character(_ name: String) -> Unicode.Scalar? {
    switch name {
    case "lt": return "<"
    case "gt": return ">"
    case "amp": return "&"
    case "quot": return "\""
    case "apos": return "'"
    default:
      // `UInt32` would take a sign.
      let isHexadecimal = name.hasPrefix("#x")
      let digits = name.dropFirst(isHexadecimal ? 2 : 1)
      guard name.hasPrefix("#"), digits.allSatisfy(\.isHexDigit) else { return nil }
      let character = UInt32(digits, radix: isHexadecimal ? 16 : 10).flatMap(Unicode.Scalar.init)
      return character.flatMap { isAllowed($0) ? $0 : nil }
    }
  }

  /// A byte of text or of the value of an attribute as it is written.
  package static func text(of byte: UInt8) -> [UInt8] {
    switch byte {
    case UInt8(ascii: "<"): Array("&lt;".utf8)
    case UInt8(ascii: ">"): Array("&gt;".utf8)
    case UInt8(ascii: "&"): Array("&amp;".utf8)
    case UInt8(ascii: "\""): Array("&quot;".utf8)
    case UInt8(ascii: "'"): Array("&apos;".utf8)
    default: [byte]
    }
  }

  /// Whether XML allows a character (XML 1.0, 2.2).
  private static func isAllowed(_ character: Unicode.Scalar) -> Bool {
    switch character.value {
    case 0x09, 0x0A, 0x0D, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
    default: false
    }
  }
}
