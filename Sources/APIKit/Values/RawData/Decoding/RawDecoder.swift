import Foundation

/// Decodes `Decodable` types from a cursor.
///
/// Two words and one reference, so `any Decoder` holds it without an allocation and a copy takes one
/// reference count. The coding path is not stored: it is computed from the cursor when it is read.
struct RawDecoder: Decoder {
  /// The state that all decoders of one `decode(as:)` share.
  final class Session {
    let options: RawData.DecodingOptions
    /// The value where decoding began; all cursors of a session are in its document.
    let root: RawData
    let document: RawDocument
    /// The snake case of the coding keys used so far.
    var snakeCase: [ExactText: String] = [:]

    init(options: RawData.DecodingOptions, root: RawData) {
      self.options = options
      self.root = root
      document = root.document
    }

    func raw(_ code: Int) -> RawData { RawData(document, code) }

    func codingPath(to code: Int) -> [any CodingKey] {
      raw(code).path.steps.dropFirst(root.path.steps.count).map { RawCodingKey(step: $0) }
    }
  }

  let session: Session
  /// The cursor's code, see ``RawData``.
  let code: Int
  /// Whether the names of the value are data and not coding keys: it is a dictionary.
  var keysAreData = false

  var raw: RawData { session.raw(code) }

  var codingPath: [any CodingKey] { session.codingPath(to: code) }

  var userInfo: [CodingUserInfoKey: Any] { session.options.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard raw.existing?.tag == .object else { throw mismatch([String: Any].self, "an object") }
    let keys = keysAreData ? .asWritten : session.options.keys
    return KeyedDecodingContainer(RawKeyedContainer<Key>(session: session, object: code, keys: keys))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard raw.existing?.tag == .array || raw.exists && raw.document.isXML else {
      throw mismatch([Any].self, "an array")
    }
    return RawUnkeyedContainer(session: session, array: code)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { self }
}

/// A name or a position as a coding key.
struct RawCodingKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(step: RawPath.Step) {
    switch step {
    case .key(let key): self.init(stringValue: key)
    case .index(let index): self.init(intValue: index)
    }
  }

  init(stringValue: String) { (self.stringValue, intValue) = (stringValue, nil) }

  init(intValue: Int) { (stringValue, self.intValue) = ("Index \(intValue)", intValue) }
}

// MARK: Values

extension RawDecoder {
  /// A value of any type. Types with a form of their own in JSON, and the leaves and arrays of leaves that
  /// generic code requests, are read directly; other types decode themselves.
  @inline(__always)
  func value<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if Value.self == String.self { return Self.cast(try leaf(String.self), to: Value.self) }
    if Value.self == Int.self { return Self.cast(try leaf(Int.self), to: Value.self) }
    if Value.self == Double.self { return Self.cast(try leaf(Double.self), to: Value.self) }
    if Value.self == Bool.self { return Self.cast(try leaf(Bool.self), to: Value.self) }
    if let special = try foundationValue(type) { return special }
    if let array = try arrayOfLeaves(type) { return array }
    if session.options.keys != .asWritten, Value.self is any RawDictionary.Type {
      return try Value(from: RawDecoder(session: session, code: code, keysAreData: true))
    }
    return try Value(from: self)
  }

  /// Casts a value to its own type: called when both types are known to be the same.
  @inline(__always)
  static func cast<From, To>(_ value: From, to type: To.Type) -> To { unsafeBitCast(value, to: type) }

  @inline(__always)
  func leaf<Leaf: RawLeaf>(_ type: Leaf.Type) throws -> Leaf {
    guard let leaf = Leaf(raw: raw) else { throw mismatch(type, Leaf.expectation) }
    return leaf
  }

  private func foundationValue<Value>(_ type: Value.Type) throws -> Value? {
    if Value.self == Date.self {
      guard let date = raw.date(as: session.options.dates) else { throw mismatch(type, Date.expectation) }
      return Self.cast(date, to: Value.self)
    }
    if Value.self == URL.self { return Self.cast(try leaf(URL.self), to: Value.self) }
    if Value.self == Data.self { return Self.cast(try leaf(Data.self), to: Value.self) }
    if Value.self == Decimal.self { return Self.cast(try leaf(Decimal.self), to: Value.self) }
    if Value.self == RawData.self { return Self.cast(raw, to: Value.self) }
    return nil
  }

  private func arrayOfLeaves<Value>(_ type: Value.Type) throws -> Value? {
    if Value.self == [String].self { return Self.cast(try leaves(String.self), to: Value.self) }
    if Value.self == [Int].self { return Self.cast(try leaves(Int.self), to: Value.self) }
    if Value.self == [Double].self { return Self.cast(try leaves(Double.self), to: Value.self) }
    return nil
  }

  @inline(__always)
  private func leaves<Leaf: RawLeaf>(_ type: Leaf.Type) throws -> [Leaf] {
    guard raw.existing?.tag == .array || raw.exists && raw.document.isXML else {
      throw mismatch([Leaf].self, "an array")
    }
    var leaves: [Leaf] = []
    leaves.reserveCapacity(raw.count)
    for element in raw.elements {
      leaves.append(try RawDecoder(session: session, code: element.code).leaf(type))
    }
    return leaves
  }

  /// The error for a value that is not what a type expects.
  @inline(never)
  func mismatch(_ type: Any.Type, _ expectation: String) -> DecodingError {
    let context = DecodingError.Context(
      codingPath: codingPath, debugDescription: "expected \(expectation), found \(raw.summary)",
      underlyingError: raw.quotation.map { APIError(.reform, .unexpectedValue, quote: $0) })
    switch raw.kind {
    case .null, .missing: return .valueNotFound(type, context)
    case .number where type is any BinaryInteger.Type: return .dataCorrupted(context)
    default: return .typeMismatch(type, context)
    }
  }
}

/// Dictionaries, whose keys are data and not coding keys.
private protocol RawDictionary {}

extension Dictionary: RawDictionary {}

// MARK: Single values

extension RawDecoder: SingleValueDecodingContainer {
  // Missing only for `superDecoder()` of an object without the member, where a null is expected.
  func decodeNil() -> Bool { raw.isNull || !raw.exists }
  func decode<Leaf: RawLeaf & Decodable>(_ type: Leaf.Type) throws -> Leaf { try leaf(type) }
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try value(type) }
}
