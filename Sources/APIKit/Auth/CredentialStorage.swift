/// Stores an authenticator's credential, notices when others change what is stored, and calls a listener when the
/// store fails.
///
/// Safe on any thread; calls neither the store nor the listener under a lock.
final class CredentialStorage: Sendable {
  private struct CredentialStorageState {
    /// The credential that this authenticator has read or written last.
    var known: Credential?
    var failure: APIError?
    /// Whether the failure was reported, by a throw or to the listener.
    var isTold = true
    var listener: (@Sendable (APIError) -> Void)?
  }

  let store: any CredentialStore
  let account: String
  private let state = Mutex(CredentialStorageState())

  init(_ store: any CredentialStore, account: String) {
    self.store = store
    self.account = account
  }

  /// Why the store does not hold the credential in use; nil when it does.
  var failure: APIError? { state.withLock { $0.failure } }

  /// The stored credential; nil, and a failure to be reported, when it cannot be read.
  func load() -> Credential? {
    do throws(APIError) {
      let credential = try store.credential(of: account)
      know(credential)
      return credential
    } catch {
      report(error)
      return nil
    }
  }

  /// The content of the store.
  enum Stored {
    case unchanged(Credential?)
    /// Another process or object has stored it.
    case changed(Credential?)
    case unreadable
  }

  /// Reads again. Each change is reported once.
  func read() -> Stored {
    do throws(APIError) {
      let credential = try store.credential(of: account)
      return know(credential) ? .changed(credential) : .unchanged(credential)
    } catch {
      return .unreadable
    }
  }

  /// Writes where what is stored is still `expected`; false when another holder of the store has changed it. A
  /// store that fails is reported, and counts as written: the credential in memory continues.
  func write(_ new: Credential?, over expected: Stored) -> Bool {
    do throws(APIError) {
      switch expected {
      case .unchanged(let old), .changed(let old):
        guard try store.replace(old, with: new, of: account) else { return false }
      // An unreadable credential cannot be compared, and is of no use.
      case .unreadable: try store.store(new, of: account)
      }
      know(new)
      succeeded()
    } catch {
      report(error)
    }
    return true
  }

  /// Whether it is another credential than the one known before.
  @discardableResult private func know(_ credential: Credential?) -> Bool {
    state.withLock { state in
      defer { state.known = credential }
      return state.known != credential
    }
  }

  private func succeeded() { state.withLock { ($0.failure, $0.isTold) = (nil, true) } }

  /// Stores the credential in use; throws when that fails.
  ///
  /// - Parameter current: The credential in use and its version. Called again after each write: of two
  ///   concurrent writes the slower may have stored the older credential, which is then replaced.
  func keep(_ current: () -> (version: Int, credential: Credential?)) throws(APIError) {
    while true {
      let (version, credential) = current()
      do throws(APIError) {
        try store.store(credential, of: account)
        know(credential)
      } catch {
        state.withLock { ($0.failure, $0.isTold) = (error, true) }
        throw error
      }
      guard current().version != version else { break }
    }
    succeeded()
  }

  /// Keeps a failure that no caller gets, and calls the listener.
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
