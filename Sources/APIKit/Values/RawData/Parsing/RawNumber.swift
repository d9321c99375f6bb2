/// The parts of a decimal number: sign, up to 19 significant digits, and a power of ten.
struct RawNumber {
  var isNegative = false
  var significand: UInt64 = 0
  var exponent = 0
  /// False when there were more than 19 significant digits, so that some were dropped.
  var isExact = true

  /// Parses a number in the grammar of JSON; nil when the bytes are not one.
  init?(_ bytes: UnsafeBufferPointer<UInt8>, _ offset: Int, length: Int) {
    var index = offset
    let end = offset + length
    var digits = 0
    var seen = 0
    guard index < end else { return nil }
    if bytes[index] == UInt8(ascii: "-") {
      isNegative = true
      index += 1
    }
    func digit(_ index: Int) -> UInt64? {
      guard index < end else { return nil }
      let value = bytes[index] &- UInt8(ascii: "0")
      return value < 10 ? UInt64(value) : nil
    }
    let first = index
    while let value = digit(index) {
      append(value, &digits, scale: 0)
      index += 1
    }
    seen = index - first
    guard seen == 1 || (seen > 1 && bytes[first] != UInt8(ascii: "0")) else { return nil }
    if index < end, bytes[index] == UInt8(ascii: ".") {
      index += 1
      let first = index
      while let value = digit(index) {
        append(value, &digits, scale: -1)
        index += 1
      }
      guard index > first else { return nil }
    }
    if index < end, bytes[index] | 0x20 == UInt8(ascii: "e") {
      index += 1
      var isNegativePower = false
      if index < end, bytes[index] == UInt8(ascii: "+") || bytes[index] == UInt8(ascii: "-") {
        isNegativePower = bytes[index] == UInt8(ascii: "-")
        index += 1
      }
      let first = index
      var power = 0
      while let value = digit(index) {
        // An exponent beyond a million is out of range for every type; further digits must not overflow the
        // counter.
        if power < 1_000_000_000_000 { power = power * 10 + Int(value) }
        index += 1
      }
      guard index > first else { return nil }
      exponent += isNegativePower ? -power : power
    }
    guard index == end else { return nil }
  }

  /// Appends a digit of the integer part (scale 0) or of the fraction (scale -1).
  @inline(__always)
  private mutating func append(_ digit: UInt64, _ digits: inout Int, scale: Int) {
    if digits < 19 {
      significand = significand &* 10 &+ digit
      if significand != 0 { digits += 1 }
      exponent += scale
    } else {
      // The digit is dropped, so the exponent increases if it was in the integer part.
      if digit != 0 { isExact = false }
      exponent += 1 + scale
    }
  }

  /// The exact integer value, when there is one and it fits.
  private func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Integer? {
    guard isExact, var magnitude = Optional(significand) else { return nil }
    if magnitude == 0 { return 0 }
    var exponent = exponent
    while exponent < 0 {
      let (quotient, remainder) = magnitude.quotientAndRemainder(dividingBy: 10)
      guard remainder == 0 else { return nil }
      magnitude = quotient
      exponent += 1
    }
    while exponent > 0 {
      let (product, overflow) = magnitude.multipliedReportingOverflow(by: 10)
      guard !overflow else { return nil }
      magnitude = product
      exponent -= 1
    }
    guard isNegative else { return Integer(exactly: magnitude) }
    guard magnitude <= 1 << 63 else { return nil }
    return Integer(exactly: Int64(truncatingIfNeeded: 0 &- magnitude))
  }

  /// The value, if it results from two exact doubles with a single rounding (Clinger's fast path).
  var fastDouble: Double? {
    guard isExact, significand <= 1 << 53, exponent >= -22, exponent <= 22 else { return nil }
    let magnitude =
      exponent < 0
      ? Double(significand) / Self.powers[-exponent] : Double(significand) * Self.powers[exponent]
    return isNegative ? -magnitude : magnitude
  }

  /// The powers of ten that a double represents exactly.
  private static let powers: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
    1e18, 1e19, 1e20, 1e21, 1e22,
  ]
}

// MARK: Reading a node

extension RawNumber {
  /// The value of an integer node, or of a number like `3.0` or `1e3` without a fraction.
  @inline(__always)
  static func integer<Integer: FixedWidthInteger>(
    _ bytes: UnsafeBufferPointer<UInt8>, _ node: RawNode, as type: Integer.Type
  ) -> Integer? {
    // Eighteen digits and a sign cannot overflow 64 bits.
    if node.tag == .integer, node.length <= 18 {
      var value: Int64 = 0
      var index = node.offset
      let end = index + node.length
      let isNegative = bytes[index] == UInt8(ascii: "-")
      if isNegative { index += 1 }
      while index < end {
        value = value &* 10 &+ Int64(bytes[index] &- UInt8(ascii: "0"))
        index += 1
      }
      return Integer(exactly: isNegative ? 0 &- value : value)
    }
    return slowInteger(bytes, node, as: type)
  }

  @inline(never)
  private static func slowInteger<Integer: FixedWidthInteger>(
    _ bytes: UnsafeBufferPointer<UInt8>, _ node: RawNode, as type: Integer.Type
  ) -> Integer? {
    if node.tag == .integer {
      return text(bytes, node.offset, length: node.length) { Integer($0, radix: 10) }
    }
    return integer(bytes, node.offset, length: node.length, as: type)
  }

  /// The exact value of a number in the grammar of JSON; nil for other text, and for what is not an integer of the type.
  static func integer<Integer: FixedWidthInteger>(
    _ bytes: UnsafeBufferPointer<UInt8>, _ offset: Int, length: Int, as type: Integer.Type
  ) -> Integer? {
    guard let number = RawNumber(bytes, offset, length: length) else { return nil }
    // The parts have 64 bits, and 19 digits.
    guard number.isExact, Integer.bitWidth <= 64 else {
      return text(bytes, offset, length: length) { RawDigits($0)?.integer(type) }
    }
    return number.integer(type)
  }

  /// The double nearest to a number node; nil when it is larger than any double.
  @inline(__always)
  static func double(_ bytes: UnsafeBufferPointer<UInt8>, _ node: RawNode) -> Double? {
    shortDouble(bytes, node) ?? double(bytes, node.offset, length: node.length)
  }

  /// The value of a number of at most 16 bytes without an exponent, which is rounded once; nil for others.
  @inline(__always)
  private static func shortDouble(_ bytes: UnsafeBufferPointer<UInt8>, _ node: RawNode) -> Double? {
    guard node.length <= 16 else { return nil }
    var index = node.offset
    let end = index + node.length
    let isNegative = bytes[index] == UInt8(ascii: "-")
    if isNegative { index += 1 }
    var significand: UInt64 = 0
    var fraction = end
    while index < end {
      let digit = bytes[index] &- UInt8(ascii: "0")
      index += 1
      if digit < 10 {
        significand = significand &* 10 &+ UInt64(digit)
      } else if bytes[index - 1] == UInt8(ascii: ".") {
        fraction = index
      } else {
        return nil
      }
    }
    guard significand <= 1 << 53 else { return nil }
    let magnitude = Double(significand) / (fraction < end ? powers[end - fraction] : 1)
    return isNegative ? -magnitude : magnitude
  }

  /// The double nearest to the number; nil when it is larger than any double.
  static func double(_ bytes: UnsafeBufferPointer<UInt8>, _ offset: Int, length: Int) -> Double? {
    guard let number = RawNumber(bytes, offset, length: length) else { return nil }
    if let fast = number.fastDouble { return fast }
    // The standard library's conversion is correctly rounded and independent of the locale.
    guard let double = text(bytes, offset, length: length, read: { Double($0) }), double.isFinite else {
      return nil
    }
    return double
  }

  /// The float nearest to the number, rounded once; nil when it is larger than any float.
  static func float(_ bytes: UnsafeBufferPointer<UInt8>, _ offset: Int, length: Int) -> Float? {
    guard RawNumber(bytes, offset, length: length) != nil,
      let float = text(bytes, offset, length: length, read: { Float($0) }), float.isFinite
    else { return nil }
    return float
  }

  /// The double nearest to a number in a text, in the grammar of JSON or as ``loose(_:_:length:)`` has it.
  static func written(_ bytes: UnsafeBufferPointer<UInt8>, _ offset: Int, length: Int) -> Double? {
    double(bytes, offset, length: length) ?? loose(bytes, offset, length: length)
  }

  /// A number in a text that JSON would write otherwise: `+5`, `007`, `.5` (XML Schema 2, 3.2.3). Nil for other text, such as
  /// `nan` and `0x1p3`, and for a number that is larger than any of the type.
  static func loose<Number: BinaryFloatingPoint & LosslessStringConvertible>(
    _ bytes: UnsafeBufferPointer<UInt8>, _ offset: Int, length: Int
  ) -> Number? {
    guard bytes[offset..<offset + length].allSatisfy(looseBytes.contains) else { return nil }
    return text(bytes, offset, length: length) { Number($0) }.flatMap { $0.isFinite ? $0 : nil }
  }

  private static let looseBytes = ASCIISet("0123456789+-.eE".utf8)

  static func text<Result>(
    _ bytes: UnsafeBufferPointer<UInt8>, _ offset: Int, length: Int, read body: (String) -> Result
  ) -> Result {
    body(String(decoding: UnsafeBufferPointer(rebasing: bytes[offset..<offset + length]), as: UTF8.self))
  }
}
