// Concrete forms of what the standard library has as generic functions of integers.
//
// A debug build compiles those anew for each file that calls one: 40 ms for a file with `Int(byte)`, `1 << 20` or `Int.max`, a
// tenth of the core's build. The compiler prefers functions that are not generic, and only this file pays then. They do the same
// as the standard library's. Not left to the optimizer: where one stays a call, reading a model takes a tenth longer.

extension Int {
  @inlinable @inline(__always) init(_ value: UInt8) { self.init(truncatingIfNeeded: value) }
  @inlinable @inline(__always) init(_ value: UInt32) { self = fitting(Int(exactly: value)) }
  @inlinable @inline(__always) init(_ value: UInt64) { self = fitting(Int(exactly: value)) }
  @inlinable @inline(__always) init(_ value: Int32) { self.init(truncatingIfNeeded: value) }
  @inlinable @inline(__always) init(_ value: Int64) { self = fitting(Int(exactly: value)) }

  @inlinable @inline(__always) static var max: Int { Int(bitPattern: UInt(bitPattern: -1) &>> 1) }
  @inlinable @inline(__always) static func << (value: Int, count: Int) -> Int {
    var value = value
    value <<= count
    return value
  }
  @inlinable @inline(__always) static func >> (value: Int, count: Int) -> Int {
    var value = value
    value >>= count
    return value
  }
}

extension Int64 {
  @inlinable @inline(__always) init(_ value: UInt8) { self.init(truncatingIfNeeded: value) }
  @inlinable @inline(__always) init(_ value: Int) { self.init(truncatingIfNeeded: value) }

  @inlinable @inline(__always) static var max: Int64 { 0x7FFF_FFFF_FFFF_FFFF }
  @inlinable @inline(__always) static func << (value: Int64, count: Int) -> Int64 {
    var value = value
    value <<= count
    return value
  }
}

extension Int32 {
  @inlinable @inline(__always) init(_ value: Int) { self = fitting(Int32(exactly: value)) }

  @inlinable @inline(__always) static var max: Int32 { 0x7FFF_FFFF }
}

extension UInt64 {
  @inlinable @inline(__always) init(_ value: UInt8) { self.init(truncatingIfNeeded: value) }
  @inlinable @inline(__always) init(_ value: Int64) { self = fitting(UInt64(exactly: value)) }
  @inlinable @inline(__always) init(_ value: Int) { self = fitting(UInt64(exactly: value)) }

  @inlinable @inline(__always) static var max: UInt64 { 0xFFFF_FFFF_FFFF_FFFF }
  @inlinable @inline(__always) static func << (value: UInt64, count: Int) -> UInt64 {
    var value = value
    value <<= count
    return value
  }
  @inlinable @inline(__always) static func >> (value: UInt64, count: Int) -> UInt64 {
    var value = value
    value >>= count
    return value
  }
}

extension UInt32 {
  @inlinable @inline(__always) init(_ value: UInt8) { self.init(truncatingIfNeeded: value) }
  @inlinable @inline(__always) init(_ value: Int32) { self = fitting(UInt32(exactly: value)) }
  @inlinable @inline(__always) init(_ value: Int) { self = fitting(UInt32(exactly: value)) }

  @inlinable @inline(__always) static var max: UInt32 { 0xFFFF_FFFF }
  @inlinable @inline(__always) static func << (value: UInt32, count: Int) -> UInt32 {
    var value = value
    value <<= count
    return value
  }
}

extension UInt16 {
  @inlinable @inline(__always) init(_ value: UInt8) { self.init(truncatingIfNeeded: value) }
  @inlinable @inline(__always) init(_ value: Int32) { self = fitting(UInt16(exactly: value)) }

  @inlinable @inline(__always) static func << (value: UInt16, count: Int) -> UInt16 {
    var value = value
    value <<= count
    return value
  }
  @inlinable @inline(__always) static func >> (value: UInt16, count: Int) -> UInt16 {
    var value = value
    value >>= count
    return value
  }
}

extension UInt8 {
  @inlinable @inline(__always) init(_ value: UInt64) { self = fitting(UInt8(exactly: value)) }

  @inlinable @inline(__always) static func << (value: UInt8, count: Int) -> UInt8 {
    var value = value
    value <<= count
    return value
  }
  @inlinable @inline(__always) static func >> (value: UInt8, count: Int) -> UInt8 {
    var value = value
    value >>= count
    return value
  }
}

/// A number that was converted; ends the program where it did not fit, as the standard library's conversions do.
@inlinable @inline(__always) func fitting<Number: FixedWidthInteger>(_ number: Number?) -> Number {
  guard let number else { preconditionFailure("the number does not fit") }
  return number
}
