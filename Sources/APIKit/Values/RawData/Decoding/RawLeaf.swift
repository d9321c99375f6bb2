public import Foundation

/// A type that ``RawData/require(_:)-(Leaf.Type)`` and its variants can read from one value.
///
/// `String`, the integers, `Double`, `Float`, `Decimal`, `Bool`, `Date`, `URL`, `Data` and `RawData` are
/// leaves, and so is every enum with one of them as its raw value that declares the conformance:
///
/// ```swift
/// enum Tenure: String, RawLeaf { case rent, sale }
/// let tenure = try raw.tenure.require(Tenure.self)
/// ```
public protocol RawLeaf {
  /// Reads a value; nil when it is of another kind or does not fit.
  init?(raw: borrowing RawData)
  /// The expected kind, for errors: `a number`.
  static var expectation: String { get }
}

extension RawLeaf {
  @inline(__always)
  fileprivate init?(read value: Self?) {
    guard let value else { return nil }
    self = value
  }
}

extension RawLeaf where Self: RawRepresentable, RawValue: RawLeaf {
  /// Reads the raw value.
  public init?(raw: borrowing RawData) {
    guard let value = RawValue(raw: raw), let leaf = Self(rawValue: value) else { return nil }
    self = leaf
  }

  /// The expectation of the raw value, with the name of the type.
  public static var expectation: String { "\(RawValue.expectation) of \(Self.self)" }
}

extension String: RawLeaf {
  /// The text of a string.
  public init?(raw: borrowing RawData) { self.init(read: raw.string) }

  /// A string.
  public static var expectation: String { "a string" }
}

extension Bool: RawLeaf {
  /// True or false.
  public init?(raw: borrowing RawData) { self.init(read: raw.bool) }

  /// True or false.
  public static var expectation: String { "true or false" }
}

extension Double: RawLeaf {
  /// A number.
  public init?(raw: borrowing RawData) { self.init(read: raw.double) }

  /// A number.
  public static var expectation: String { "a number" }
}

extension Float: RawLeaf {
  /// A number.
  public init?(raw: borrowing RawData) { self.init(read: raw.float) }

  /// A number.
  public static var expectation: String { "a number" }
}

extension Decimal: RawLeaf {
  /// A number.
  public init?(raw: borrowing RawData) { self.init(read: raw.decimal) }

  /// A number.
  public static var expectation: String { "a number" }
}

extension Date: RawLeaf {
  /// A date, read by ``RawData/DateFormat/automatic``.
  public init?(raw: borrowing RawData) { self.init(read: raw.date) }

  /// A date.
  public static var expectation: String { "a date" }
}

extension URL: RawLeaf {
  /// A string that is a URL.
  public init?(raw: borrowing RawData) { self.init(read: raw.url) }

  /// A URL.
  public static var expectation: String { "a URL" }
}

extension Data: RawLeaf {
  /// A string of base64.
  public init?(raw: borrowing RawData) { self.init(read: raw.data) }

  /// Base64.
  public static var expectation: String { "base64" }
}

extension RawData: RawLeaf {
  /// Any value that is not missing.
  public init?(raw: borrowing RawData) {
    guard raw.exists else { return nil }
    self = copy raw
  }

  /// A value.
  public static var expectation: String { "a value" }
}

extension RawLeaf where Self: FixedWidthInteger {
  /// A number that is an integer and fits.
  public init?(raw: borrowing RawData) { self.init(read: raw.integer(Self.self)) }

  /// An integer, with the range when it is not that of `Int`.
  public static var expectation: String {
    Self.self == Int.self ? "an integer" : "an integer from \(Self.min) to \(Self.max)"
  }
}

extension Int: RawLeaf {
  // The leaf that is read most. It does not use the generic initializer, which other modules could not
  // specialise.
  /// A number that is an integer and fits.
  public init?(raw: borrowing RawData) { self.init(read: raw.int) }
}
extension Int8: RawLeaf {}
extension Int16: RawLeaf {}
extension Int32: RawLeaf {}
extension Int64: RawLeaf {}
extension UInt: RawLeaf {}
extension UInt8: RawLeaf {}
extension UInt16: RawLeaf {}
extension UInt32: RawLeaf {}
extension UInt64: RawLeaf {}
