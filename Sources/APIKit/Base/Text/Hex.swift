/// Base 16: written in lower case, read in either case.
package enum Hex {
  /// The hexadecimal digits of `bytes`.
  package static func encode(_ bytes: [UInt8]) -> String { encode(bytes[...]) }

  /// The hexadecimal digits of `bytes`.
  static func encode(_ bytes: ArraySlice<UInt8>) -> String {
    String(unsafeUninitializedCapacity: bytes.count * 2) { target in
      for (index, byte) in bytes.enumerated() {
        target[2 * index] = digit(byte >> 4)
        target[2 * index + 1] = digit(byte & 0x0F)
      }
      return bytes.count * 2
    }
  }

  /// The bytes of a text; nil when it does not consist of pairs of hexadecimal digits.
  static func decode(_ text: some StringProtocol) -> [UInt8]? {
    let digits = text.utf8.compactMap(value)
    guard digits.count == text.utf8.count, digits.count % 2 == 0 else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  @inline(__always)
  private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }

  /// The value of one digit; nil for another character.
  @inline(__always)
  package static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x41...0x46: digit - 0x41 + 10
    case 0x61...0x66: digit - 0x61 + 10
    default: nil
    }
  }
}
