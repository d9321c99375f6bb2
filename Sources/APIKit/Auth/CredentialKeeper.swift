import Synchronization

/// Keeps in a store what an authenticator has in use, and tells whoever listens when the store fails.
///
/// Safe on any thread; calls neither the store nor the listener under a lock.
final class CredentialKeeper: Sendable {
  private struct State {
    var failure: APIError?
    /// Whether somebody was told of the failure, by a throw or by the listener.
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

  /// Why the store does not have what is in use; nil when it has.
  var failure: APIError? { state.withLock { $0.failure } }

  /// What the store has; nil, and a failure to be told, when it cannot be read.
  func load() -> Credential? {
    do throws(APIError) {
      return try store.credential(of: account)
    } catch {
      report(error)
      return nil
    }
  }

  /// Stores what is in use, and throws when that cannot be done.
  ///
  /// - Parameter current: What is in use and its version. Asked again after the store has it: of two that store
  ///   at once the slower may have written the older, which it then replaces.
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

  /// Notes a failure that nobody is thrown, and tells the listener.
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
