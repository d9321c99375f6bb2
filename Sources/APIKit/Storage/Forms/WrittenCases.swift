/// An enum with a written form: the name of the case, or an object with the name and what the case holds.
///
///     "http"
///     {"fresh": 180}
protocol WrittenCases: Codable, Sendable {
  /// The case as it is written. Throws ``APIError/Reason/unwritableForm`` for one that has no written form.
  var written: WrittenCase { get throws }
  /// The case of a name; nil for a name that is none.
  static func read(_ one: WrittenCase.Reader) throws -> Self?
}

extension WrittenCases {
  /// Reads the written form.
  public init(from decoder: any Decoder) throws {
    let reader = try WrittenCase.Reader(decoder)
    guard let value = try Self.read(reader) else { throw reader.unreadable(as: Self.self) }
    self = value
  }

  /// Writes the form.
  public func encode(to encoder: any Encoder) throws { try written.write(to: encoder) }
}

/// An enum whose cases hold nothing, written as their names.
protocol WrittenNames: WrittenCases, Equatable {
  /// Every case with its name, which is never changed.
  static var names: [(name: String, value: Self)] { get }
}

extension WrittenNames {
  var written: WrittenCase {
    get throws {
      guard let name = Self.names.first(where: { $0.value == self })?.name else {
        throw APIError(.assembly, .unwritableForm, "\(self) has no written form")
      }
      return WrittenCase(name)
    }
  }

  static func read(_ one: WrittenCase.Reader) -> Self? { names.first { $0.name == one.name }?.value }
}

/// One case as it is written.
package struct WrittenCase {
  private let name: String
  private let value: (any Encodable)?

  /// A case that holds nothing.
  package init(_ name: String) { (self.name, value) = (name, nil) }
  /// A case with what it holds.
  package init(_ name: String, _ value: any Encodable) { (self.name, self.value) = (name, value) }

  package func write(to encoder: any Encoder) throws {
    guard let value else {
      var container = encoder.singleValueContainer()
      return try container.encode(name)
    }
    var container = encoder.container(keyedBy: FormName.self)
    try container.encode(value, forKey: FormName(name))
  }

  /// A case as it is read.
  package struct Reader {
    package let name: String
    private let container: KeyedDecodingContainer<FormName>?

    package init(_ decoder: any Decoder) throws {
      if let name = try? decoder.singleValueContainer().decode(String.self) {
        (self.name, container) = (name, nil)
        return
      }
      let container = try decoder.container(keyedBy: FormName.self)
      guard container.allKeys.count == 1 else {
        throw APIError(.assembly, .unreadableForm, "an object with one member is expected for a case")
      }
      (name, self.container) = (container.allKeys[0].stringValue, container)
    }

    /// The error for a name that is no case of a type.
    package func unreadable(as type: any Any.Type) -> APIError {
      APIError(.assembly, .unreadableForm, "\(name.debugDescription) is no \(String(reflecting: type))")
    }

    /// What the case holds.
    package func value<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
      guard let container else {
        throw APIError(.assembly, .unreadableForm, "\(name.debugDescription) lacks its value")
      }
      return try container.decode(Value.self, forKey: FormName(name))
    }
  }
}
