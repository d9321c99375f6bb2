import Foundation

/// Keeps logins by protection space, for ``ChallengeAnswer/default``.
///
/// ``MemoryLoginStore``, ``FileLoginStore`` and, on Apple platforms, `KeychainLoginStore` exist. Safe on any thread. It is
/// called on threads that may block.
public protocol LoginStore: AnyObject, Sendable {
  /// The login of a space; nil when there is none.
  ///
  /// Throws ``APIError/Reason/credentialStoreFailed`` when it cannot be read.
  func login(in space: ProtectionSpace) throws(APIError) -> HTTPLogin?
  /// Stores a login in place of the earlier one; nil removes it.
  ///
  /// Throws ``APIError/Reason/credentialStoreFailed`` when it cannot be written.
  func store(_ login: HTTPLogin?, in space: ProtectionSpace) throws(APIError)
}

/// Keeps logins until the process ends, or the store is released.
public final class MemoryLoginStore: LoginStore {
  private let logins = Mutex<[ProtectionSpace: HTTPLogin]>([:])

  /// Makes an empty store.
  public init() {}

  /// The login of a space; nil when there is none.
  public func login(in space: ProtectionSpace) -> HTTPLogin? { logins.withLock { $0[space] } }

  /// Stores a login in place of the earlier one; nil removes it.
  public func store(_ login: HTTPLogin?, in space: ProtectionSpace) { logins.withLock { $0[space] = login } }
}

/// Keeps logins in a folder, one encrypted file per space: AES-256-GCM under a key of the application, mode
/// 0600.
///
/// The name of a file does not reveal its space, and the space is encrypted with the login, so that files cannot
/// be exchanged. Processes may share a folder: a file is replaced as a whole.
public final class FileLoginStore: LoginStore {
  private let folder: String
  private let keys: StorageKeys
  private static let envelope = Envelope(kind: .login)
  /// In bytes; a login has far less.
  private static let limit = 64 << 10

  /// Makes a store in a folder, which is created when the first login is stored.
  ///
  /// - Parameters:
  ///   - folder: The folder's path.
  ///   - key: 32 random bytes, stored where others cannot read them.
  ///   - previousKeys: Keys of the past, under which logins are still read; later writes are encrypted under
  ///     `key`. None by default.
  /// - Throws: ``APIError/Reason/misconfigured`` for a key that is not 32 bytes long.
  public init(folder: String, key: SecretKey, previousKeys: [SecretKey] = []) throws(APIError) {
    keys = try StorageKeys(key.bytes, previous: previousKeys.map(\.bytes), of: "a login store", .transport)
    self.folder = folder
  }

  /// Renamed: use the initializer that takes a ``SecretKey``.
  @available(*, deprecated, message: "use SecretKey(bytes:)")
  public convenience init(folder: String, key: [UInt8], previousKeys: [[UInt8]] = []) throws(APIError) {
    try self.init(
      folder: folder, key: SecretKey(bytes: key), previousKeys: previousKeys.map { SecretKey(bytes: $0) })
  }

  /// The login of a space; nil when there is none.
  public func login(in space: ProtectionSpace) throws(APIError) -> HTTPLogin? {
    do {
      guard let bytes = try PrivateFile.read(path(of: space), limit: Self.limit) else { return nil }
      let plain = try Self.envelope.open(bytes, under: keys, at: space.description.utf8)
      return try JSONDecoder().decode(StoredLogin.self, from: Data(plain)).login
    } catch {
      throw StoredLogin.failed("\(error)", error)
    }
  }

  /// Stores a login in place of the earlier one; nil removes it.
  public func store(_ login: HTTPLogin?, in space: ProtectionSpace) throws(APIError) {
    let path = path(of: space)
    do {
      guard let login else { return try PrivateFile.remove(path) }
      let plain = [UInt8](try JSONEncoder().encode(StoredLogin(login)))
      guard let sealed = Self.envelope.seal(plain, under: keys.current, at: space.description.utf8) else {
        throw StoredLogin.failed("cannot be sealed")
      }
      try PrivateFile.replace(path, with: sealed, limit: Self.limit)
    } catch {
      throw StoredLogin.failed("cannot be written: \(error)", error)
    }
  }

  /// Removes the logins of all spaces.
  ///
  /// Throws ``APIError/Reason/credentialStoreFailed`` when a file cannot be removed.
  public func removeAll() throws(APIError) {
    do { try PrivateFile.removeAll(in: folder, endingWith: Self.ending) } catch {
      throw StoredLogin.failed("\(error)", error)
    }
  }

  private static let ending = ".login"

  private func path(of space: ProtectionSpace) -> String {
    folder + "/" + Hex.encode(Crypto.sha256(Array(space.description.utf8))) + Self.ending
  }
}

/// A login in the form in which it is stored.
package struct StoredLogin: Codable, Sendable, Redacted {
  private var user: String
  private var password: String
  private var scheme: String

  package init(_ login: HTTPLogin) {
    (user, password) = (login.user, login.password)
    scheme =
      switch login.scheme {
      case .basic: "basic"
      case .digest: "digest"
      case .any: "any"
      }
  }

  package var login: HTTPLogin {
    HTTPLogin(
      user: user, password: password, scheme: scheme == "basic" ? .basic : scheme == "digest" ? .digest : .any
    )
  }

  /// As that of the login.
  package var description: String { login.description }

  static func failed(_ words: String, _ underlying: (any Error)? = nil) -> APIError {
    APIError(.transport, .credentialStoreFailed, "the stored login \(words)", underlying: underlying)
  }
}
