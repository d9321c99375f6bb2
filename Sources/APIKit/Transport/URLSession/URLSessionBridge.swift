import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The delegate of the session: passes each callback to the attempt it belongs to.
///
/// All callbacks come on the session's serial queue.
final class URLSessionBridge: NSObject, URLSessionDataDelegate {
  private struct State {
    var attempts: [Int: URLSessionAttempt] = [:]
    #if !canImport(FoundationNetworking)
      var sockets: [Int: URLSessionSocket] = [:]
    #endif
    var isStopped = false
    /// Who waits for the last attempt to end.
    var waiters: [CheckedContinuation<Void, Never>] = []

    /// Those to resume now: all of them once nothing is under way.
    mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
      #if !canImport(FoundationNetworking)
        guard sockets.isEmpty else { return [] }
      #endif
      guard attempts.isEmpty else { return [] }
      defer { waiters = [] }
      return waiters
    }
  }

  private let state = Mutex(State())
  #if !canImport(FoundationNetworking)
    private let challenges: SystemChallenges

    init(_ challenges: SystemChallenges) { self.challenges = challenges }
  #endif

  /// Makes an attempt and registers it; nil when the transport is stopped.
  ///
  /// `make` runs under the lock: a task made in an invalidated session ends the program on Linux.
  func add(_ make: () throws(APIError) -> URLSessionAttempt) throws(APIError) -> URLSessionAttempt? {
    try state.withLock { state throws(APIError) in
      guard !state.isStopped else { return nil }
      let attempt = try make()
      state.attempts[attempt.task.taskIdentifier] = attempt
      return attempt
    }
  }

  #if !canImport(FoundationNetworking)
    /// Makes a socket and registers it; nil when the transport is stopped.
    func addSocket(_ make: () -> URLSessionSocket) -> URLSessionSocket? {
      state.withLock { state in
        guard !state.isStopped else { return nil }
        let socket = make()
        state.sockets[socket.task.taskIdentifier] = socket
        return socket
      }
    }

    func socket(_ task: URLSessionTask) -> URLSessionSocket? {
      state.withLock { $0.sockets[task.taskIdentifier] }
    }
  #endif

  /// Removes the attempt or socket of a task; its further callbacks are ignored.
  func forget(_ task: URLSessionTask) {
    let waiters = state.withLock { state in
      #if !canImport(FoundationNetworking)
        state.sockets[task.taskIdentifier] = nil
      #endif
      state.attempts[task.taskIdentifier] = nil
      return state.takeWaiters()
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Accepts no more attempts and returns what fails those under way.
  func stop() -> [(APIError) -> Void] {
    let (failing, waiters) = state.withLock { state in
      state.isStopped = true
      var failing: [(APIError) -> Void] = state.attempts.values.map { attempt in { attempt.fail($0) } }
      state.attempts = [:]
      #if !canImport(FoundationNetworking)
        failing += state.sockets.values.map { socket in { socket.fail($0) } }
        state.sockets = [:]
      #endif
      return (failing, state.takeWaiters())
    }
    for waiter in waiters { waiter.resume() }
    return failing
  }

  /// Accepts no more attempts and returns when the running ones have ended.
  func finish() async {
    await withCheckedContinuation { waiter in
      let waiters = state.withLock { state in
        state.isStopped = true
        state.waiters.append(waiter)
        return state.takeWaiters()
      }
      for waiter in waiters { waiter.resume() }
    }
  }

  private func attempt(_ task: URLSessionTask) -> URLSessionAttempt? {
    state.withLock { $0.attempts[task.taskIdentifier] }
  }

  // MARK: URLSessionTaskDelegate

  // A redirect is returned like any other response; the layers above follow it.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }

  // On Linux the transport has no logins: a 401 is a response. The challenge comes after the complete response there, and
  // with any disposition the task hangs or fails. Apple's session waits for the word without holding anything up.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    #if !canImport(FoundationNetworking)
      if let socket = socket(task) { return socket.meet(challenge, challenges, completionHandler) }
    #endif
    guard let attempt = attempt(task) else { return completionHandler(.cancelAuthenticationChallenge, nil) }
    #if canImport(FoundationNetworking)
      attempt.complete(nil)
      completionHandler(.cancelAuthenticationChallenge, nil)
    #else
      attempt.meet(challenge, challenges, completionHandler)
    #endif
  }

  #if !canImport(FoundationNetworking)
    func urlSession(
      _ session: URLSession, task: URLSessionTask,
      needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
      completionHandler(attempt(task)?.openBody())
    }
  #endif

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    attempt(task)?.sent(totalBytesSent, of: totalBytesExpectedToSend)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    #if !canImport(FoundationNetworking)
      socket(task)?.completed(error)
    #endif
    attempt(task)?.complete(error)
    forget(task)
  }

  #if !canImport(FoundationNetworking)
    func urlSession(
      _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
      attempt(task)?.receive(metrics: metrics)
    }
  #endif

  // MARK: URLSessionDataDelegate

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    let isWanted = attempt(dataTask)?.receive(head: response) ?? false
    completionHandler(isWanted ? .allow : .cancel)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    attempt(dataTask)?.receive(data)
  }
}
