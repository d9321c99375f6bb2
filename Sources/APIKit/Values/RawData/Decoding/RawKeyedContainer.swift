/// Decodes the members of an object by coding keys.
///
/// The standard library's container copies the key and this value for each member, and calls through tables of witnesses: that
/// takes more than half of a member's time, and is why this holds one reference only. ``RawDecodable`` has none of it.
struct RawKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let session: RawDecoder.Session
  /// The tape index of the object.
  private let object: Int
  /// How the keys are matched with the object's names.
  private let keys: RawData.DecodingOptions.Keys
  /// Where the session remembers what was asked of the object before; it lives as long as the session.
  private let order: UnsafeMutablePointer<RawMemberOrder>?

  @inline(__always)
  init(session: RawDecoder.Session, object: Int, keysAreData: Bool) {
    self.session = session
    self.object = object
    keys = keysAreData ? .asWritten : session.options.keys
    order = keysAreData ? nil : session.order(of: ObjectIdentifier(Key.self), for: object)
  }

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

  func contains(_ key: Key) -> Bool { find(key) >= 0 }

  func decodeNil(forKey key: Key) throws -> Bool { try session.raw(member(key)).isNull }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try session.value(type, at: member(key))
  }

  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    try present(key).map { try session.value(type, at: $0) }
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try session.decoder(at: member(key)).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try session.decoder(at: member(key)).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { session.decoder(at: raw["super"].code) }

  func superDecoder(forKey key: Key) throws -> any Decoder {
    let index = find(key)
    return session.decoder(at: index >= 0 ? index : raw[key.stringValue].code)
  }

  // MARK: Looking up

  /// The tape index of the value of a member; -1 when there is none.
  @inline(__always)
  private func find(_ key: Key) -> Int {
    let name = key.stringValue
    if let order, let index = order.pointee.value(of: name, in: object) { return index }
    return session.search(name, in: object, keys, order)
  }

  @inline(__always)
  private func member(_ key: Key) throws -> Int {
    let index = find(key)
    guard index >= 0 else { throw notFound(key) }
    return index
  }

  /// The member, unless it is missing or null.
  @inline(__always)
  private func present(_ key: Key) -> Int? {
    let index = find(key)
    return index >= 0 && session.document.node(index).tag != .null ? index : nil
  }

  @inline(__always)
  func leaf<Leaf: RawLeaf>(_ type: Leaf.Type, _ key: Key) throws -> Leaf {
    try session.leaf(type, at: member(key))
  }

  @inline(__always)
  func optional<Leaf: RawLeaf>(_ type: Leaf.Type, _ key: Key) throws -> Leaf? {
    try present(key).map { try session.leaf(type, at: $0) }
  }

  @inline(never)
  private func notFound(_ key: Key) -> DecodingError {
    let (name, snake) = (key.stringValue, RawKeyCase.snakeCase(key.stringValue))
    let next =
      keys == .asWritten && snake != name && raw[snake].exists
      ? "the object has \(snake): decode with `keys: .snakeCase`"
      : "a member that the server may omit is declared Optional"
    return .keyNotFound(
      key,
      DecodingError.Context(
        codingPath: codingPath, debugDescription: "the member \(name) is missing; \(next)"))
  }
}

// One method per leaf type: each is a requirement of the protocol, and a single generic witness made
// decoding a list a third slower.
extension RawKeyedContainer {
  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try leaf(type, key) }
  func decode(_ type: String.Type, forKey key: Key) throws -> String { try leaf(type, key) }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try leaf(type, key) }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try leaf(type, key) }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try leaf(type, key) }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try leaf(type, key) }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try leaf(type, key) }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try leaf(type, key) }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try leaf(type, key) }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try leaf(type, key) }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try leaf(type, key) }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try leaf(type, key) }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try leaf(type, key) }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try leaf(type, key) }

  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try optional(type, key) }
  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try optional(type, key) }
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try optional(type, key) }
  func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { try optional(type, key) }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try optional(type, key) }
  func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try optional(type, key) }
  func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try optional(type, key) }
  func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try optional(type, key) }
  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try optional(type, key) }
  func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try optional(type, key) }
  func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try optional(type, key) }
  func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try optional(type, key) }
  func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try optional(type, key) }
  func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try optional(type, key) }
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
