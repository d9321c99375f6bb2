public import Foundation

/// One value of a parameter: the types of JSON, and dates and bytes in addition.
///
/// Literals are accepted: `["city": "Suzhou", "beds": 3, "new": true]`. The encoding decides how dates,
/// booleans, nulls and arrays are written.
public enum ParameterValue: Sendable, Hashable {
  /// Text.
  case string(String)
  /// A whole number.
  case integer(Int)
  /// A number with a fraction.
  case double(Double)
  /// True or false.
  case bool(Bool)
  /// A point in time.
  case date(Date)
  /// Bytes; base64 in text encodings.
  case data([UInt8])
  /// An explicit null.
  case null
  /// Values in order.
  case array([ParameterValue])
  /// Named values.
  case object(Parameters)
}

extension ParameterValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral, ExpressibleByStringInterpolation
{
  /// Text.
  public init(stringLiteral value: String) { self = .string(value) }
  /// A whole number.
  public init(integerLiteral value: Int) { self = .integer(value) }
  /// A number with a fraction.
  public init(floatLiteral value: Double) { self = .double(value) }
  /// True or false.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// Null.
  public init(nilLiteral: ()) { self = .null }
  /// Values in order.
  public init(arrayLiteral elements: ParameterValue...) { self = .array(elements) }
  /// Named values in order.
  public init(dictionaryLiteral elements: (String, ParameterValue)...) {
    self = .object(Parameters(elements))
  }
}

extension ParameterValue {
  /// The text; nil for a value of another type.
  public var string: String? { if case .string(let value) = self { value } else { nil } }
  /// The whole number; nil for a value of another type.
  public var integer: Int? { if case .integer(let value) = self { value } else { nil } }
  /// The number, with or without a fraction; nil for a value of another type.
  public var double: Double? {
    switch self {
    case .double(let value): value
    case .integer(let value): Double(value)
    default: nil
    }
  }
  /// The boolean; nil for a value of another type.
  public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
}
