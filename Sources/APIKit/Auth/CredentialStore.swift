import Synchronization

/// Keeps credentials between runs of the application, by account.
///
/// ``MemoryCredentialStore`` (the default), ``FileCredentialStore`` and, on Apple platforms,
/// `KeychainCredentialStore` exist. Write one for another place; in a test, use the one in memory. Called on
/// any thread, never under a lock of the framework.
public protocol CredentialStore: Sendable {
  /// The credential of an account; nil when there is none.
  func credential(of account: String) throws(APIError) -> Credential?

  /// Keeps a credential in place of the one before; nil removes it.
  func store(_ credential: Credential?, of account: String) throws(APIError)
}

/// Keeps credentials until the process ends.
public final class MemoryCredentialStore: CredentialStore {
  private let credentials = Mutex<[String: Credential]>([:])

  /// An empty store.
  public init() {}

  /// The credential of an account; nil when there is none.
  public func credential(of account: String) -> Credential? { credentials.withLock { $0[account] } }

  /// Keeps a credential in place of the one before; nil removes it.
  public func store(_ credential: Credential?, of account: String) {
    credentials.withLock { $0[account] = credential }
  }
}

extension APIError.Reason {
  /// The credential store cannot be read or written.
  public static let credentialStoreFailed = Self(
    "credential-store-failed", "the stored credential cannot be read or written")
  /// The server refuses the credential, and it cannot be renewed.
  public static let credentialRefused = Self("credential-refused", "the credential is refused")
  /// The credential could not be renewed; `underlying` says why.
  public static let refreshFailed = Self("refresh-failed", "the credential could not be renewed")
  /// The user has signed out while the load waited.
  public static let signedOut = Self("signed-out", "the user has signed out")
  /// The sign-in was given up; loads that waited for it land as cancelled.
  public static let signInCancelled = Self("sign-in-cancelled", "the sign-in was given up")
  /// The sign-in the load waited for has failed.
  public static let signInFailed = Self("sign-in-failed", "the sign-in has failed")
  /// A load that renews a credential needs that credential itself: it must be declared exempt.
  public static let signInCycle = Self("sign-in-cycle", "a load that renews a credential needs it itself")
}
