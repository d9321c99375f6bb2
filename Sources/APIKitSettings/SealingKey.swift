public import APIKit
import Foundation

extension CodingUserInfoKey {
  /// The key with which an encoder encrypts the secrets of settings and parameters, and a decoder decrypts
  /// them: a `SecretKey` of 32 bytes.
  ///
  /// ```swift
  /// let encoder = JSONEncoder()
  /// encoder.userInfo[.sealingKey] = key
  /// ```
  /// Without it, encoding a value that has secrets throws `APIError.Reason.unwritableForm`, which names them.
  public static let sealingKey = named("APIKit.sealingKey")

  /// A key by its name, for which the initialiser never gives nil.
  static func named(_ name: String) -> CodingUserInfoKey {
    CodingUserInfoKey(rawValue: name).unsafelyUnwrapped
  }
}

extension APIError.Reason {
  /// A setting or its secret has no written form: a closure, an object of the application, or a secret without a key to
  /// encrypt it.
  public static let unwritableForm = Self("unwritable-form", "it cannot be written")
  /// The data are not the written form of this setting, or have another version; the detail says which.
  public static let unreadableForm = Self("unreadable-form", "what was written cannot be read")
}

/// What seals the secret members of a form, in a document of their own.
struct MemberSeal {
  private let form: String
  private let key: StorageKey
  /// As it is stated, for members with secrets of their own.
  private let stated: SecretKey
  private static let envelope = Envelope(kind: .secrets)

  /// Nil when the encoder or the decoder has no key.
  ///
  /// - Parameter form: The name of the form, which the document is bound to.
  init?(of form: String, _ userInfo: [CodingUserInfoKey: Any]) throws {
    guard let value = userInfo[.sealingKey] else { return nil }
    guard let stated = value as? SecretKey, let key = StorageKey(stated.bytes) else {
      throw APIError(.assembly, .misconfigured, "a sealingKey is a SecretKey of 32 bytes")
    }
    (self.form, self.key, self.stated) = (form, key, stated)
  }

  /// The members in base64; nil when the encryption fails.
  func seal(_ write: @escaping (inout KeyedEncodingContainer<FormName>) throws -> Void) throws -> String? {
    let encoder = JSONEncoder()
    encoder.userInfo[.sealingKey] = stated
    let document = try encoder.encode(Document(write: write))
    return Self.envelope.seal(Array(document), under: key, at: form.utf8).map { Base64.encode($0) }
  }

  /// The members that were sealed.
  func open(_ text: String) throws -> KeyedDecodingContainer<FormName> {
    let sealed = try Base64.decode(text).readable("the sealed members of \(form) are not base64")
    let content: [UInt8]
    do throws(Envelope.Fault) {
      content = try Self.envelope.open(sealed, under: key, at: form.utf8)
    } catch {
      throw APIError(.assembly, .unreadableForm, "what is sealed of \(form) \(error)")
    }
    let decoder = JSONDecoder()
    decoder.userInfo[.sealingKey] = stated
    return try decoder.decode(Members.self, from: Data(content)).container
  }

  private struct Document: Encodable {
    let write: (inout KeyedEncodingContainer<FormName>) throws -> Void

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: FormName.self)
      try write(&container)
    }
  }

  private struct Members: Decodable {
    let container: KeyedDecodingContainer<FormName>

    init(from decoder: any Decoder) throws { container = try decoder.container(keyedBy: FormName.self) }
  }
}
