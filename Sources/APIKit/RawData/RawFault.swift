/// Why and where parsing stopped. Words, line and column are made only when it becomes an error.
struct RawFault {
  enum Reason {
    case empty, unexpectedEnd, unexpectedCharacter, trailing, expectedName, expectedColon
    case expectedCommaOrBrace, expectedCommaOrBracket, expectedDigit, leadingZero
    case unterminatedString, controlCharacter, invalidEscape, invalidUTF8, tooDeep, tooLong
  }

  let offset: Int
  let reason: Reason

  static func at(_ offset: Int, _ reason: Reason) -> RawFault { RawFault(offset: offset, reason: reason) }

  func error(in bytes: [UInt8], _ limits: RawData.Limits) -> APIError {
    let place = Self.position(of: offset, in: bytes)
    switch reason {
    case .tooDeep:
      return APIError(
        .response, .bodyLimitExceeded, "\(place): nested deeper than \(limits.maximumDepth) levels")
    case .tooLong:
      return APIError(.response, .bodyLimitExceeded, "\(place): one value of more than 256 MiB")
    default:
      return APIError(.response, .malformedBody, "\(place): \(text(in: bytes))")
    }
  }

  private func text(in bytes: [UInt8]) -> String {
    switch reason {
    case .empty: "there is no value"
    case .unexpectedEnd: "the document ends too early"
    case .unexpectedCharacter: "expected a value, found \(found(in: bytes))"
    case .trailing: "expected the end of the document, found \(found(in: bytes))"
    case .expectedName: "expected a name in quotes, found \(found(in: bytes))"
    case .expectedColon: "expected a colon, found \(found(in: bytes))"
    case .expectedCommaOrBrace: "expected a comma or \"}\", found \(found(in: bytes))"
    case .expectedCommaOrBracket: "expected a comma or \"]\", found \(found(in: bytes))"
    case .expectedDigit: "expected a digit, found \(found(in: bytes))"
    case .leadingZero: "a number must not begin with 0"
    case .unterminatedString: "the document ends inside a string"
    case .controlCharacter: "a control character in a string must be escaped: \(found(in: bytes))"
    case .invalidEscape: "an escape that JSON does not have"
    case .invalidUTF8: "invalid UTF-8: \(found(in: bytes))"
    case .tooDeep, .tooLong: "beyond the limits"
    }
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
  static func position(of offset: Int, in bytes: [UInt8]) -> String {
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
