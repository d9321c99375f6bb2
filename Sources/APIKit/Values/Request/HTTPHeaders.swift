/// Header fields in order; names are compared without regard to case.
///
/// A value type over a small array: messages have few fields, and scanning them is faster than hashing.
/// Names keep their spelling. What RFC 9110 forbids (CR, LF, NUL, a name that is not a token) is refused
/// with ``APIError/Reason/invalidHeader`` when the request is assembled; see ``validate()``.
/// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc9110#section-5>
public struct HTTPHeaders: Sendable, Hashable {
  /// One field line.
  public struct Field: Sendable, Hashable {
    /// The name, spelled as given.
    public var name: String
    /// The value, without surrounding white space.
    public var value: String

    /// Makes a field line.
    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }

    /// Compares the bytes: to a server, texts of other bytes are other values, also where Swift takes them for one.
    public static func == (left: Self, right: Self) -> Bool {
      left.name.equalsExactly(right.name) && left.value.equalsExactly(right.value)
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(ExactText(name))
      hasher.combine(ExactText(value))
    }
  }

  /// All field lines in order, repeated names included.
  public var fields: [Field]

  /// No fields.
  public init() { fields = [] }

  /// Fields in the order given.
  public init(_ fields: [Field]) { self.fields = fields }

  /// The first value of a name. Setting it replaces all lines of that name; nil removes them.
  public subscript(name: String) -> String? {
    get { fields.first { HTTPHeaders.equal($0.name, name) }?.value }
    set {
      guard let newValue else { return remove(name) }
      guard let index = fields.firstIndex(where: { HTTPHeaders.equal($0.name, name) }) else {
        return add(name, newValue)
      }
      fields[index].value = newValue
      guard fields[(index + 1)...].contains(where: { HTTPHeaders.equal($0.name, name) }) else { return }
      // All at once: a server may send thousands.
      fields[(index + 1)...].removeAll { HTTPHeaders.equal($0.name, name) }
    }
  }

  /// All values of a name in order, one per line.
  public func values(_ name: String) -> [String] {
    fields.compactMap { HTTPHeaders.equal($0.name, name) ? $0.value : nil }
  }

  /// All values of a name as one list, joined by comma and space (RFC 9110, 5.3); nil when there is none.
  ///
  /// Not for `Set-Cookie`, whose values contain commas.
  public func combined(_ name: String) -> String? {
    let all = values(name)
    return all.isEmpty ? nil : all.joined(separator: ", ")
  }

  /// The date in a field, in seconds since 1970; nil without the field, and for what ``HTTPDate`` does not read.
  package func date(_ name: String, now: Double = WallClock.now) -> Double? {
    self[name].flatMap { HTTPDate.secondsSince1970($0, now: now) }
  }

  /// Whether there is a line of that name.
  public func contains(_ name: String) -> Bool { fields.contains { HTTPHeaders.equal($0.name, name) } }

  /// Adds a line and keeps others of the same name.
  public mutating func add(_ name: String, _ value: String) { fields.append(Field(name, value)) }

  /// Removes every line of that name.
  public mutating func remove(_ name: String) { fields.removeAll { HTTPHeaders.equal($0.name, name) } }

  /// The names of the fields that the other headers do not have with this value.
  func added(to other: HTTPHeaders) -> [String] {
    fields.filter { !other.fields.contains($0) }.map(\.name)
  }

  /// Adds the fields of `other`, which replace all fields of the same names.
  public mutating func merge(_ other: HTTPHeaders) {
    guard !isEmpty else { return self = other }
    let names = FieldNames(other.fields.map(\.name))
    fields.removeAll { names.contains($0.name) }
    fields += other.fields
  }

  /// The number of lines.
  public var count: Int { fields.count }

  /// Whether there are no lines.
  public var isEmpty: Bool { fields.isEmpty }

  /// Throws ``APIError/Reason/invalidHeader`` for the first line that is not valid.
  ///
  /// The error's detail contains the name and the position, but not the value.
  public func validate() throws(APIError) {
    for field in fields {
      guard HTTPToken.isToken(field.name) else {
        throw APIError(.assembly, .invalidHeader, "\(field.name.debugDescription) is not a header name")
      }
      if let control = Self.firstControl(field.value) {
        throw APIError(
          .assembly, .invalidHeader,
          "the value of \(field.name) has the control character \(control.byte) at byte \(control.offset)")
      }
    }
  }

  /// Whether a text may be the value of a field.
  package static func mayBeValue(_ text: String) -> Bool { firstControl(text) == nil }

  /// The first byte that no value may have: visible characters, space, tab and bytes beyond ASCII, and no other control (RFC
  /// 9110, 5.5). Every request is checked, and an index of the string for each byte would cost four times as much.
  private static func firstControl(_ value: String) -> (offset: Int, byte: UInt8)? {
    var value = value
    return value.withUTF8 { bytes in
      bytes.firstIndex { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }.map { ($0, bytes[$0]) }
    }
  }

  /// Throws ``APIError/Reason/invalidHeader`` for a field that says where the body of a request ends.
  func refuseFraming() throws(APIError) {
    // Compared by length first: every request is checked.
    for field in fields where field.name.utf8.count == 14 || field.name.utf8.count == 17 {
      guard !Self.equal(field.name, "Content-Length"), !Self.equal(field.name, "Transfer-Encoding") else {
        throw APIError(
          .assembly, .invalidHeader, "\(field.name) is written by the transport, from the body; leave it out")
      }
    }
  }

  /// A field value as it was received, without what separates lines elsewhere: RFC 9110, 5.5 has CR, LF and NUL
  /// replaced by spaces. So an `ETag` with a bare CR can come back in `If-None-Match`.
  package static func received(_ value: String) -> String {
    func separates(_ byte: UInt8) -> Bool { byte == 0x0D || byte == 0x0A || byte == 0 }
    guard value.utf8.contains(where: separates) else { return value }
    return String(decoding: value.utf8.map { separates($0) ? 0x20 : $0 }, as: UTF8.self).trimmingSpaces()
  }

  /// Compares ASCII text without regard to case, and without creating strings.
  package static func equal(_ left: String, _ right: String) -> Bool {
    // Most names that differ do so in length.
    guard left.utf8.count == right.utf8.count else { return false }
    var (left, right) = (left, right)
    return left.withUTF8 { left in
      right.withUTF8 { right in
        for index in left.indices where left[index] != right[index] {
          let letter = left[index] | 0x20
          guard left[index] ^ right[index] == 0x20, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(letter)
          else { return false }
        }
        return true
      }
    }
  }
}

/// Names of fields to be looked up. Many are found by a set, for a server may send thousands; for few that would not pay.
struct FieldNames {
  private struct Key: Hashable {
    let name: String

    static func == (left: Self, right: Self) -> Bool { HTTPHeaders.equal(left.name, right.name) }

    func hash(into hasher: inout Hasher) {
      for byte in name.utf8 { hasher.combine((0x41...0x5A).contains(byte) ? byte | 0x20 : byte) }
    }
  }

  /// How many names are compared one by one.
  private static let mostScanned = 32

  private let names: [String]
  private let keys: Set<Key>?

  init(_ names: [String]) {
    self.names = names
    keys = names.count > Self.mostScanned ? Set(names.map(Key.init)) : nil
  }

  func contains(_ name: String) -> Bool {
    keys?.contains(Key(name: name)) ?? names.contains { HTTPHeaders.equal($0, name) }
  }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
  /// Fields in the order written; a repeated name makes several lines.
  public init(dictionaryLiteral elements: (String, String)...) {
    fields = elements.map { Field($0.0, $0.1) }
  }
}

extension HTTPHeaders: Sequence {
  /// Iterates over the lines in order.
  public func makeIterator() -> IndexingIterator<[Field]> { fields.makeIterator() }
}

extension HTTPHeaders: Redacted {
  /// The lines as they are sent, with secrets masked; see ``SecretNames``.
  public var description: String { fields.map(\.description).joined(separator: "\n") }
  /// The lines as they are printed, so that `dump` shows no secret either.
  public var customMirror: Mirror { Mirror(self, unlabeledChildren: fields.map(\.description)) }
}

extension HTTPHeaders.Field: Redacted {
  /// Name and value, a secret masked; see ``SecretNames``.
  public var description: String { "\(name): \(SecretMask().header(self))" }
}

extension ByteWriter {
  package mutating func append(_ headers: HTTPHeaders) {
    append(UInt64(headers.count))
    for field in headers.fields {
      append(field.name)
      append(field.value)
    }
  }
}

extension ByteReader {
  package mutating func headers() -> HTTPHeaders? {
    list { reader in
      guard let name = reader.text(), let value = reader.text() else { return nil }
      return HTTPHeaders.Field(name, value)
    }.map { HTTPHeaders($0) }
  }
}
