/// Base 16, lower case when written, either case when read.
enum Hex {
  private static let digits: StaticString = "0123456789abcdef"

  /// The digits of `bytes`.
  static func encode(_ bytes: some Collection<UInt8>) -> String {
    String(unsafeUninitializedCapacity: bytes.count * 2) { target in
      var index = 0
      for byte in bytes {
        target[index] = digits.utf8Start[Int(byte >> 4)]
        target[index + 1] = digits.utf8Start[Int(byte & 0x0F)]
        index += 2
      }
      return index
    }
  }

  /// Appends the digits of `bytes`.
  static func append(_ bytes: some Sequence<UInt8>, to output: inout [UInt8]) {
    for byte in bytes {
      output.append(digits.utf8Start[Int(byte >> 4)])
      output.append(digits.utf8Start[Int(byte & 0x0F)])
    }
  }

  /// The bytes that the digits stand for; nil when the text is not pairs of hexadecimal digits.
  static func decode(_ text: some StringProtocol) -> [UInt8]? {
    var bytes: [UInt8] = []
    var high: UInt8?
    for character in text.utf8 {
      guard let value = value(of: character) else { return nil }
      if let first = high {
        bytes.append(first << 4 | value)
        high = nil
      } else {
        high = value
      }
    }
    return high == nil ? bytes : nil
  }

  /// The value of one digit; nil when it is none.
  static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x41...0x46: digit - 0x41 + 10
    case 0x61...0x66: digit - 0x61 + 10
    default: nil
    }
  }
}
