/// Stores credentials between runs of the application, by account.
///
/// There are ``MemoryCredentialStore`` (the default), ``FileCredentialStore`` and, on Apple platforms,
/// `KeychainCredentialStore`. Write your own for another place; in a test, use the one in memory. Its
/// methods are called on any thread, never under a lock of the framework.
///
/// Several authenticators, and several processes, may share a store. A refresh token can often be used only once, and
/// servers revoke the whole grant when it is used again (RFC 9700, 4.14.2). So an authenticator renews inside of
/// ``withRenewal(of:_:)``, reads again there before it asks the server, and writes by ``replace(_:with:of:)``. Their
/// defaults serve authenticators that have the same object. A store that several processes use implements both.
public protocol CredentialStore: AnyObject, Sendable {
  /// The credential of an account; nil when there is none.
  func credential(of account: String) throws(APIError) -> Credential?

  /// Stores a credential in place of the earlier one; nil removes it.
  func store(_ credential: Credential?, of account: String) throws(APIError)

  /// Stores a credential, or with nil removes it, if the stored one is still `expected`. False when it is not; then
  /// nothing changes.
  ///
  /// The default reads, compares and stores.
  func replace(
    _ expected: Credential?, with new: Credential?, of account: String
  ) throws(APIError) -> Bool

  /// Runs a closure while no other holder of the store runs one for the account. Called for each renewal, which may
  /// take long; the wait must not block a thread.
  ///
  /// The default waits for the other holders of this object. Throws, before the closure runs,
  /// ``APIError/Reason/refreshFailed`` when others took too long, and ``APIError/Reason/credentialStoreFailed`` when
  /// the store cannot exclude others; the credential is then renewed all the same, and the failure is reported.
  func withRenewal<Value: Sendable>(
    of account: String, _ work: @Sendable () async -> Value
  ) async throws(APIError) -> Value
}

extension CredentialStore {
  /// Reads, compares and stores.
  public func replace(
    _ expected: Credential?, with new: Credential?, of account: String
  ) throws(APIError) -> Bool {
    guard try credential(of: account) == expected else { return false }
    try store(new, of: account)
    return true
  }

  /// Waits for the other holders of this object.
  public func withRenewal<Value: Sendable>(
    of account: String, _ work: @Sendable () async -> Value
  ) async throws(APIError) -> Value {
    await renewals.withLock(RenewalKey(store: ObjectIdentifier(self), account: account), work)
  }
}

private struct RenewalKey: Hashable {
  let store: ObjectIdentifier
  let account: String
}

/// The renewals of stores that this process alone uses.
private let renewals = KeyedMutex<RenewalKey>()

/// Keeps credentials in memory until the process ends.
public final class MemoryCredentialStore: CredentialStore {
  private let credentials = Mutex<[String: Credential]>([:])

  /// Makes an empty store.
  public init() {}

  /// The credential of an account; nil when there is none.
  public func credential(of account: String) -> Credential? { credentials.withLock { $0[account] } }

  /// Stores a credential in place of the earlier one; nil removes it.
  public func store(_ credential: Credential?, of account: String) {
    credentials.withLock { $0[account] = credential }
  }

  /// Stores a credential, or with nil removes it, if the stored one is still `expected`.
  public func replace(_ expected: Credential?, with new: Credential?, of account: String) -> Bool {
    credentials.withLock { credentials in
      guard credentials[account] == expected else { return false }
      credentials[account] = new
      return true
    }
  }
}
