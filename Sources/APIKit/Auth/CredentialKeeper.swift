import Synchronization

/// Stores an authenticator's credential, and calls a listener when the store fails.
///
/// Safe on any thread; calls neither the store nor the listener under a lock.
final class CredentialKeeper: Sendable {
  private struct State {
    var failure: APIError?
    /// Whether the failure was reported, by a throw or to the listener.
    var isTold = true
    var listener: (@Sendable (APIError) -> Void)?
  }

  private let store: any CredentialStore
  private let account: String
  private let state = Mutex(State())

  init(_ store: any CredentialStore, account: String) {
    self.store = store
    self.account = account
  }

  /// Why the store does not hold the credential in use; nil when it does.
  var failure: APIError? { state.withLock { $0.failure } }

  /// The stored credential; nil, and a failure to be reported, when it cannot be read.
  func load() -> Credential? {
    do throws(APIError) {
      return try store.credential(of: account)
    } catch {
      report(error)
      return nil
    }
  }

  /// Stores the credential in use; throws when that fails.
  ///
  /// - Parameter current: The credential in use and its version. Called again after each write: of two
  ///   concurrent writes the slower may have stored the older credential, which is then replaced.
  func keep(_ current: () -> (version: Int, credential: Credential?)) throws(APIError) {
    while true {
      let (version, credential) = current()
      do throws(APIError) {
        try store.store(credential, of: account)
      } catch {
        state.withLock { ($0.failure, $0.isTold) = (error, true) }
        throw error
      }
      guard current().version != version else { break }
    }
    state.withLock { ($0.failure, $0.isTold) = (nil, true) }
  }

  /// Keeps a failure that is thrown to no caller, and calls the listener.
  func report(_ error: APIError) {
    let listener = state.withLock { state in
      (state.failure, state.isTold) = (error, state.listener != nil)
      return state.listener
    }
    listener?(error)
  }

  func listen(_ listener: @escaping @Sendable (APIError) -> Void) {
    let untold = state.withLock { state -> APIError? in
      state.listener = listener
      defer { state.isTold = true }
      return state.isTold ? nil : state.failure
    }
    if let untold { listener(untold) }
  }
}
