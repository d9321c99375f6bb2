import Foundation

/// Stores credentials in a folder, one encrypted file per account.
///
/// A file has mode 0600; a folder that the store makes has 0700. A file is sealed with AES-256-GCM under a
/// key from the application, and the account's name is authenticated with it, so that files of different
/// accounts cannot be exchanged. It is written beside the old file and renamed over it. A file that others
/// may read is refused, and so is one that does not open under the key, and a folder that belongs to another
/// user or that others may change.
///
/// Processes, and authenticators of one, may share a folder. A change locks the folder while it writes (`flock`); a
/// renewal locks a file of the account, `.lock` beside its credential, which stays and is empty. The system releases
/// the locks of a process that has ended or crashed. They do not work on network file systems without `flock`.
public final class FileCredentialStore: CredentialStore {
  private let folder: String
  private let keys: StorageKeys

  private static let envelope = Envelope(kind: .credential)
  /// In bytes. A credential has a few kilobytes, so a larger file is not one.
  private static let limit = 1 << 20

  /// Makes a store in a folder, which is created when the first credential is stored.
  ///
  /// - Parameters:
  ///   - folder: The folder's path.
  ///   - key: 32 random bytes, stored where others cannot read them; ``SecretKey/random(count:)`` makes such a key.
  ///   - previousKeys: Keys of the past, under which credentials are still read; later writes are sealed under
  ///     `key`. None by default.
  /// - Throws: ``APIError/Reason/misconfigured`` for a key of another length.
  public init(folder: String, key: SecretKey, previousKeys: [SecretKey] = []) throws(APIError) {
    keys = try StorageKeys(key.bytes, previous: previousKeys.map(\.bytes), of: "a credential store", .auth)
    self.folder = folder
  }

  /// Renamed: use the initializer that takes a ``SecretKey``.
  @available(*, deprecated, message: "use SecretKey(bytes:)")
  public convenience init(folder: String, key: [UInt8], previousKeys: [[UInt8]] = []) throws(APIError) {
    try self.init(
      folder: folder, key: SecretKey(bytes: key), previousKeys: previousKeys.map { SecretKey(bytes: $0) })
  }

  /// Renamed: use ``SecretKey/random(count:)``.
  @available(*, deprecated, message: "use SecretKey.random()")
  public static func makeKey() -> [UInt8] { Crypto.random(32) }

  /// The credential of an account; nil when there is none.
  ///
  /// Throws ``APIError/Reason/credentialStoreFailed`` for a file that cannot be read, that others may read,
  /// or that was not sealed under this key.
  public func credential(of account: String) throws(APIError) -> Credential? {
    let plain: [UInt8]
    do {
      guard let bytes = try PrivateFile.read(path(of: account), limit: Self.limit) else { return nil }
      try PrivateFile.makeFolder(folder)
      plain = try Self.envelope.open(bytes, under: keys, at: account.utf8)
    } catch {
      throw failed("\(error)", error)
    }
    do { return try Credential(json: plain) } catch { throw failed("holds no credential", error) }
  }

  /// Stores a credential in place of the earlier one; nil removes it.
  ///
  /// Throws ``APIError/Reason/credentialStoreFailed`` when the file cannot be written or removed.
  public func store(_ credential: Credential?, of account: String) throws(APIError) {
    try locked { () throws(APIError) in try write(credential, of: account) }
  }

  /// Stores a credential, or with nil removes it, if the stored one is still `expected`. No other
  /// process can change it in between.
  ///
  /// Throws ``APIError/Reason/credentialStoreFailed`` when the file cannot be read, written or removed.
  public func replace(
    _ expected: Credential?, with new: Credential?, of account: String
  ) throws(APIError) -> Bool {
    try locked { () throws(APIError) in
      guard try self.credential(of: account) == expected else { return false }
      try write(new, of: account)
      return true
    }
  }

  /// Runs a closure while no other process, and no other task of this process, runs one for the account.
  ///
  /// Throws ``APIError/Reason/refreshFailed`` after a minute, because the renewal of another process does not
  /// end. Throws ``APIError/Reason/credentialStoreFailed`` when the file to lock cannot be opened.
  public func withRenewal<Value: Sendable>(
    of account: String, _ work: @Sendable () async -> Value
  ) async throws(APIError) -> Value {
    let path = path(of: account, "lock")
    let start = ContinuousClock.now
    var pause = Duration.milliseconds(5)
    while true {
      if let lock = try takeLock(path) {
        defer { withExtendedLifetime(lock) {} }
        return await work()
      }
      guard start.duration(to: .now) < Self.longestWait else {
        throw APIError(
          .auth, .refreshFailed,
          "the credential could not be renewed: another process has been renewing it for "
            + Self.longestWait.shortText)
      }
      // Waiting in the system's call would hold a thread for as long as another process asks its server.
      do { try await Task.sleep(for: pause) } catch { throw APIError(.auth, .cancelled) }
      pause = min(pause * 2, .milliseconds(100))
    }
  }

  // MARK: Insides

  private static let longestWait: Duration = .seconds(60)

  private func takeLock(_ path: String) throws(APIError) -> FileLock? {
    do {
      try PrivateFile.makeFolder(folder)
      return try FileLock(ifFree: path)
    } catch {
      throw failed("cannot be locked", error)
    }
  }

  private func locked<Value>(_ change: () throws(APIError) -> Value) throws(APIError) -> Value {
    let lock: FileLock
    do { lock = try FileLock(folder: folder) } catch { throw failed("cannot be locked", error) }
    defer { lock.release() }
    return try change()
  }

  private func write(_ credential: Credential?, of account: String) throws(APIError) {
    let path = path(of: account)
    guard let credential else {
      do { try PrivateFile.remove(path) } catch { throw failed("\(error)", error) }
      return
    }
    let plain: [UInt8]
    do { plain = Array(try credential.jsonText.utf8) } catch { throw failed("cannot be written", error) }
    guard let sealed = Self.envelope.seal(plain, under: keys.current, at: account.utf8) else {
      throw failed("cannot be sealed")
    }
    // The lock is held, so the draft needs no name of its own: one that a killed process has left is replaced.
    do { try PrivateFile.replace(path, with: sealed, by: path + ".new", limit: Self.limit) } catch {
      throw failed("\(error)", error)
    }
  }

  /// A digest, so that the file's name does not reveal the account.
  private func path(of account: String, _ type: String = "credential") -> String {
    folder + "/" + Hex.encode(Crypto.sha256(Array(account.utf8))) + "." + type
  }

  private func failed(_ words: String, _ underlying: (any Error)? = nil) -> APIError {
    APIError(.auth, .credentialStoreFailed, "the stored credential \(words)", underlying: underlying)
  }
}
