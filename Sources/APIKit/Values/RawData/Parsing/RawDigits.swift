/// A number of any length, normalised so that equal numbers have equal parts.
struct RawDigits: Equatable {
  var isNegative = false
  var digits: [UInt8] = []
  /// Wide enough that no number of digits overflows it.
  var exponent = WideInteger(0)

  /// Nil for an exponent beyond 2 to the 120th.
  init?(_ text: String) {
    let parts = text.lowercased().split(separator: "e")
    let number = parts[0].drop { $0 == "-" }.split(separator: ".")
    digits = Array(number.joined().utf8.drop { $0 == UInt8(ascii: "0") })
    if digits.isEmpty { return }
    isNegative = text.hasPrefix("-")
    if parts.count == 2 {
      guard let written = WideInteger(parts[1]) else { return nil }
      exponent = written
    }
    if number.count == 2 { exponent = exponent + -number[1].utf8.count }
    while digits.last == UInt8(ascii: "0") {
      digits.removeLast()
      exponent = exponent + 1
    }
  }

  /// The value, when it is an integer and fits.
  func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Integer? {
    if digits.isEmpty { return 0 }
    // The widest integers have 39 digits.
    guard let exponent = exponent.int, exponent >= 0, exponent < 40 else { return nil }
    let zeros = String(repeating: "0", count: exponent)
    return Integer((isNegative ? "-" : "") + String(decoding: digits, as: UTF8.self) + zeros, radix: 10)
  }
}
