public import Foundation

/// One value of a parameter: the types of JSON, and dates and bytes in addition.
///
/// Literals are accepted: `["city": "Suzhou", "beds": 3, "new": true]`. The encoding decides how dates,
/// booleans, nulls and arrays are written.
public enum ParameterValue: Sendable {
  /// Text.
  case string(String)
  /// A whole number.
  case integer(Int)
  /// A number with a fraction.
  case double(Double)
  /// A number by its digits, written as in JSON, for one that `Int` and `Double` do not hold: `18446744073709551616`.
  case number(String)
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

extension ParameterValue: Hashable {
  /// Whether both are of one kind and equal; texts are compared by their UTF-8, and all values that are not a number (NaN)
  /// are one.
  public static func == (left: Self, right: Self) -> Bool {
    switch (left, right) {
    case (.string(let one), .string(let other)): one.equalsExactly(other)
    case (.integer(let one), .integer(let other)): one == other
    case (.double(let one), .double(let other)): one == other || one.isNaN && other.isNaN
    case (.number(let one), .number(let other)): one.equalsExactly(other)
    case (.bool(let one), .bool(let other)): one == other
    case (.date(let one), .date(let other)):
      one == other
        || one.timeIntervalSinceReferenceDate.isNaN && other.timeIntervalSinceReferenceDate.isNaN
    case (.data(let one), .data(let other)): one == other
    case (.null, .null): true
    case (.array(let one), .array(let other)): one == other
    case (.object(let one), .object(let other)): one == other
    default: false
    }
  }

  /// Hashes the value.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .string(let text): hasher.combine(ExactText(text))
    case .integer(let number): hasher.combine(number)
    case .double(let number): hasher.combine(number.isNaN ? .nan : number)
    case .number(let text): hasher.combine(ExactText(text))
    case .bool(let flag): hasher.combine(flag)
    case .date(let date):
      let seconds = date.timeIntervalSinceReferenceDate
      hasher.combine(seconds.isNaN ? .nan : seconds)
    case .data(let bytes): hasher.combine(bytes)
    case .null: hasher.combine(0)
    case .array(let values): hasher.combine(values)
    case .object(let parameters): hasher.combine(parameters)
    }
  }
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
  /// The first value of ``Parameters`` in it that could not be encoded.
  var failure: APIError? {
    switch self {
    case .object(let parameters): parameters.failure
    case .array(let values): values.lazy.compactMap(\.failure).first
    default: nil
    }
  }

  /// The text; nil for a value of another type.
  public var string: String? { if case .string(let value) = self { value } else { nil } }
  /// The whole number; nil for a value of another type.
  public var integer: Int? { if case .integer(let value) = self { value } else { nil } }
  /// The number, with or without a fraction, rounded where it has more digits; nil for a value of another type.
  public var double: Double? {
    switch self {
    case .double(let value): value
    case .number(let text): Double(text)
    case .integer(let value): Double(value)
    default: nil
    }
  }
  /// The boolean; nil for a value of another type.
  public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
}

extension String {
  /// The text of ``ParameterValue/number(_:)``, which may come from anywhere.
  package var asNumber: String {
    get throws(Unencodable) {
      var text = self
      guard text.withUTF8({ RawNumber($0, 0, length: $0.count) }) != nil else {
        throw Unencodable("it is not a number")
      }
      return self
    }
  }
}
