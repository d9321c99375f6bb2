import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// An operation of a session: an attempt, a socket, or a connection of bytes.
protocol URLSessionOperation: AnyObject, Sendable {
  /// That of its task.
  var taskIdentifier: Int { get }
  /// Ends it with an error. From any thread.
  func fail(_ error: APIError)
}

/// The delegate of the session, or of each task in a session that was given: passes each callback to the attempt or socket
/// it belongs to.
///
/// All callbacks come on the session's serial queue.
final class URLSessionBridge: NSObject, URLSessionDataDelegate {
  private struct BridgeState {
    var operations: [Int: any URLSessionOperation] = [:]
    var isStopped = false
    /// The callers that wait for the last operation to end.
    var waiters: [CheckedContinuation<Void, Never>] = []

    /// Those to resume now: all of them once nothing is under way.
    mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
      guard operations.isEmpty else { return [] }
      defer { waiters = [] }
      return waiters
    }
  }

  private let state = Mutex(BridgeState())
  #if !canImport(FoundationNetworking)
    /// Nil where the session was given, whose own delegate is asked.
    let challenges: SystemChallenges?

    init(_ challenges: SystemChallenges?) { self.challenges = challenges }

    /// What the delegate of a task does not implement, the system asks of the session's.
    override func responds(to selector: Selector!) -> Bool {
      let isChallenge =
        selector == NSSelectorFromString("URLSession:task:didReceiveChallenge:completionHandler:")
      return super.responds(to: selector) && !(isChallenge && challenges == nil)
    }
  #endif

  /// Makes an operation and registers it; throws `APIError.Reason.transportStopped` when the transport is stopped.
  ///
  /// `make` runs under the lock: a task made in an invalidated session ends the program on Linux.
  func add<Operation: URLSessionOperation>(
    _ make: () throws(APIError) -> Operation
  ) throws(APIError) -> Operation {
    try state.withLock { state throws(APIError) in
      guard !state.isStopped else { throw APIError(.transport, .transportStopped) }
      let operation = try make()
      state.operations[operation.taskIdentifier] = operation
      return operation
    }
  }

  /// Removes the operation of a task; its further callbacks are ignored.
  func forget(_ task: URLSessionTask) { forget(task.taskIdentifier) }

  /// Removes an operation.
  func forget(_ taskIdentifier: Int) {
    let waiters = state.withLock { state in
      state.operations[taskIdentifier] = nil
      return state.takeWaiters()
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Accepts no more operations and returns those under way.
  func stop() -> [any URLSessionOperation] {
    let (operations, waiters) = state.withLock { state in
      state.isStopped = true
      let operations = Array(state.operations.values)
      state.operations = [:]
      return (operations, state.takeWaiters())
    }
    for waiter in waiters { waiter.resume() }
    return operations
  }

  /// Accepts no more operations and returns when the running ones have ended.
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

  private func operation(_ task: URLSessionTask) -> (any URLSessionOperation)? {
    state.withLock { $0.operations[task.taskIdentifier] }
  }

  private func attempt(_ task: URLSessionTask) -> URLSessionAttempt? { operation(task) as? URLSessionAttempt }

  #if !canImport(FoundationNetworking)
    func socket(_ task: URLSessionTask) -> URLSessionSocket? { operation(task) as? URLSessionSocket }
  #endif

  // MARK: URLSessionTaskDelegate

  // A redirect is returned like any other response; the layers above follow it.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }

  // On Linux the transport has no logins: a 401 is a response. The challenge comes after the complete response there, and
  // with any disposition the task hangs or fails. Apple's session waits for the disposition and blocks nothing else.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    #if !canImport(FoundationNetworking)
      guard let challenges else { return completionHandler(.performDefaultHandling, nil) }
      if let socket = socket(task) { return socket.meet(challenge, challenges, answer: completionHandler) }
    #endif
    guard let attempt = attempt(task) else { return completionHandler(.cancelAuthenticationChallenge, nil) }
    #if canImport(FoundationNetworking)
      attempt.complete(nil)
      completionHandler(.cancelAuthenticationChallenge, nil)
    #else
      attempt.meet(challenge, challenges, answer: completionHandler)
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

  // The cache of the layers above knows whose a response is; that of a session that was given does not.
  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask,
    willCacheResponse proposedResponse: CachedURLResponse,
    completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
  ) {
    completionHandler(nil)
  }
}
