/// A response's data, parsed once and read in place.
///
/// A `RawData` is a cursor into a parsed document: two words, cheap to copy, immutable, usable from any
/// thread. Parsing leaves a tape over the response's own bytes; text, numbers and dates are made when a leaf
/// is read, and no sooner.
///
/// ```swift
/// for row in raw.items.elements {
///   let name = row.name.string ?? ""
///   let price = try row.price.require(Double.self)
/// }
/// ```
/// Members are read by subscript or by dynamic member look-up; where a member's name is also a property of
/// this type (`data`, `count`, `date`, `url`, `kind`), the property wins and the subscript reads the member:
/// `raw["data"].items`. A value that
/// is not there is a cursor too, of kind ``Kind-swift.enum/missing``: reading on from it gives missing
/// values, leaves read from it are nil, and ``require(_:)-(Leaf.Type)`` throws an error that names the
/// whole path.
///
/// JSON is read strictly as RFC 8259. Outcomes the RFC leaves open: a byte-order mark at the start is
/// skipped; invalid UTF-8 is refused; a NUL by escape is text like any other; a surrogate without its
/// partner is accepted and reads as U+FFFD; of members of one name the last wins, and ``all(forKey:)``
/// gives them all; names are compared byte for byte.
@dynamicMemberLookup
public struct RawData: Sendable {
  @usableFromInline let document: RawDocument
  /// The tape index of the value; negative for a missing one, see `RawData(missing:after:in:)`.
  @usableFromInline let code: Int

  @inlinable @inline(__always)
  init(_ document: RawDocument, _ index: Int) {
    self.document = document
    code = index
  }

  /// Parses a JSON document.
  ///
  /// - Parameters:
  ///   - bytes: The document in UTF-8. They are kept, not copied.
  ///   - limits: What to give up at. The default is depth 512 and 512 MiB.
  /// - Throws: An error of place `response`: ``APIError/Reason/malformedBody``, whose detail names line,
  ///   column and byte offset, or ``APIError/Reason/bodyLimitExceeded``.
  /// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc8259>
  public init(parsing bytes: [UInt8], limits: Limits = .default) throws(APIError) {
    self.init(try RawParser.parse(bytes, limits), 0)
  }

  /// Parses a JSON document held in a String; for tests and stubs.
  ///
  /// - Throws: As ``init(parsing:limits:)-([UInt8],_)``.
  public init(parsing text: String, limits: Limits = .default) throws(APIError) {
    try self.init(parsing: Array(text.utf8), limits: limits)
  }
}

// MARK: What stands there

extension RawData {
  /// What a value is.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// Members with names.
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
    /// Nothing: no such member or element.
    case missing
  }

  /// What the value is.
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

  /// Whether there is a value, `null` included.
  public var exists: Bool { code >= 0 }

  /// Whether the value is `null`. A missing value is not.
  public var isNull: Bool { exists && node.tag == .null }

  /// The number of elements of an array or members of an object; 0 for everything else.
  ///
  /// Members of one name count as often as they stand there.
  public var count: Int { exists && node.isContainer ? document.count(of: code) : 0 }

  /// The cursor at the top of the document.
  public var root: RawData { RawData(document, 0) }

  /// The bytes of the whole document.
  ///
  /// Those given to the parser. For documents of another format than JSON, and for those made from plain
  /// values, the JSON text that stands for them.
  public var bytes: [UInt8] { document.bytes }

  /// The length of the whole document in bytes.
  public var byteCount: Int { document.bytes.count }

  /// What the document takes beside its bytes, in bytes.
  public var overheadBytes: Int { document.memory }

  /// The node under the cursor; only for values that exist.
  @inline(__always)
  var node: RawNode { document.node(code) }

  /// The node if there is a value.
  @inline(__always)
  var existing: RawNode? { code >= 0 ? document.node(code) : nil }
}

// MARK: Missing values

extension RawData {
  /// A cursor to a value that is not there: the sign bit, 31 bits for the entry of `RawMisses` and 32 bits
  /// for the tape index of the last value on the way that was.
  @inline(never)
  init(missing step: RawPath.Step, after cursor: RawData) {
    let (index, parent) = cursor.origin
    let number = cursor.document.number(of: step, after: parent)
    document = cursor.document
    code = Int.min | Int(number) << 32 | index
  }

  /// The last value on the way that is there, and the entry of the steps beyond it (0 for none).
  var origin: (index: Int, miss: UInt32) {
    guard code < 0 else { return (code, 0) }
    return (code & 0xFFFF_FFFF, UInt32((code >> 32) & 0x7FFF_FFFF))
  }
}
