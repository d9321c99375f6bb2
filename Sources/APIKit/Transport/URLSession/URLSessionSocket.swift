// Apple's session only: type-checked by Scripts/apple, never run here. What can be decided without it, ``SystemSocketRules``
// decides, which is tested, and so is what has the wire (`MessageSocketChannel`).
#if !canImport(FoundationNetworking)
  import Foundation

  /// One WebSocket of a ``URLSessionTransport``.
  ///
  /// `@unchecked Sendable`: what changes belongs to the session's serial queue, but for the login behind its lock.
  final class URLSessionSocket: MessageWire, URLSessionOperation, @unchecked Sendable {
    let task: URLSessionWebSocketTask
    private let exchange: HTTPExchange
    private let queue: OperationQueue
    private let faults: TrustFaults
    /// Called once, when the socket has ended.
    private let onEnd: @Sendable () -> Void
    /// The login that was sent and not answered yet.
    private let trial = Mutex<LoginTrial?>(nil)

    // The session's queue alone.
    private var owner: (any MessageWireOwner)?
    private var isOpen = false
    private var isOver = false

    init(
      _ task: URLSessionWebSocketTask, _ exchange: HTTPExchange, on queue: OperationQueue,
      faults: TrustFaults,
      onEnd: @escaping @Sendable () -> Void
    ) {
      self.task = task
      self.exchange = exchange
      self.queue = queue
      self.faults = faults
      self.onEnd = onEnd
    }

    var taskIdentifier: Int { task.taskIdentifier }

    // MARK: MessageWire

    func perform(_ work: @escaping @Sendable () -> Void) { queue.addOperation(work) }

    /// Runs what the system tells. It is on the queue already as a rule: another turn would let the end overtake it.
    private func take(_ work: @escaping @Sendable () -> Void) {
      if OperationQueue.current === queue { work() } else { perform(work) }
    }

    func open(for owner: any MessageWireOwner) {
      self.owner = owner
      guard !isOver else { return end(APIError(.transport, .transportStopped)) }
      task.resume()
    }

    func send(_ message: SocketMessage, _ done: @escaping @Sendable () -> Void) {
      let system: URLSessionWebSocketTask.Message =
        switch message {
        case .text(let text): .string(text)
        case .data(let bytes): .data(Data(bytes))
        }
      task.send(system) { [weak self] error in
        // A message that failed to be sent is reported with the end, which follows.
        if error == nil { self?.take(done) }
      }
    }

    func receive() {
      task.receive { [weak self] result in
        guard let self else { return }
        take { self.took(result) }
      }
    }

    func ping(_ pong: @escaping @Sendable () -> Void) {
      task.sendPing { [weak self] error in if error == nil { self?.take(pong) } }
    }

    func canClose(with code: UInt16) -> Bool { SystemSocketRules.canClose(with: code) }

    func close(_ code: UInt16, _ reason: String) {
      // The code was checked before. An open enumeration has a value for each number.
      guard let system = URLSessionWebSocketTask.CloseCode(rawValue: Int(code)) else {
        return fail(APIError(unsupported: "the close code \(code): the system has none"))
      }
      task.cancel(with: system, reason: reason.isEmpty ? nil : Data(reason.utf8))
    }

    func cut() {
      task.cancel()
      end(nil)
    }

    // MARK: Callbacks of the session, on its queue

    func opened(_ chosen: String?) {
      isOpen = true
      owner?.opened(SystemSocketRules.response(task.response as? HTTPURLResponse, choosing: chosen))
    }

    func closed(_ code: URLSessionWebSocketTask.CloseCode, _ reason: Data?) {
      owner?.receivedClose(
        SystemSocketRules.closeCode(code.rawValue),
        reason.map { String(decoding: $0, as: UTF8.self) } ?? "")
    }

    func completed(_ error: (any Error)?) {
      if !isOpen, let response = task.response as? HTTPURLResponse, response.statusCode != 101 {
        return end(nil, refusal: SystemSocketRules.response(response, choosing: nil))
      }
      end(error.map(failure))
    }

    private func failure(of error: any Error) -> APIError {
      let url = exchange.request.url
      if let failure = faults.failure(for: error, of: url) { return failure }
      let failure = SystemTrust.fault(in: error, host: url.host) ?? SystemSocketRules.error(error)
      faults.note(failure, of: url)
      return failure
    }

    /// Meets a challenge in a task of its own, so that the session's queue does not wait.
    func meet(
      _ challenge: URLAuthenticationChallenge, _ challenges: SystemChallenges,
      answer: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      Task.detached {
        do throws(APIError) {
          let (decision, trial) = try await challenges.decide(
            challenge, self.exchange, refused: self.trial.withLock { $0 })
          let (disposition, credential) = try await challenges.answer(decision, challenge)
          if let trial { self.trial.withLock { $0 = trial } }
          answer(disposition, credential)
        } catch {
          self.fail(error)
          answer(.cancelAuthenticationChallenge, nil)
        }
      }
    }

    func fail(_ error: APIError) {
      perform {
        self.end(error)
        self.task.cancel()
      }
    }

    private func took(_ result: Result<URLSessionWebSocketTask.Message, any Error>) {
      switch result {
      case .success(.string(let text)): owner?.received(.text(text))
      case .success(.data(let data)): owner?.received(.data([UInt8](data)))
      case .success:
        owner?.broke(APIError(.transport, .transportFailed, "the system gave a message of an unknown kind"))
      case .failure(let error): owner?.broke(SystemSocketRules.error(error))
      }
    }

    private func end(_ error: APIError?, refusal: HTTPResponse? = nil) {
      if !isOver { onEnd() }
      isOver = true
      owner.take()?.ended(error, refusal: refusal)
    }
  }

  extension URLSessionTransport {
    func makeSocket(
      _ exchange: HTTPExchange, _ wire: MessageWireTerms
    ) throws(APIError) -> URLSessionSocket {
      try capabilities.check(exchange, cleartext: configuration.cleartextInForce)
      guard exchange.challenges == nil, configuration.challenges == nil else {
        throw APIError(unsupported: "asking the application about challenges (challenges) of sockets")
      }
      let headers = exchange.headers(over: configuration.headers)
      let told = SystemRequestTerms(exchange.request, configuration)
      let request = try SystemSocketRules.request(exchange.request, headers: headers, wire, told: told)
      let (bridge, queue, faults) = (bridge, session.delegateQueue, terms.faults)
      return try bridge.add { () throws(APIError) in
        let task = session.webSocketTask(with: request)
        task.priority = told.priority
        task.maximumMessageSize = wire.maximumMessageBytes
        return URLSessionSocket(task, exchange, on: queue, faults: faults) { [weak bridge] in
          bridge?.forget(task)
        }
      }
    }
  }

  extension URLSessionBridge: URLSessionWebSocketDelegate {
    func urlSession(
      _ session: URLSession, webSocketTask: URLSessionWebSocketTask, didOpenWithProtocol chosen: String?
    ) {
      socket(webSocketTask)?.opened(chosen)
    }

    func urlSession(
      _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
      didCloseWith closeCode: URLSessionWebSocketTask.CloseCode, reason: Data?
    ) {
      socket(webSocketTask)?.closed(closeCode, reason)
    }
  }
#endif
