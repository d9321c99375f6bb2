/// A member of a PATCH that may be null: unchanged, null, or a value.
///
/// An optional can express two of the three. In a type that is sent or decoded:
///
/// ```swift
/// struct HomeChanges: Codable {
///   var title: Change<String> = .keep
///   var agent: Change<Int> = .keep
/// }
/// manager.load(HomeChanges(agent: .null))  // {"agent":null}
/// ```
/// A member that is ``keep`` is not written, neither by this framework nor by Foundation's `JSONEncoder`, and one that is
/// missing is decoded as such. That holds for members of a type whose coding the compiler writes, and for values of a
/// dictionary literal of ``Parameters``. Elsewhere, such as in an array, nothing can be left out, and encoding throws.
/// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc7396>
public enum Change<Value> {
  /// The member is not mentioned, so the server leaves it as it is.
  case keep
  /// The member becomes null.
  case null
  /// The member gets this value.
  case set(Value)

  /// The value to set; nil for the others.
  public var value: Value? { if case .set(let value) = self { value } else { nil } }
}

extension Change: Sendable where Value: Sendable {}
extension Change: Equatable where Value: Equatable {}
extension Change: Hashable where Value: Hashable {}

extension Change: Omittable {
  var isOmitted: Bool { if case .keep = self { true } else { false } }
}

extension Change: Encodable where Value: Encodable {
  /// Writes null or the value. Throws an `EncodingError` for ``keep``.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .keep:
      throw EncodingError.invalidValue(
        self,
        .init(codingPath: encoder.codingPath, debugDescription: "a value to keep cannot be left out here"))
    case .null: try container.encodeNil()
    case .set(let value): try container.encode(value)
    }
  }
}

extension Change: Decodable where Value: Decodable {
  /// Reads null or a value.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    self = container.decodeNil() ? .null : .set(try container.decode(Value.self))
  }
}

// The coding that the compiler writes prefers these to the generic ones.

extension KeyedEncodingContainer {
  /// Writes null or the value of a change; nothing for ``Change/keep``.
  public mutating func encode<Value: Encodable>(_ change: Change<Value>, forKey key: Key) throws {
    switch change {
    case .keep: break
    case .null: try encodeNil(forKey: key)
    case .set(let value): try encode(value, forKey: key)
    }
  }
}

extension KeyedDecodingContainer {
  /// Reads a change: a member that is missing is to be kept.
  public func decode<Value: Decodable>(_ type: Change<Value>.Type, forKey key: Key) throws -> Change<Value> {
    guard contains(key) else { return .keep }
    return try decodeNil(forKey: key) ? .null : .set(decode(Value.self, forKey: key))
  }
}
