import Foundation

/// Decodes `Decodable` types from a cursor.
///
/// Two words and one reference, so `any Decoder` holds it without an allocation and a copy takes one
/// reference count. The coding path is not stored: it is computed from the cursor when it is read.
struct RawDecoder: Decoder {
  let session: Session
  /// The cursor's code, see ``RawData``.
  let code: Int
  /// Whether the names of the value are data and not coding keys: it is a dictionary.
  var keysAreData = false

  var raw: RawData { session.raw(code) }

  var codingPath: [any CodingKey] { session.codingPath(to: code) }

  var userInfo: [CodingUserInfoKey: Any] { session.options.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard code >= 0, session.document.node(code).tag == .object else {
      throw session.mismatch([String: Any].self, "an object", at: code)
    }
    return KeyedDecodingContainer(
      RawKeyedContainer<Key>(session: session, object: code, keysAreData: keysAreData))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    RawUnkeyedContainer(session: session, array: code, elements: try session.elements(at: code))
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

extension RawDecoder: SingleValueDecodingContainer {
  // Missing only for `superDecoder()` of an object without the member, where a null is expected.
  func decodeNil() -> Bool { raw.isNull || !raw.exists }
  func decode<Leaf: RawLeaf & Decodable>(_ type: Leaf.Type) throws -> Leaf {
    try session.leaf(type, at: code)
  }
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try session.value(type, at: code) }
}
