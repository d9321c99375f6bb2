import Foundation

/// Stores credentials in a folder, one encrypted file per account.
///
/// A file has mode 0600; a folder that the store makes has 0700. A file is sealed with AES-256-GCM under a
/// key from the application, and the account's name is authenticated with it, so that files of different
/// accounts cannot be exchanged. It is written beside the old file and renamed over it. A file that others
/// may read is refused, and so is one that does not open under the key.
public final class FileCredentialStore: CredentialStore {
  private let folder: String
  private let key: [UInt8]

  /// Makes a store in a folder, which is created when the first credential is stored.
  ///
  /// - Parameters:
  ///   - folder: The folder's path.
  ///   - key: 32 random bytes, stored where others cannot read them; ``makeKey()`` makes such a key.
  /// - Throws: ``APIError/Reason/misconfigured`` for a key of another length.
  public init(folder: String, key: [UInt8]) throws(APIError) {
    guard key.count == 32 else {
      throw APIError(.auth, .misconfigured, "the key of a credential store has 32 bytes, not \(key.count)")
    }
    self.folder = folder
    self.key = key
  }

  /// Makes a random key.
  public static func makeKey() -> [UInt8] { Crypto.random(32) }

  /// The credential of an account; nil when there is none.
  ///
  /// Throws ``APIError/Reason/credentialStoreFailed`` for a file that cannot be read, that others may read,
  /// or that was not sealed under this key.
  public func credential(of account: String) throws(APIError) -> Credential? {
    let path = path(of: account)
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    if file < 0, errno == ENOENT { return nil }
    guard file >= 0 else { throw failed("cannot be opened: \(Self.words(errno))") }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw failed("is not a file")
    }
    guard status.st_mode & 0o077 == 0, status.st_uid == geteuid() else {
      throw failed("may be read by others: it must belong to this user, with mode 0600")
    }
    let bytes = try contents(of: file)
    guard let plain = Crypto.open(bytes, key: key, authenticating: account.utf8) else {
      throw failed("was sealed under another key, or was damaged")
    }
    do { return try Credential(json: plain) } catch { throw failed("holds no credential", error) }
  }

  /// Stores a credential in place of the earlier one; nil removes it.
  ///
  /// Throws ``APIError/Reason/credentialStoreFailed`` when the file cannot be written or removed.
  public func store(_ credential: Credential?, of account: String) throws(APIError) {
    let path = path(of: account)
    guard let credential else {
      if unlink(path) != 0, errno != ENOENT { throw failed("cannot be removed: \(Self.words(errno))") }
      return
    }
    let plain: [UInt8]
    do { plain = Array(try credential.jsonText.utf8) } catch { throw failed("cannot be written", error) }
    guard let sealed = Crypto.seal(plain, key: key, authenticating: account.utf8) else {
      throw failed("cannot be sealed")
    }
    do {
      try PrivateFile.replace(path, with: sealed)
    } catch {
      throw failed("cannot be written", error)
    }
  }

  // MARK: Insides

  /// A digest, so that the file's name does not reveal the account.
  private func path(of account: String) -> String {
    folder + "/" + Hex.encode(Crypto.sha256(Array(account.utf8))) + ".credential"
  }

  private func contents(of file: Int32) throws(APIError) -> [UInt8] {
    let bytes: Data?
    do {
      bytes = try FileHandle(fileDescriptor: file).read(upToCount: 1 << 20)
    } catch {
      throw failed("cannot be read", error)
    }
    // A credential has a few kilobytes, so a larger file is not one.
    guard let bytes, bytes.count < 1 << 20 else { throw failed("is empty or too large") }
    return Array(bytes)
  }

  private static func words(_ code: Int32) -> String { String(cString: strerror(code)) }

  private func failed(_ words: String, _ underlying: (any Error)? = nil) -> APIError {
    APIError(.auth, .credentialStoreFailed, "the stored credential \(words)", underlying: underlying)
  }
}
