/// Why and where parsing failed. The text, line and column are only created when it becomes an error.
package struct RawFault {
  /// The texts. One that ends in a space is followed by what was found.
  enum Reason: String {
    case empty = "there is no value"
    case unexpectedEnd = "the document ends too early"
    case unexpectedCharacter = "expected a value, found "
    case trailing = "expected the end of the document, found "
    case expectedName = "expected a name in quotes, found "
    case expectedColon = "expected a colon, found "
    case expectedCommaOrBrace = "expected a comma or \"}\", found "
    case expectedCommaOrBracket = "expected a comma or \"]\", found "
    case expectedDigit = "expected a digit, found "
    case leadingZero = "a number must not begin with 0"
    case unterminatedString = "the document ends inside a string"
    case controlCharacter = "a control character in a string must be escaped: "
    case invalidEscape = "an escape that JSON does not have"
    case invalidUTF8 = "invalid UTF-8: "
    case tooDeep = "nested deeper than "
    case tooLong = "one value of more than 256 MiB"
  }

  let offset: Int
  let reason: Reason

  static func at(_ offset: Int, _ reason: Reason) -> RawFault { RawFault(offset: offset, reason: reason) }

  func error(in bytes: [UInt8], _ limits: RawData.Limits) -> APIError {
    let place = Self.position(of: offset, in: bytes)
    var text = reason.rawValue
    if reason == .tooDeep {
      text += "\(limits.depth) levels"
    } else if text.last == " " {
      text += found(in: bytes)
    }
    let isLimit = reason == .tooDeep || reason == .tooLong
    return APIError(.response, isLimit ? .bodyLimitExceeded : .malformedBody, "\(place): \(text)")
  }

  private func found(in bytes: [UInt8]) -> String {
    guard offset < bytes.count else { return "the end" }
    let byte = bytes[offset]
    guard byte > 0x20, byte < 0x7F else {
      return "the byte 0x" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
    return "\"\(Character(Unicode.Scalar(byte)))\""
  }

  /// `line 3, column 14 (byte 57)`: lines end with a line feed, columns count Unicode scalars, both from 1;
  /// bytes count from 0.
  package static func position(of offset: Int, in bytes: [UInt8]) -> String {
    var line = 1
    var column = 1
    for byte in bytes.prefix(offset) {
      if byte == 0x0A {
        line += 1
        column = 1
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
    }
    return "line \(line), column \(column) (byte \(offset))"
  }
}
