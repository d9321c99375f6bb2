/// An integer of 128 bits, in two's complement: what `Int128` is, which Apple's systems have from iOS 18 on.
struct WideInteger: Equatable {
  private var high: UInt64
  private var low: UInt64

  init(_ value: Int) {
    low = UInt64(bitPattern: Int64(value))
    high = value < 0 ? .max : 0
  }

  /// Nil for a text that is no integer, and for one beyond 2 to the 120th.
  init?(_ text: Substring) {
    let digits =
      text.utf8.first == UInt8(ascii: "-") || text.utf8.first == UInt8(ascii: "+")
      ? text.utf8.dropFirst() : text.utf8
    guard !digits.isEmpty else { return nil }
    (high, low) = (0, 0)
    for byte in digits {
      guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
      let (carry, product) = low.multipliedFullWidth(by: 10)
      let (sum, overflows) = product.addingReportingOverflow(UInt64(byte - UInt8(ascii: "0")))
      high = high * 10 + carry + (overflows ? 1 : 0)
      low = sum
      guard high < 1 << 56 else { return nil }
    }
    if text.utf8.first == UInt8(ascii: "-") { negate() }
  }

  var isNegative: Bool { high >> 63 == 1 }

  /// Nil where it does not fit.
  var int: Int? {
    let value = Int(truncatingIfNeeded: low)
    return WideInteger(value) == self ? value : nil
  }

  /// Its digits, without a sign.
  var magnitudeText: String {
    var rest = self
    if isNegative { rest.negate() }
    var digits: [UInt8] = []
    repeat {
      let upper = rest.high.quotientAndRemainder(dividingBy: 10)
      let lower = UInt64(10).dividingFullWidth((upper.remainder, rest.low))
      (rest.high, rest.low) = (upper.quotient, lower.quotient)
      digits.append(UInt8(ascii: "0") + UInt8(lower.remainder))
    } while rest.high != 0 || rest.low != 0
    return String(decoding: digits.reversed(), as: UTF8.self)
  }

  static func + (left: WideInteger, right: Int) -> WideInteger {
    var sum = WideInteger(right)
    let (low, overflows) = left.low.addingReportingOverflow(sum.low)
    sum.high = left.high &+ sum.high &+ (overflows ? 1 : 0)
    sum.low = low
    return sum
  }

  private mutating func negate() {
    (high, low) = (~high, ~low)
    self = self + 1
  }
}
