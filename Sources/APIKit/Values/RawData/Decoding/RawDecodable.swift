/// A type that reads itself from raw data: faster than `Decodable`, and with the look-ups of ``RawData``.
///
/// ```swift
/// struct Home: RawDecodable {
///   var id: Int
///   var name: String
///   var note: String?
///
///   init(_ raw: borrowing RawData) throws {
///     id = try raw.id.require()
///     name = try raw.name.require()
///     note = try raw.note.optional()
///   }
/// }
/// let homes = try raw.items.decode(as: [Home].self)
/// ```
/// `decode(as:)` of ``RawData`` and a manager's `value(_:as:)` read it, alone, in an array, as an optional and as
/// the value of a dictionary. If a type adopts `Decodable` too, they prefer this protocol. A `Decodable` type decodes a
/// member of such a type as `Decodable`.
///
/// `borrowing` may be left out; without it each member that is read counts a reference.
public protocol RawDecodable {
  /// Reads a value.
  ///
  /// - Parameter raw: The value's cursor, which may be missing or of any kind.
  /// - Throws: Any error. Those of ``RawData/require(_:)-(Leaf.Type)`` name the path.
  init(_ raw: borrowing RawData) throws
}

extension Array: RawDecodable where Element: RawDecodable {
  /// Reads each element of an array.
  @inlinable
  public init(_ raw: borrowing RawData) throws {
    let elements = try raw.requireElements()
    self.init()
    reserveCapacity(elements.count)
    for element in elements { append(try Element(element)) }
  }
}

extension Optional: RawDecodable where Wrapped: RawDecodable {
  /// Reads a value; nil when it is missing or null.
  @inlinable
  public init(_ raw: borrowing RawData) throws {
    self = raw.exists && !raw.isNull ? try Wrapped(raw) : nil
  }
}

extension Dictionary: RawDecodable where Key == String, Value: RawDecodable {
  /// Reads the value of each member; of several members of one name the last.
  @inlinable
  public init(_ raw: borrowing RawData) throws {
    let object = try raw.require(.object)
    self.init(minimumCapacity: object.count)
    for (key, value) in object.members { self[key] = try Value(value) }
  }
}

extension RawData {
  /// Reads a ``RawDecodable`` type directly from the document.
  ///
  /// Where the document is nested deeper than 16 levels and the thread's stack is too small for it, this runs on another
  /// thread while the present one waits.
  /// - Throws: An error with the stage `reform` and the reason ``APIError/Reason/unexpectedValue``; ``APIError/underlying`` is
  ///   what the type's own initializer threw. An ``APIError`` that it threw is passed on.
  @inlinable
  public func decode<Value: RawDecodable>(as type: Value.Type = Value.self) throws(APIError) -> Value {
    try decoded { try type.init(self) }
  }

  /// Reads a type that is `Decodable` too.
  @inlinable
  public func decode<Value: RawDecodable & Decodable>(
    as type: Value.Type = Value.self
  ) throws(APIError) -> Value {
    try decoded { try type.init(self) }
  }

  /// The elements of an array. In a document that was XML, an element that stands once is an array of one.
  @usableFromInline
  func requireElements() throws(APIError) -> RawElements {
    guard kind == .array || exists && document.isXML else { throw unexpected("an array") }
    return elements
  }
}
