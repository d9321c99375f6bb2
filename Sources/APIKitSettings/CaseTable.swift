import APIKit

/// An enum with a coded form, which is stated in a table of its cases.
///
/// The form is the name of the case, or an object with the name and what the case holds:
///
///     "http"
///     {"fresh": 180}
package protocol CaseCoded: Sendable {
  /// The table of the cases, from which both directions follow.
  static var cases: CaseTable<Self> { get }
}

/// An enum whose `Codable` conformance comes from its table of cases.
package protocol CaseCodable: CaseCoded, Codable {}

extension CaseCodable {
  /// Reads the written form.
  public init(from decoder: any Decoder) throws { self = try Self.cases.read(from: decoder) }
  /// Writes the form.
  public func encode(to encoder: any Encoder) throws { try Self.cases.write(self, to: encoder) }
}

/// The coded form of an enum that is not `Codable` itself: a secret, which is not written alone and open, or a value that is
/// sent in another form.
struct CodedCase<Value: CaseCoded>: Codable, Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
  init(from decoder: any Decoder) throws { value = try Value.cases.read(from: decoder) }

  func encode(to encoder: any Encoder) throws { try Value.cases.write(value, to: encoder) }
}

/// The table of the cases of an enum.
package struct CaseTable<Value: Sendable>: Sendable {
  /// One case.
  package struct Row: Sendable {
    /// Never changed.
    let name: String
    /// Writes a value of this case; false for a value of another one.
    let write: @Sendable (Value, any Encoder) throws -> Bool
    let read: @Sendable (KeyedDecodingContainer<FormName>?) throws -> Value?
  }

  private let rows: [Row]

  package init(_ rows: Row...) { self.rows = rows }

  /// Cases that hold nothing, with their names, and other cases.
  package init(_ names: KeyValuePairs<String, Value>, _ rows: Row...) where Value: Equatable {
    self.rows = names.map { name, value in Row.plain(name, value) { $0 == value } } + rows
  }

  @inline(never) @_semantics("optimize.sil.specialize.generic.never")
  package func write(_ value: Value, to encoder: any Encoder) throws {
    guard try !rows.contains(where: { try $0.write(value, encoder) }) else { return }
    throw APIError(.assembly, .unwritableForm, "\(value) has no written form")
  }

  @inline(never) @_semantics("optimize.sil.specialize.generic.never")
  package func read(from decoder: any Decoder) throws -> Value {
    if let name = try? decoder.singleValueContainer().decode(String.self) { return try read(name, nil) }
    let container = try? decoder.container(keyedBy: FormName.self)
    let name = container?.allKeys.count == 1 ? container?.allKeys[0].stringValue : nil
    return try read(name.readable("an object with one member is expected for a case"), container)
  }

  private func read(_ name: String, _ container: KeyedDecodingContainer<FormName>?) throws -> Value {
    do {
      return try (rows.first { $0.name == name }?.read(container))
        .readable("\(name.debugDescription) is no \(String(reflecting: Value.self))")
    } catch let error where !(error is APIError) {
      let what = "the value of \(name.debugDescription) is not of its kind"
      throw APIError(.assembly, .unreadableForm, what, underlying: error)
    }
  }
}

extension CaseTable.Row {
  /// A case that holds nothing.
  @inline(never) @_semantics("optimize.sil.specialize.generic.never")
  package static func plain(_ name: String, _ value: Value, isCase: @escaping @Sendable (Value) -> Bool)
    -> Self
  {
    Self(name: name) { value, encoder in
      guard isCase(value) else { return false }
      var container = encoder.singleValueContainer()
      try container.encode(name)
      return true
    } read: { _ in
      value
    }
  }

  /// A case that holds something.
  ///
  /// - Parameters:
  ///   - held: What a value of this case holds; nil for a value of another one.
  ///   - make: The case that holds it; nil when it cannot.
  @inline(never) @_semantics("optimize.sil.specialize.generic.never")
  package static func holding<Held: Codable & Sendable>(
    _ name: String, _ held: @escaping @Sendable (Value) -> Held?,
    make: @escaping @Sendable (Held) throws -> Value?
  ) -> Self {
    Self(name: name) { value, encoder in
      guard let held = held(value) else { return false }
      var container = encoder.container(keyedBy: FormName.self)
      try container.encode(held, forKey: FormName(name))
      return true
    } read: { container in
      try make(
        container.readable("\(name.debugDescription) lacks its value").decode(
          Held.self, forKey: FormName(name)))
    }
  }

  /// A case that holds a length of time.
  static func seconds(
    _ name: String, _ held: @escaping @Sendable (Value) -> Duration?,
    make: @escaping @Sendable (Duration) -> Value
  ) -> Self {
    holding(name, { held($0).map(CodedSeconds.init) }, make: { make($0.duration) })
  }

  /// A case that has no form.
  ///
  /// - Parameter what: What it holds, for the error.
  static func unwritable(_ what: String, _ isCase: @escaping @Sendable (Value) -> Bool) -> Self {
    Self(name: "") { value, _ in
      guard isCase(value) else { return false }
      throw APIError(.assembly, .unwritableForm, "\(what) has no written form")
    } read: { _ in
      nil
    }
  }
}
