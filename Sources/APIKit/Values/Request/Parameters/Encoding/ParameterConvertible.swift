public import Foundation

/// A type that states the form in which it is sent.
///
/// The plain types of the standard library, `Date` and `Data` conform; optionals, arrays and dictionaries
/// do if their elements do, and an enum with raw values does when it declares it. Any other `Encodable` value
/// can be a parameter as well, see ``Parameters``; adopt this protocol for a type that a server expects in
/// a form other than that of its `encode(to:)`:
///
///     extension District: ParameterConvertible {}  // enum District: String
///     extension Place: ParameterConvertible {
///       var parameterValue: ParameterValue { .string("\(latitude),\(longitude)") }
///     }
///     rents.load(["district": district, "near": place])
public protocol ParameterConvertible: Encodable {
  /// The value as it is sent.
  var parameterValue: ParameterValue { get }
}

extension ParameterConvertible {
  /// Writes ``parameterValue``.
  public func encode(to encoder: any Encoder) throws { try parameterValue.write(to: encoder) }
}

extension ParameterConvertible where Self: RawRepresentable, RawValue == String {
  /// Writes the raw value.
  public func encode(to encoder: any Encoder) throws { try rawValue.encode(to: encoder) }
}

extension ParameterConvertible where Self: RawRepresentable, RawValue == Int {
  /// Writes the raw value.
  public func encode(to encoder: any Encoder) throws { try rawValue.encode(to: encoder) }
}

extension ParameterValue {
  /// The parameter of a Swift value.
  public init(_ value: some ParameterConvertible) { self = value.parameterValue }

  /// Text. A `Substring` is not `Encodable`, so a literal takes `String(text)`.
  public init(_ text: Substring) { self = .string(String(text)) }

  /// Bytes.
  public init(_ bytes: [UInt8]) { self = .data(bytes) }
}

extension ParameterValue: ParameterConvertible {
  /// The value itself.
  public var parameterValue: ParameterValue { self }
}

extension Parameters: ParameterConvertible {
  /// Named values.
  public var parameterValue: ParameterValue { .object(self) }
}

extension String: ParameterConvertible {
  /// Text.
  public var parameterValue: ParameterValue { .string(self) }
}

extension Bool: ParameterConvertible {
  /// True or false.
  public var parameterValue: ParameterValue { .bool(self) }
}

extension Double: ParameterConvertible {
  /// A number with a fraction.
  public var parameterValue: ParameterValue { .double(self) }
}

extension Float: ParameterConvertible {
  /// A number with a fraction: the shortest one that reads back as the same `Float`, so 0.1 stays 0.1.
  public var parameterValue: ParameterValue { .double(Double(description) ?? Double(self)) }
}

extension ParameterConvertible where Self: FixedWidthInteger {
  /// A whole number.
  public var parameterValue: ParameterValue {
    Int(exactly: self).map { .integer($0) } ?? .number("\(self)")
  }
}

extension Int: ParameterConvertible {}
extension Int8: ParameterConvertible {}
extension Int16: ParameterConvertible {}
extension Int32: ParameterConvertible {}
extension Int64: ParameterConvertible {}
extension UInt16: ParameterConvertible {}
extension UInt32: ParameterConvertible {}

extension Date: ParameterConvertible {
  /// A point in time.
  public var parameterValue: ParameterValue { .date(self) }
}

extension Data: ParameterConvertible {
  /// Bytes.
  public var parameterValue: ParameterValue { .data(Array(self)) }
}

extension Optional: ParameterConvertible where Wrapped: ParameterConvertible {
  /// The value, or null. The encoding decides whether a null is sent.
  public var parameterValue: ParameterValue { self?.parameterValue ?? .null }
}

extension Array: ParameterConvertible where Element: ParameterConvertible {
  /// Values in order.
  public var parameterValue: ParameterValue { .array(map(\.parameterValue)) }
}

extension Dictionary: ParameterConvertible where Key == String, Value: ParameterConvertible {
  /// Named values, sorted by name, because a dictionary has no order.
  public var parameterValue: ParameterValue {
    .object(Parameters(map { ($0.key, $0.value.parameterValue) }).sorted())
  }
}

extension ParameterConvertible where Self: RawRepresentable, RawValue: ParameterConvertible {
  /// The raw value.
  public var parameterValue: ParameterValue { rawValue.parameterValue }
}
