/// Decodes the elements of an array in order.
struct RawUnkeyedContainer: UnkeyedDecodingContainer {
  private let session: RawDecoder.Session
  private let array: Int
  private var index: Int
  private let end: Int
  private(set) var currentIndex = 0

  init(session: RawDecoder.Session, array: Int, elements: Range<Int>) {
    self.session = session
    self.array = array
    (index, end) = (elements.lowerBound, elements.upperBound)
  }

  var codingPath: [any CodingKey] { session.codingPath(to: array) }
  var count: Int? { session.document.node(array).tag == .array ? session.document.count(of: array) : 1 }
  var isAtEnd: Bool { index >= end }

  mutating func decodeNil() throws -> Bool {
    guard try session.raw(current(Any?.self)).isNull else { return false }
    advance()
    return true
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try next(type) { try $0.value(type, at: $1) }
  }

  /// The witness for all leaf types that the protocol names.
  mutating func decode<Leaf: RawLeaf & Decodable>(_ type: Leaf.Type) throws -> Leaf {
    try next(type) { try $0.leaf(type, at: $1) }
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    try next([String: Any].self) { try $0.decoder(at: $1).container(keyedBy: type) }
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try next([Any].self) { try $0.decoder(at: $1).unkeyedContainer() }
  }

  mutating func superDecoder() throws -> any Decoder { try next(Any.self) { $0.decoder(at: $1) } }

  // MARK: Reading the next element

  /// Reads the next element. If that fails, the element remains the next one.
  @inline(__always)
  mutating func next<Value>(
    _ type: Any.Type, _ read: (RawDecoder.Session, Int) throws -> Value
  ) throws -> Value {
    let value = try read(session, current(type))
    advance()
    return value
  }

  @inline(__always)
  private func current(_ type: Any.Type) throws -> Int {
    guard index < end else { throw exhausted(type) }
    return index
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
}
