import Foundation

/// Turns any `Encodable` value into a parameter: what dictionary literals and `load` with a value of the
/// application's own are made of.
///
/// Text, numbers, dates and bytes keep their kind, so that the encoding of the request decides how they are
/// written. A type that is ``ParameterConvertible`` says itself what it is sent as.
enum ParameterEncoder {
  /// The parameter; nil for an optional without a value.
  ///
  /// - Parameter keys: How the members of types are named; those of dictionaries are data.
  static func encode(
    _ value: any Encodable, keys: RawData.DecodingOptions.Keys = .asWritten
  ) throws(Unencodable) -> ParameterValue? {
    // The common ones first, by their type: a cast that fails and a look-up of a conformance take longer.
    let type = type(of: value)
    if type == String.self { return .string(known(value)) }
    if type == Int.self { return .integer(known(value)) }
    if type == ParameterValue.self, let value = value as? ParameterValue { return try checked(value) }
    if let value = value as? any Omittable, value.isOmitted { return nil }
    return try encodeValue(value, keys)
  }

  /// A parameter that is given, which may have one within it that could not be encoded.
  private static func checked(_ parameter: ParameterValue) throws(Unencodable) -> ParameterValue {
    if let failure = parameter.failure { throw Unencodable(failure.detail) }
    return parameter
  }

  /// The value as what it was found to be.
  private static func known<Value>(_ value: some Encodable) -> Value { unsafeBitCast(value, to: Value.self) }

  /// The parameter of a value, where a missing one is null.
  fileprivate static func encodeValue(
    _ value: any Encodable, _ keys: RawData.DecodingOptions.Keys
  ) throws(Unencodable) -> ParameterValue {
    if type(of: value) == [UInt8].self, let bytes = value as? [UInt8] { return .data(bytes) }
    switch value {
    case let value as any ParameterConvertible: return try checked(value.parameterValue)
    case let value as RawData: return try value.parameterValue()
    case let value as URL: return .string(value.absoluteString)
    case let value as UUID: return .string(value.uuidString)
    case let value as Decimal: return .number("\(value)")
    // Their own way to be encoded is to ask for this one.
    case let value as any BinaryInteger:
      return Int(exactly: value).map { .integer($0) } ?? .number("\(value)")
    case let value as any BinaryFloatingPoint: return .double(Double(value))
    default: break
    }
    let isDictionary = value is any UnorderedMembers
    let node = ParameterNode(path: [], keys, keysAreData: isDictionary)
    do {
      try value.encode(to: node)
      let encoded = try node.value()
      // A dictionary has no order; a request must have one.
      if isDictionary, case .object(let members) = encoded {
        return .object(members.sorted())
      }
      return encoded
    } catch let error as Unencodable {
      throw error
    } catch EncodingError.invalidValue(_, let context) {
      // Without the value, which the error's own text has.
      throw Unencodable("\(type(of: value)) cannot be encoded: \(context.debugDescription)")
    } catch {
      throw Unencodable("\(type(of: value)) cannot be encoded: \(error)")
    }
  }
}

/// A type with a value that is no parameter at all: its name is left out.
protocol Omittable {
  var isOmitted: Bool { get }
}

extension Optional: Omittable {
  var isOmitted: Bool { if case .none = self { true } else { false } }
}

/// A dictionary of any type.
private protocol UnorderedMembers {}

extension Dictionary: UnorderedMembers {}

/// One value that is being encoded. Containers are nodes too, for the standard library asks for them again.
final class ParameterNode: Encoder, SingleValueEncodingContainer {
  private enum Content {
    case nothing
    case value(ParameterValue)
    case array([ParameterNode])
    case object([(name: String, node: ParameterNode)])
  }

  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }
  private var content = Content.nothing
  private let keys: RawData.DecodingOptions.Keys
  /// Whether its members are those of a dictionary.
  private let keysAreData: Bool
  /// The members that are nested containers, by their keys.
  private var nested: [ExactText: ParameterNode] = [:]

  init(path: [any CodingKey], _ keys: RawData.DecodingOptions.Keys, keysAreData: Bool = false) {
    (codingPath, self.keys, self.keysAreData) = (path, keys, keysAreData)
  }

  func value() throws(Unencodable) -> ParameterValue {
    switch content {
    case .nothing: return .null
    case .value(let value): return value
    case .array(let nodes):
      var values: [ParameterValue] = []
      for node in nodes { values.append(try node.value()) }
      return .array(values)
    case .object(let members):
      var pairs: [(String, ParameterValue)] = []
      pairs.reserveCapacity(members.count)
      for (name, node) in members { pairs.append((name, try node.value())) }
      return .object(Parameters(pairs))
    }
  }

  func set(_ value: any Encodable) throws {
    do {
      content = .value(try ParameterEncoder.encodeValue(value, keys))
    } catch {
      throw codingPath.reversed().reduce(error) { error, key in
        key.intValue.map { error.at($0) } ?? error.under(key.stringValue)
      }
    }
  }

  func encodeNil() { content = .value(.null) }
  func encode<T: Encodable>(_ value: T) throws { try set(value) }

  var count: Int { if case .array(let nodes) = content { nodes.count } else { 0 } }

  func append() -> ParameterNode {
    let node = ParameterNode(path: codingPath + [RawCodingKey(intValue: count)], keys)
    guard case .array(var nodes) = content else { return node }
    // Otherwise it would be copied for each element.
    content = .nothing
    nodes.append(node)
    content = .array(nodes)
    return node
  }

  func member(_ key: any CodingKey) -> ParameterNode {
    let node = ParameterNode(path: codingPath + [key], keys)
    guard case .object(var members) = content else { return node }
    let isConverted = keys == .snakeCase && !keysAreData
    content = .nothing
    members.append((isConverted ? RawKeyCase.snakeCase(key.stringValue) : key.stringValue, node))
    content = .object(members)
    return node
  }

  /// A member that is a nested container. One that was asked for before is continued, as Foundation's encoders do: a class
  /// and its superclass may write to the same one.
  func container(at key: any CodingKey) -> ParameterNode {
    let name = ExactText(key.stringValue)
    if let node = nested[name] { return node }
    let node = member(key)
    nested[name] = node
    return node
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    if case .object = content {} else { content = .object([]) }
    return KeyedEncodingContainer(Keyed(node: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    if case .array = content {} else { content = .array([]) }
    return Unkeyed(node: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: ParameterNode
    var codingPath: [any CodingKey] { node.codingPath }

    func encodeNil(forKey key: Key) { node.member(key).encodeNil() }
    func encode<T: Encodable>(_ value: T, forKey key: Key) throws { try node.member(key).set(value) }
    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> { node.container(at: key).container(keyedBy: type) }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
      node.container(at: key).unkeyedContainer()
    }
    func superEncoder() -> any Encoder { node.member(RawCodingKey(stringValue: "super")) }
    func superEncoder(forKey key: Key) -> any Encoder { node.member(key) }
  }

  struct Unkeyed: UnkeyedEncodingContainer {
    let node: ParameterNode
    var codingPath: [any CodingKey] { node.codingPath }
    var count: Int { node.count }

    func encodeNil() { node.append().encodeNil() }
    func encode<T: Encodable>(_ value: T) throws { try node.append().set(value) }
    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type
    ) -> KeyedEncodingContainer<Nested> { node.append().container(keyedBy: type) }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { node.append().unkeyedContainer() }
    func superEncoder() -> any Encoder { node.append() }
  }
}

extension ParameterValue {
  /// Writes the value to an encoder of any format, which decides how dates and bytes look.
  func write(to encoder: any Encoder) throws {
    switch self {
    case .string(let value): try value.encode(to: encoder)
    case .integer(let value): try value.encode(to: encoder)
    case .double(let value): try value.encode(to: encoder)
    case .number(let text): try Self.write(number: text, to: encoder)
    case .bool(let value): try value.encode(to: encoder)
    case .date(let value):
      var container = encoder.singleValueContainer()
      try container.encode(value)
    case .data(let value):
      var container = encoder.singleValueContainer()
      try container.encode(Data(value))
    case .null:
      var container = encoder.singleValueContainer()
      try container.encodeNil()
    case .array(let values): try values.encode(to: encoder)
    case .object(let parameters):
      var container = encoder.container(keyedBy: RawCodingKey.self)
      for (name, value) in parameters { try container.encode(value, forKey: RawCodingKey(stringValue: name)) }
    }
  }
}
