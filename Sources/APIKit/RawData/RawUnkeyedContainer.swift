/// The elements of an array in order.
struct RawUnkeyedContainer: UnkeyedDecodingContainer {
  private let session: RawDecoder.Session
  private let array: Int
  private var index: Int
  private let end: Int
  private(set) var currentIndex = 0

  init(session: RawDecoder.Session, array: Int) {
    self.session = session
    self.array = array
    index = array + 2
    end = session.document.end(of: array)
  }

  var codingPath: [any CodingKey] { session.codingPath(to: array) }
  var count: Int? { session.document.count(of: array) }
  var isAtEnd: Bool { index >= end }

  mutating func decodeNil() throws -> Bool {
    guard try current(Any?.self).raw.isNull else { return false }
    advance()
    return true
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let value = try current(type).value(type)
    advance()
    return value
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    let container = try current([String: Any].self).container(keyedBy: type)
    advance()
    return container
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let container = try current([Any].self).unkeyedContainer()
    advance()
    return container
  }

  mutating func superDecoder() throws -> any Decoder {
    let decoder = try current(Any.self)
    advance()
    return decoder
  }

  // MARK: Going on

  /// The element that is due; it stays due when decoding it fails.
  @inline(__always)
  private func current(_ type: Any.Type) throws -> RawDecoder {
    guard index < end else { throw exhausted(type) }
    return RawDecoder(session: session, code: index)
  }

  @inline(__always)
  private mutating func advance() {
    index = session.document.next(after: index)
    currentIndex += 1
  }

  @inline(never)
  private func exhausted(_ type: Any.Type) -> DecodingError {
    .valueNotFound(
      type,
      DecodingError.Context(
        codingPath: codingPath + [RawCodingKey(intValue: currentIndex)],
        debugDescription: "expected an element, found the end of an array of \(currentIndex)"))
  }

  @inline(__always)
  private mutating func leaf<Leaf: RawLeaf>(_ type: Leaf.Type) throws -> Leaf {
    let leaf = try current(type).leaf(type)
    advance()
    return leaf
  }
}

extension RawUnkeyedContainer {
  mutating func decode(_ type: Bool.Type) throws -> Bool { try leaf(type) }
  mutating func decode(_ type: String.Type) throws -> String { try leaf(type) }
  mutating func decode(_ type: Double.Type) throws -> Double { try leaf(type) }
  mutating func decode(_ type: Float.Type) throws -> Float { try leaf(type) }
  mutating func decode(_ type: Int.Type) throws -> Int { try leaf(type) }
  mutating func decode(_ type: Int8.Type) throws -> Int8 { try leaf(type) }
  mutating func decode(_ type: Int16.Type) throws -> Int16 { try leaf(type) }
  mutating func decode(_ type: Int32.Type) throws -> Int32 { try leaf(type) }
  mutating func decode(_ type: Int64.Type) throws -> Int64 { try leaf(type) }
  mutating func decode(_ type: UInt.Type) throws -> UInt { try leaf(type) }
  mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try leaf(type) }
  mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try leaf(type) }
  mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try leaf(type) }
  mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try leaf(type) }
}
