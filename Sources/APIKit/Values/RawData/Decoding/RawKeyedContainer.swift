/// Decodes the members of an object by coding keys.
struct RawKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let session: RawDecoder.Session
  /// The tape index of the object.
  let object: Int
  /// How the keys are matched with the object's names.
  let keys: RawData.DecodingOptions.Keys

  var raw: RawData { session.raw(object) }

  var codingPath: [any CodingKey] { session.codingPath(to: object) }

  /// Each name once, in the order of the document.
  var allKeys: [Key] {
    var seen: Set<ExactText> = []
    seen.reserveCapacity(raw.count)
    return raw.members.compactMap { name, _ in
      guard seen.insert(ExactText(name)).inserted else { return nil }
      return Key(stringValue: keys == .snakeCase ? RawKeyCase.camelCase(name) : name)
    }
  }

  func contains(_ key: Key) -> Bool { find(key.stringValue) != nil }

  func decodeNil(forKey key: Key) throws -> Bool { try member(key).raw.isNull }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try member(key).value(type)
  }

  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    try present(key)?.value(type)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try member(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try member(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { RawDecoder(session: session, code: raw["super"].code) }

  func superDecoder(forKey key: Key) throws -> any Decoder {
    RawDecoder(session: session, code: find(key.stringValue) ?? raw[key.stringValue].code)
  }

  // MARK: Looking up

  @inline(__always)
  private func find(_ key: String) -> Int? {
    if let index = session.document.value(of: key, in: object) { return index }
    return keys == .snakeCase ? findSnakeCase(key) : nil
  }

  /// The member with the key in snake case; otherwise one whose name in camel case is the key, such as
  /// `address_1` for `address1`.
  private func findSnakeCase(_ key: String) -> Int? {
    let name: String
    if let known = session.snakeCase[ExactText(key)] {
      name = known
    } else {
      name = RawKeyCase.snakeCase(key)
      session.snakeCase[ExactText(key)] = name
    }
    if let index = session.document.value(of: name, in: object) { return index }
    var found: Int?
    for (name, value) in raw.members where RawKeyCase.camelCase(name).equalsExactly(key) {
      found = value.code
    }
    return found
  }

  @inline(__always)
  func member(_ key: Key) throws -> RawDecoder {
    guard let value = find(key.stringValue) else { throw notFound(key) }
    return RawDecoder(session: session, code: value)
  }

  /// The member, unless it is missing or null.
  @inline(__always)
  func present(_ key: Key) throws -> RawDecoder? {
    guard let value = find(key.stringValue), session.document.node(value).tag != .null else { return nil }
    return RawDecoder(session: session, code: value)
  }

  @inline(never)
  private func notFound(_ key: Key) -> DecodingError {
    .keyNotFound(
      key, DecodingError.Context(codingPath: codingPath, debugDescription: "expected a value, found nothing"))
  }
}

// One method per leaf type: each is a requirement of the protocol, and a single generic witness made
// decoding a list a third slower.
extension RawKeyedContainer {
  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try member(key).leaf(type) }
  func decode(_ type: String.Type, forKey key: Key) throws -> String { try member(key).leaf(type) }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try member(key).leaf(type) }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try member(key).leaf(type) }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try member(key).leaf(type) }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try member(key).leaf(type) }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try member(key).leaf(type) }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try member(key).leaf(type) }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try member(key).leaf(type) }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try member(key).leaf(type) }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try member(key).leaf(type) }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try member(key).leaf(type) }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try member(key).leaf(type) }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try member(key).leaf(type) }

  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try present(key)?.leaf(type) }
  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    try present(key)?.leaf(type)
  }
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    try present(key)?.leaf(type)
  }
  func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { try present(key)?.leaf(type) }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try present(key)?.leaf(type) }
  func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try present(key)?.leaf(type) }
  func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try present(key)?.leaf(type) }
  func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try present(key)?.leaf(type) }
  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try present(key)?.leaf(type) }
  func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try present(key)?.leaf(type) }
  func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try present(key)?.leaf(type) }
  func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
    try present(key)?.leaf(type)
  }
  func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
    try present(key)?.leaf(type)
  }
  func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
    try present(key)?.leaf(type)
  }
}

/// Converts names between `imageURL` and `image_url`.
enum RawKeyCase {
  /// Lower case, with an underscore before each capital that starts a word: `imageURL` and `imageUrl` both
  /// become `image_url`, `URLText` becomes `url_text`.
  static func snakeCase(_ key: String) -> String {
    let characters = Array(key)
    var name = ""
    for (index, character) in characters.enumerated() {
      if character.isUppercase, index > 0, characters[index - 1] != "_" {
        let endsRun = index + 1 < characters.count && characters[index + 1].isLowercase
        if !characters[index - 1].isUppercase || endsRun { name += "_" }
      }
      name += character.lowercased()
    }
    return name
  }

  /// Each letter after an underscore becomes a capital; underscores at either end are kept.
  static func camelCase(_ name: String) -> String {
    guard name.utf8.contains(UInt8(ascii: "_")) else { return name }
    let leading = name.prefix { $0 == "_" }
    let inner = name.dropFirst(leading.count)
    let trailing = inner.reversed().prefix { $0 == "_" }.count
    let words = inner.dropLast(trailing).split(separator: "_")
    guard let first = words.first else { return name }
    let rest = words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }
    return leading + first + rest.joined() + String(repeating: "_", count: trailing)
  }
}
