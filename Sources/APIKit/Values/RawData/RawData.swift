/// A response's data, parsed once and read in place.
///
/// A `RawData` is a cursor into a parsed document: two words, cheap to copy, immutable, usable on any
/// thread. Parsing writes an index (the tape) of the response's bytes; text, numbers and dates are only
/// created when a leaf is read.
///
/// ```swift
/// for row in raw.items.elements {
///   let name = row.name.string ?? ""
///   let price = try row.price.require(Double.self)
/// }
/// ```
/// Members are read by subscript or by dynamic member look-up. If a member's name is also a property of
/// this type (`data`, `count`, `date`, `url`, `kind`), dynamic look-up finds the property, and the
/// subscript reads the member: `raw["data"].items`. A value that does not exist is also a cursor, of kind
/// ``Kind-swift.enum/missing``: its members and elements are missing, its leaves are nil, and
/// ``require(_:)-(Leaf.Type)`` throws an error that names the whole path.
///
/// JSON is parsed strictly by RFC 8259. Cases that the RFC leaves open are handled as follows: a byte-order mark
/// at the start is skipped; invalid UTF-8 is refused; an escaped NUL is ordinary text; an unpaired
/// surrogate is accepted and read as U+FFFD; of several members with one name the last is used, and
/// ``all(forKey:)`` returns all; names are compared byte by byte.
@dynamicMemberLookup
public struct RawData: Sendable {
  @usableFromInline let document: RawDocument
  /// The tape index of the value; negative for a missing one, see `RawData(missing:after:)`.
  @usableFromInline let code: Int

  @inlinable @inline(__always)
  init(_ document: RawDocument, _ index: Int) {
    self.document = document
    code = index
  }

  /// Parses a JSON document.
  ///
  /// - Parameters:
  ///   - bytes: The document in UTF-8. It is kept, not copied.
  ///   - limits: The depth and size beyond which to throw. The default is depth 512 and 512 MiB.
  /// - Throws: An error with the stage `response`: ``APIError/Reason/malformedBody``, whose detail names
  ///   line, column and byte offset, or ``APIError/Reason/bodyLimitExceeded``.
  /// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc8259>
  public init(parsing bytes: [UInt8], limits: Limits = .default) throws(APIError) {
    self.init(try RawParser.parse(bytes, limits), 0)
  }

  /// Parses a JSON document in a String; for tests and stubs.
  ///
  /// - Throws: The same as ``init(parsing:limits:)-([UInt8],_)``.
  public init(parsing text: String, limits: Limits = .default) throws(APIError) {
    try self.init(parsing: Array(text.utf8), limits: limits)
  }

  /// A document that was XML, from the JSON that stands for it: an element that occurs once is read as an array of one.
  package init(xml json: [UInt8]) throws(APIError) {
    // Arrays of elements are levels that the document does not have.
    let limits = Limits(maximumDepth: Limits.hardMaximumDepth, maximumBytes: Limits.hardMaximumBytes)
    self.init(try RawParser.parse(json, limits, isXML: true), 0)
  }
}

// MARK: Kind and size

extension RawData {
  /// The kind of a value.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// Named members.
    case object
    /// Elements in order.
    case array
    /// Text.
    case string
    /// A number of any size and precision.
    case number
    /// True or false.
    case bool
    /// The value `null`.
    case null
    /// No value: there is no such member or element.
    case missing
  }

  /// The kind of the value.
  public var kind: Kind {
    guard exists else { return .missing }
    switch node.tag {
    case .object: return .object
    case .array: return .array
    case .string, .escapedString: return .string
    case .integer, .number: return .number
    case .true, .false: return .bool
    case .null: return .null
    }
  }

  /// Whether the value exists. A `null` does.
  public var exists: Bool { code >= 0 }

  /// Whether the value is `null`. A missing value is not.
  public var isNull: Bool { exists && node.tag == .null }

  /// The number of elements of an array or members of an object; 0 for everything else.
  ///
  /// Members with the same name are counted separately.
  public var count: Int { exists && node.isContainer ? document.count(of: code) : 0 }

  /// The cursor at the top of the document.
  public var root: RawData { RawData(document, 0) }

  /// The bytes of the whole document.
  ///
  /// These are the bytes given to the parser. For a document in another format than JSON, or one made from
  /// plain values, they are the equivalent JSON text.
  public var bytes: [UInt8] { document.bytes }

  /// The length of the whole document in bytes.
  public var byteCount: Int { document.bytes.count }

  /// The size of the tape in bytes, which is memory used in addition to the document's own bytes.
  public var overheadBytes: Int { document.memory }

  /// The node of the value; only for values that exist.
  @inline(__always)
  var node: RawNode { document.node(code) }

  /// The node of the value; nil for a missing value.
  @inline(__always)
  var existing: RawNode? { code >= 0 ? document.node(code) : nil }
}

// MARK: Missing values

extension RawData {
  /// A missing value: the raw data of a response without a body.
  public static let missing = RawData.null.root["body"]

  /// A cursor to a missing value. Its code consists of the sign bit, 31 bits for the entry of `RawMisses`,
  /// and 32 bits for the tape index of the last existing value on the path.
  @inline(never)
  init(missing step: RawPath.Step, after cursor: RawData) {
    let (index, parent) = cursor.origin
    let number = cursor.document.number(of: step, after: parent)
    document = cursor.document
    code = Int.min | Int(number) << 32 | index
  }

  /// The last existing value on the path, and the entry of the steps after it (0 for none).
  var origin: (index: Int, miss: UInt32) {
    guard code < 0 else { return (code, 0) }
    return (code & 0xFFFF_FFFF, UInt32((code >> 32) & 0x7FFF_FFFF))
  }
}
