import Foundation

/// The file of a jar whose cookies outlive the process, sealed under a key and readable by its owner alone.
///
/// Cookies are secrets: without a key they stay in memory.
public struct CookieStore: Sendable, Hashable {
  /// The path of the file.
  public let path: String
  private let keys: StorageKeys

  private static let envelope = Envelope(kind: .cookies)
  /// In bytes; a jar's default limits of cookies stay below it.
  private static let limit = 64 << 20

  /// Makes a store at a path. The folder is made at the first write.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - key: 32 bytes that others cannot read: the application's, or ``SecretKey/keychain``.
  ///   - previousKeys: Keys of the past, under which cookies are still read; later writes are sealed under `key`.
  ///     None by default.
  /// - Throws: ``APIError/Reason/misconfigured`` for a key of another length.
  public init(path: String, key: SecretKey, previousKeys: [SecretKey] = []) throws(APIError) {
    keys = try StorageKeys(key.bytes, previous: previousKeys.map(\.bytes), of: "a cookie store", .transport)
    self.path = path
  }

  /// The program's own file: in Application Support on Apple platforms, otherwise under `XDG_STATE_HOME` or
  /// `~/.local/state`.
  ///
  /// Throws ``APIError/Reason/misconfigured`` for a key that is not 32 bytes long.
  public static func standard(key: SecretKey) throws(APIError) -> CookieStore {
    try CookieStore(path: StandardFolder.state.path + "/cookies", key: key)
  }

  /// Why the file cannot be read: its cookies are then not those of the jar, and the next ones replace it. Nil when it
  /// can be read, and when there is none.
  ///
  /// The error is ``APIError/Reason/fileFailed``; its detail names the cause: another key, damage, another kind of
  /// content, the form of a later version, which is not replaced.
  public var fault: APIError? {
    do {
      _ = try readOrThrow()
      return nil
    } catch {
      return APIError(.transport, .fileFailed, "the file of cookies \(error)", underlying: error)
    }
  }

  /// The cookies of the file. None when there is no file, or one that cannot be read: the server sets them
  /// again.
  func load() -> [Cookie] { (try? readOrThrow()) ?? [] }

  /// Replaces the whole file; a reader sees the old one or the new one, and no other writer comes in between.
  ///
  /// - Parameter change: Makes the new cookies of those in the file; nil where it is missing or cannot be read.
  /// - Returns: What was written.
  /// - Throws: ``APIError/Reason/fileFailed`` when it cannot be written.
  func update(_ change: ([Cookie]?) -> [Cookie]) throws(APIError) -> [Cookie] {
    do {
      return try PrivateFile.withLockedFolder(of: path) {
        let cookies = change(try readForChange())
        try write(cookies)
        return cookies
      }
    } catch {
      throw APIError(
        .transport, .fileFailed, "the cookies cannot be written to \(path): the file \(error)",
        underlying: error)
    }
  }

  /// Removes the drafts of processes that ended while they wrote the file.
  func removeDrafts() { PrivateFile.removeDrafts(of: path) }

  /// Removes the file, which needs no room on the disk.
  func remove() throws(APIError) {
    do { try PrivateFile.remove(path) } catch {
      throw APIError(.transport, .fileFailed, "the cookies in \(path) \(error)", underlying: error)
    }
  }

  /// The cookies of the file; nil where it cannot be read. Throws for a file of a later version, which is not replaced.
  private func readForChange() throws -> [Cookie]? {
    do {
      return try readOrThrow()
    } catch Envelope.Fault.laterVersion(let version) {
      throw Envelope.Fault.laterVersion(version)
    } catch {
      return nil
    }
  }

  private func readOrThrow() throws -> [Cookie]? {
    guard let sealed = try PrivateFile.read(path, limit: Self.limit) else { return nil }
    let content = try Self.envelope.open(sealed, under: keys, at: place)
    do { return try JSONDecoder().decode([Cookie].self, from: Data(content)) } catch {
      throw PrivateFile.Fault("holds no cookies")
    }
  }

  private func write(_ cookies: [Cookie]) throws {
    let content = [UInt8](try JSONEncoder().encode(cookies))
    guard let sealed = Self.envelope.seal(content, under: keys.current, at: place) else {
      throw PrivateFile.Fault("cannot be sealed")
    }
    // The lock is held, so the draft needs no name of its own: one that a killed process has left is replaced.
    try PrivateFile.replace(path, with: sealed, by: path + ".new", limit: Self.limit)
  }

  /// The name of the file. Its folder may be moved, as containers of applications are.
  private var place: [UInt8] { Array((path as NSString).lastPathComponent.utf8) }
}
