package import APIKit
import Foundation

/// A setting with a versioned form, from which its `Codable` conformance comes.
///
/// The form is an object with the version and a member for each property:
///
///     {"version": 1, "attempts": 3, "deadline": 60, …}
///
/// Reading begins with the default, so that a missing member has its default. Refused with
/// `APIError.Reason.unreadableForm` are another version, a member that the version does not have, a missing one that
/// has no default, and a value of another type. Secrets are written sealed or not at all, see
/// `CodingUserInfoKey.sealingKey`; a closure or an object of the application has no form, and is refused with
/// `APIError.Reason.unwritableForm`.
package protocol VersionedCodable: Codable, Sendable {
  /// The table of the members, from which both directions follow.
  static var form: VersionedForm<Self> { get }
}

extension VersionedCodable {
  /// Reads the written form.
  public init(from decoder: any Decoder) throws { self = try Self.form.read(from: decoder) }
  /// Writes the form.
  public func encode(to encoder: any Encoder) throws { try Self.form.write(self, to: encoder) }
}

/// The name of a member.
struct FormName: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(_ name: String) { stringValue = name }
  init(stringValue: String) { self.init(stringValue) }
  init?(intValue: Int) { nil }

  static let version = FormName("version")
  static let sealed = FormName("sealed")
}

extension Optional {
  /// The value that was read. Throws `APIError.Reason.unreadableForm` for nil.
  func readable(_ detail: @autoclosure () -> String) throws(APIError) -> Wrapped {
    guard let self else { throw APIError(.assembly, .unreadableForm, detail()) }
    return self
  }
}

/// The table of a versioned form.
///
/// The generic functions of forms are never specialised: they run rarely, and their copies for each type were a tenth of
/// all code.
package struct VersionedForm<Value: Sendable>: Sendable {
  /// One member of the form.
  package struct Member: Sendable {
    let name: FormName
    /// Whether its present value is a secret.
    let isSecret: @Sendable (Value) -> Bool
    let write: @Sendable (Value, inout KeyedEncodingContainer<FormName>) throws -> Void
    let read: @Sendable (inout Value, KeyedDecodingContainer<FormName>) throws -> Void
  }

  /// The name of the type, which sealed members are bound to. Never changed.
  let name: String
  /// Raised when a member changes its meaning, or one is added that earlier versions may not overlook.
  let version: Int
  /// What reading begins with.
  let start: @Sendable () -> Value
  let members: [Member]
  /// The members that have no default, and must be there.
  let required: [String]
  /// The properties that have no form, and whether each is set.
  let unwritable: KeyValuePairs<String, @Sendable (Value) -> Bool>
  /// Brings a value that was read into the limits of its type.
  let settle: @Sendable (inout Value) -> Void

  package init(
    name: String, version: Int = 1, start: @escaping @Sendable () -> Value, _ members: Member...,
    required: [String] = [], unwritable: KeyValuePairs<String, @Sendable (Value) -> Bool> = [:],
    settle: @escaping @Sendable (inout Value) -> Void = { _ in }
  ) {
    self.init(
      name: name, version: version, start: start, members: members, required: required,
      unwritable: unwritable,
      settle: settle)
  }

  /// The same, for members that are put together before.
  package init(
    name: String, version: Int = 1, start: @escaping @Sendable () -> Value, members: [Member],
    required: [String] = [], unwritable: KeyValuePairs<String, @Sendable (Value) -> Bool> = [:],
    settle: @escaping @Sendable (inout Value) -> Void = { _ in }
  ) {
    (self.name, self.version, self.start, self.members) = (name, version, start, members)
    (self.required, self.unwritable, self.settle) = (required, unwritable, settle)
  }

  @inline(never) @_semantics("optimize.sil.specialize.generic.never")
  package func write(_ value: Value, to encoder: any Encoder) throws {
    if let what = unwritable.first(where: { $0.value(value) })?.key {
      throw APIError(
        .assembly, .unwritableForm,
        "\(what) of \(name) has no written form; remove it, and set it after reading")
    }
    var container = encoder.container(keyedBy: FormName.self)
    try container.encode(version, forKey: .version)
    for member in members where !member.isSecret(value) { try member.write(value, &container) }
    let secrets = members.filter { $0.isSecret(value) }
    guard !secrets.isEmpty else { return }
    let what = secrets.map(\.name.stringValue).joined(separator: ", ") + " of \(name)"
    guard let seal = try MemberSeal(of: name, encoder.userInfo) else {
      throw APIError(
        .assembly, .unwritableForm,
        "\(what) is secret; give the encoder a sealingKey, or remove it and set it after reading")
    }
    let sealed = try seal.seal { container in
      for member in secrets { try member.write(value, &container) }
    }
    guard let sealed else { throw APIError(.assembly, .unwritableForm, "\(what) cannot be sealed") }
    try container.encode(sealed, forKey: .sealed)
  }

  @inline(never) @_semantics("optimize.sil.specialize.generic.never")
  package func read(from decoder: any Decoder) throws -> Value {
    do {
      let container = try decoder.container(keyedBy: FormName.self)
      let version = try (try? container.decode(Int.self, forKey: .version)).readable("\(name) has no version")
      guard version == self.version else {
        throw unreadable(
          "\(name) has the form \(version); this version of the framework reads the form \(self.version)")
      }
      var value = start()
      var names: Set<String> = []
      if container.contains(.sealed) {
        let seal = try MemberSeal(of: name, decoder.userInfo)
          .readable("\(name) has sealed members; give the decoder the sealingKey")
        let sealed = try seal.open(container.decode(String.self, forKey: .sealed))
        for key in sealed.allKeys { try read(member(key, &names), &value, sealed) }
      }
      for key in container.allKeys where key.stringValue != "version" && key.stringValue != "sealed" {
        let member = try member(key, &names)
        try read(member, &value, container)
        guard !member.isSecret(value) else {
          throw unreadable("\(key.stringValue) of \(name) is secret, and is only read sealed")
        }
      }
      if let lacking = required.first(where: { !names.contains($0) }) {
        throw unreadable("\(name) has no \(lacking)")
      }
      settle(&value)
      return value
    } catch let error where !(error is APIError) {
      throw APIError(.assembly, .unreadableForm, "\(name) is not of its kind", underlying: error)
    }
  }

  private func read(_ member: Member, _ value: inout Value, _ container: KeyedDecodingContainer<FormName>)
    throws
  {
    // Not a `DecodingError` alone: a number that does not fit is one of the decoder's own.
    do { try member.read(&value, container) } catch let error where !(error is APIError) {
      let what = "\(member.name.stringValue) of \(name) is not of its kind"
      throw APIError(.assembly, .unreadableForm, what, underlying: error)
    }
  }

  /// The member of a key that was not read before.
  private func member(_ key: FormName, _ names: inout Set<String>) throws -> Member {
    try members.first { $0.name.stringValue == key.stringValue && names.insert(key.stringValue).inserted }
      .readable("\(name) has no member \(key.stringValue.debugDescription), or has it twice")
  }

  private func unreadable(_ detail: String) -> APIError { APIError(.assembly, .unreadableForm, detail) }
}

// MARK: Members

extension VersionedForm.Member {
  package typealias Path<Property> = any (WritableKeyPath<Value, Property> & Sendable)

  /// A property that is written as another value.
  @inline(never) @_semantics("optimize.sil.specialize.generic.never")
  package static func mapped<Property: Sendable, Form: Codable & Sendable>(
    _ name: String, _ path: Path<Property>,
    isSecret: @escaping @Sendable (Property) -> Bool = { _ in false },
    write form: @escaping @Sendable (Property) throws -> Form,
    read property: @escaping @Sendable (Form) throws -> Property
  ) -> Self {
    Self(name: FormName(name), isSecret: { isSecret($0[keyPath: path]) }) { value, container in
      try container.encode(form(value[keyPath: path]), forKey: FormName(name))
    } read: { value, container in
      value[keyPath: path] = try property(container.decode(Form.self, forKey: FormName(name)))
    }
  }

  /// A property that is written as it is.
  @inline(never) @_semantics("optimize.sil.specialize.generic.never")
  package static func plain<Property: Codable & Sendable>(
    _ name: String, _ path: Path<Property>, isSecret: @escaping @Sendable (Property) -> Bool = { _ in false }
  ) -> Self {
    mapped(name, path, isSecret: isSecret, write: { $0 }, read: { $0 })
  }

  /// A length of time, in seconds.
  package static func seconds(_ name: String, _ path: Path<Duration>) -> Self {
    mapped(name, path, write: CodedSeconds.init, read: \.duration)
  }

  /// A length of time, in seconds, or none.
  package static func seconds(_ name: String, _ path: Path<Duration?>) -> Self {
    mapped(name, path, write: { $0.map(CodedSeconds.init) }, read: { $0?.duration })
  }

  /// A URL. One with a secret in its query is a secret.
  package static func url(_ name: String, _ path: Path<HTTPURL>) -> Self {
    mapped(name, path, isSecret: \.hasSecretParameters, write: \.string, read: { try HTTPURL($0) })
  }

  /// A URL, or none.
  package static func url(_ name: String, _ path: Path<HTTPURL?>) -> Self {
    mapped(
      name, path, isSecret: { $0?.hasSecretParameters == true }, write: { $0?.string },
      read: { try $0.map { try HTTPURL($0) } })
  }

  /// A set of texts, sorted.
  static func texts(_ name: String, _ path: Path<Set<String>>) -> Self {
    mapped(name, path, write: { $0.sorted() }, read: { Set($0) })
  }
}

/// A length of time as it is written: a number of seconds; where a number is not exact, seconds and attoseconds.
struct CodedSeconds: Codable, Sendable {
  let duration: Duration

  init(_ duration: Duration) { self.duration = duration }

  init(from decoder: any Decoder) throws {
    if let pair = try? [Int64](from: decoder), pair.count == 2, pair[1].magnitude < 1_000_000_000_000_000_000
    {
      duration = Duration(secondsComponent: pair[0], attosecondsComponent: pair[1])
      return
    }
    let seconds = try decoder.singleValueContainer().decode(Double.self)
    // Beyond it, making a duration would trap.
    guard abs(seconds) < 0x1p63 else {
      throw APIError(.assembly, .unreadableForm, "a length of time beyond what can be counted")
    }
    duration = .seconds(seconds)
  }

  func encode(to encoder: any Encoder) throws {
    // The standard library has no components of a longer one, such as a sum with `.seconds(.max)`.
    let longest = Duration.seconds(Int64.max)
    let (seconds, attoseconds) = min(max(duration, .zero - longest), longest).components
    let number = Double(seconds) + Double(attoseconds) / 1e18
    var container = encoder.singleValueContainer()
    if abs(number) < 0x1p53, .seconds(number) == duration {
      if attoseconds == 0 { try container.encode(seconds) } else { try container.encode(number) }
    } else {
      try container.encode([seconds, attoseconds])
    }
  }
}
