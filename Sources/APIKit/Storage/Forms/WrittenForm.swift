import Foundation

/// A setting with a written form, from which its `Codable` conformance comes.
///
/// The form is an object with the version and a member for each property:
///
///     {"version": 1, "attempts": 3, "deadline": 60, …}
///
/// Reading begins with the default, so that a member that is not there has its default. Refused with
/// ``APIError/Reason/unreadableForm`` are another version, a member that the version does not have, one that has no
/// default and is not there, and a value that is none of its member. Secrets are written sealed or not at all, see `CodingUserInfoKey.sealingKey`; what has no
/// written form, a closure or an object of the application, is refused with ``APIError/Reason/unwritableForm``.
protocol Written: Codable, Sendable {
  /// The members in a table: what writes them and what reads them.
  static var form: WrittenForm<Self> { get }
}

extension Written {
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

/// The table of a written form.
package struct WrittenForm<Value: Sendable>: Sendable {
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
  /// The name of what is set and has no written form; nil when there is none.
  let unwritable: @Sendable (Value) -> String?
  /// Brings a value that was read into the limits of its type.
  let settle: @Sendable (inout Value) -> Void

  package init(
    name: String, version: Int = 1, start: @escaping @Sendable () -> Value, members: [Member],
    required: [String] = [], unwritable: @escaping @Sendable (Value) -> String? = { _ in nil },
    settle: @escaping @Sendable (inout Value) -> Void = { _ in }
  ) {
    (self.name, self.version, self.start, self.members) = (name, version, start, members)
    (self.required, self.unwritable, self.settle) = (required, unwritable, settle)
  }

  static var envelope: Envelope { Envelope(kind: .secrets) }

  package func write(_ value: Value, to encoder: any Encoder) throws {
    if let what = unwritable(value) {
      throw APIError(
        .assembly, .unwritableForm,
        "\(what) of \(name) has no written form; remove it, and set it after reading")
    }
    var container = encoder.container(keyedBy: FormName.self)
    try container.encode(version, forKey: .version)
    for member in members where !member.isSecret(value) { try member.write(value, &container) }
    let secrets = members.filter { $0.isSecret(value) }
    guard !secrets.isEmpty else { return }
    let names = secrets.map(\.name.stringValue).joined(separator: ", ")
    guard let (key, stated) = try Self.key(encoder.userInfo) else {
      throw APIError(
        .assembly, .unwritableForm,
        "\(names) of \(name) is secret; give the encoder a sealingKey, or remove it and set it after reading")
    }
    let inner = JSONEncoder()
    inner.userInfo[.sealingKey] = stated
    let content = try inner.encode(SecretMembers(value: value, members: secrets))
    guard let sealed = Self.envelope.seal(Array(content), under: key, at: name.utf8) else {
      throw APIError(.assembly, .unwritableForm, "\(names) of \(name) cannot be sealed")
    }
    try container.encode(Base64.encode(sealed), forKey: .sealed)
  }

  package func read(from decoder: any Decoder) throws -> Value {
    do {
      let container = try decoder.container(keyedBy: FormName.self)
      guard let version = try? container.decode(Int.self, forKey: .version) else {
        throw unreadable("\(name) has no version")
      }
      guard version == self.version else {
        throw unreadable(
          "\(name) has the form \(version); this version of the framework reads the form \(self.version)")
      }
      let opened =
        container.contains(.sealed)
        ? try open(try container.decode(String.self, forKey: .sealed), decoder.userInfo) : nil
      var value = opened?.value ?? start()
      for key in container.allKeys where key.stringValue != "version" && key.stringValue != "sealed" {
        guard let member = members.first(where: { $0.name.stringValue == key.stringValue }),
          opened?.names.contains(key.stringValue) != true
        else {
          throw unreadable("\(name) has no member \(key.stringValue.debugDescription), or has it twice")
        }
        try member.read(&value, container)
        guard !member.isSecret(value) else {
          throw unreadable("\(key.stringValue) of \(name) is secret, and is only read sealed")
        }
      }
      let lacking = required.first { !container.contains(FormName($0)) && opened?.names.contains($0) != true }
      if let lacking { throw unreadable("\(name) has no \(lacking)") }
      settle(&value)
      return value
    } catch let error as DecodingError {
      throw APIError(.assembly, .unreadableForm, "a member of \(name) is not of its kind", underlying: error)
    }
  }

  /// The members that are sealed.
  private func open(
    _ text: String, _ userInfo: [CodingUserInfoKey: Any]
  ) throws -> OpenedMembers {
    guard let (key, stated) = try Self.key(userInfo) else {
      throw unreadable("\(name) has sealed members; give the decoder the sealingKey")
    }
    guard let bytes = Base64.decode(text) else {
      throw unreadable("the sealed members of \(name) are not base64")
    }
    let content: [UInt8]
    do throws(Envelope.Fault) {
      content = try Self.envelope.open(bytes, under: key, at: name.utf8)
    } catch {
      throw unreadable("what is sealed of \(name) \(error)")
    }
    let inner = JSONDecoder()
    inner.userInfo[.sealingKey] = stated
    inner.userInfo[.form] = self
    return try inner.decode(OpenedMembers.self, from: Data(content))
  }

  private static func key(
    _ userInfo: [CodingUserInfoKey: Any]
  ) throws -> (key: StorageKey, stated: any SecretBytes)? {
    guard let value = userInfo[.sealingKey] else { return nil }
    guard let stated = value as? any SecretBytes, let key = StorageKey(stated.bytes) else {
      throw APIError(.assembly, .misconfigured, "a sealingKey is a SigningKey of 32 bytes")
    }
    return (key, stated)
  }

  private func unreadable(_ detail: String) -> APIError { APIError(.assembly, .unreadableForm, detail) }

  /// What is sealed.
  private struct SecretMembers: Encodable {
    let value: Value
    let members: [Member]

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: FormName.self)
      for member in members { try member.write(value, &container) }
    }
  }

  /// What was sealed: the beginning of the value, and the members that it has.
  private struct OpenedMembers: Decodable {
    var value: Value
    let names: Set<String>

    init(from decoder: any Decoder) throws {
      guard let form = decoder.userInfo[.form] as? WrittenForm<Value> else {
        throw APIError(.assembly, .unreadableForm, "sealed members are read by their form")
      }
      value = form.start()
      let container = try decoder.container(keyedBy: FormName.self)
      names = Set(container.allKeys.map(\.stringValue))
      for member in form.members where names.contains(member.name.stringValue) {
        try member.read(&value, container)
      }
    }
  }
}

extension CodingUserInfoKey {
  /// The form whose sealed members are read.
  fileprivate static let form = named("APIKit.form")
}

// MARK: Members

extension WrittenForm.Member {
  /// A property that is written as another value.
  package static func mapped<Property: Sendable, Form: Codable & Sendable>(
    _ name: String, _ path: any (WritableKeyPath<Value, Property> & Sendable),
    isSecret: @escaping @Sendable (Property) -> Bool = { _ in false },
    _ form: @escaping @Sendable (Property) throws -> Form,
    _ property: @escaping @Sendable (Form) throws -> Property
  ) -> Self {
    Self(name: FormName(name), isSecret: { isSecret($0[keyPath: path]) }) { value, container in
      try container.encode(form(value[keyPath: path]), forKey: FormName(name))
    } read: { value, container in
      value[keyPath: path] = try property(container.decode(Form.self, forKey: FormName(name)))
    }
  }

  /// A property that is written as it is.
  package static func plain<Property: Codable & Sendable>(
    _ name: String, _ path: any (WritableKeyPath<Value, Property> & Sendable),
    isSecret: @escaping @Sendable (Property) -> Bool = { _ in false }
  ) -> Self {
    mapped(name, path, isSecret: isSecret, { $0 }, { $0 })
  }

  /// A length of time, in seconds.
  package static func seconds(_ name: String, _ path: any (WritableKeyPath<Value, Duration> & Sendable))
    -> Self
  {
    mapped(name, path, WrittenSeconds.init, \.duration)
  }

  /// A length of time, in seconds, or none.
  package static func seconds(_ name: String, _ path: any (WritableKeyPath<Value, Duration?> & Sendable))
    -> Self
  {
    mapped(name, path, { $0.map(WrittenSeconds.init) }, { $0?.duration })
  }

  /// A URL, or none. One with a secret in its query is a secret.
  static func url(_ name: String, _ path: any (WritableKeyPath<Value, HTTPURL?> & Sendable)) -> Self {
    mapped(
      name, path, isSecret: { $0?.hasSecretParameters == true }, { $0?.string },
      { try $0.map { try HTTPURL($0) } })
  }

  /// A URL.
  static func url(_ name: String, _ path: any (WritableKeyPath<Value, HTTPURL> & Sendable)) -> Self {
    mapped(name, path, isSecret: \.hasSecretParameters, \.string, { try HTTPURL($0) })
  }

  /// A set of texts, sorted.
  static func texts(_ name: String, _ path: any (WritableKeyPath<Value, Set<String>> & Sendable)) -> Self {
    mapped(name, path, { $0.sorted() }, { Set($0) })
  }
}

/// A length of time as it is written: a number of seconds; where a number is not exact, seconds and attoseconds.
struct WrittenSeconds: Codable, Sendable {
  let duration: Duration

  init(_ duration: Duration) { self.duration = duration }

  init(from decoder: any Decoder) throws {
    if let pair = try? [Int64](from: decoder), pair.count == 2 {
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
    let (seconds, attoseconds) = duration.components
    let number = Double(seconds) + Double(attoseconds) / 1e18
    var container = encoder.singleValueContainer()
    if abs(number) < 0x1p53, .seconds(number) == duration {
      if attoseconds == 0 { try container.encode(seconds) } else { try container.encode(number) }
    } else {
      try container.encode([seconds, attoseconds])
    }
  }
}
