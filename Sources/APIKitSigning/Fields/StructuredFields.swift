import APIKit

/// Structured field values (RFC 9651): the common syntax of newer header fields.
///
/// A field is a list, a dictionary or an item. Each item may have parameters. Reading is strict: what the grammar does
/// not allow makes the whole field unreadable.
/// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc9651>
enum StructuredFields {
  /// A bare item: the value of an item or a parameter.
  enum Value: Sendable, Hashable {
    /// At most 15 digits.
    case integer(Int)
    /// In thousandths: at most 12 digits before the point and 3 behind.
    case decimal(thousandths: Int)
    /// Printable ASCII in quotes.
    case string(String)
    case token(String)
    case bytes([UInt8])
    case bool(Bool)
    /// Seconds since 1970.
    case date(Int)
    /// Any text, percent-encoded in the field.
    case display(String)
  }

  /// A parameter of an item or of an inner list.
  struct Parameter: Sendable, Hashable {
    let key: String
    var value: Value

    init(_ key: String, _ value: Value) {
      self.key = key
      self.value = value
    }
  }

  /// A value with parameters in order, each key once.
  struct FieldItem: Sendable, Hashable {
    var value: Value
    var parameters: [Parameter] = []
  }

  /// A member of a list or a dictionary.
  enum Member: Sendable, Hashable {
    case item(FieldItem)
    case innerList([FieldItem], [Parameter])
  }

  /// A member of a dictionary with its key.
  struct DictionaryMember: Sendable, Hashable {
    let key: String
    var member: Member
  }

  /// What a field is at its top.
  enum FieldKind: Sendable, Hashable {
    case item, list, dictionary
  }

  /// A list; nil when the text is not one. Several field lines are one text, joined by commas.
  static func list(_ text: String) -> [Member]? {
    var reader = StructuredFieldReader(text)
    return reader.list()
  }

  /// A dictionary in the order of its keys; of several members with one key the last counts, at the place of the first.
  static func dictionary(_ text: String) -> [DictionaryMember]? {
    var reader = StructuredFieldReader(text)
    return reader.dictionary()
  }

  /// A dictionary in which no key stands twice, nor among the parameters of a member; nil otherwise.
  static func strictDictionary(_ text: String) -> [DictionaryMember]? {
    var reader = StructuredFieldReader(text, allowsRepeatedKeys: false)
    return reader.dictionary()
  }

  /// A single item.
  static func item(_ text: String) -> FieldItem? {
    var reader = StructuredFieldReader(text)
    return reader.singleItem()
  }

  /// The one canonical text of a field (RFC 9651, 4.1); nil when it is not of the kind, or is empty.
  static func canonical(_ text: String, as kind: FieldKind) -> String? {
    switch kind {
    case .item: item(text).flatMap(StructuredFieldWriter.text)
    case .list: list(text).flatMap(StructuredFieldWriter.text)
    case .dictionary: dictionary(text).flatMap(StructuredFieldWriter.text)
    }
  }
}

extension [StructuredFields.Parameter] {
  /// The value of a parameter; nil when there is none.
  subscript(key: String) -> StructuredFields.Value? { first { $0.key == key }?.value }
}

extension [StructuredFields.DictionaryMember] {
  /// The member with a key; nil when there is none.
  subscript(key: String) -> StructuredFields.Member? { first { $0.key == key }?.member }
}
