import APIKit

/// Sends by another transport, under the console's rules, and shows the console each request.
struct WatchedTransport: TransportWrapper {
  let base: any HTTPTransport
  let console: ConsoleState
  var time: any TimeSource = SystemTime()

  func follow(_ exchange: HTTPExchange, _ completion: @escaping Completion) -> Completion {
    console.keep(exchange)
    return completion
  }

  func start(_ exchange: HTTPExchange, completion: @escaping Completion) -> any CancellableOperation {
    let completion = follow(exchange, completion)
    guard let rule = console.rule(for: exchange.request.url) else {
      return base.start(exchange, completion: completion)
    }
    let ruled = RuledExchange(completion)
    let task = Task.detached {
      do throws(APIError) {
        switch try await outcome(of: exchange, rule) {
        case .response(let response): ruled.complete(.success(response))
        case .request(let exchange): ruled.begin(base.start(exchange) { ruled.complete($0) })
        }
      } catch {
        ruled.complete(.failure(error))
      }
    }
    ruled.begin(task)
    return ruled
  }

  /// What a rule makes of an exchange.
  private enum Outcome {
    case response(HTTPResponse)
    case request(HTTPExchange)
  }

  private func outcome(of exchange: HTTPExchange, _ rule: FaultRule) async throws(APIError) -> Outcome {
    let exchange = try await delayed(exchange, by: .milliseconds(rule.latencyMilliseconds))
    if rule.loss > 0, Double.random(in: 0..<1) < rule.loss {
      throw APIError(.transport, .connectionLost, "lost by the rule \(rule.pattern) of the console").unsent
    }
    guard let status = rule.status else { return .request(exchange) }
    return .response(try Self.response(status, to: exchange))
  }

  /// A response without a body, as it would have come over the wire: inspected at its head, and in its destination.
  private static func response(
    _ status: Int, to exchange: HTTPExchange
  ) throws(APIError) -> HTTPResponse {
    var response = HTTPResponse(
      status: status, headers: ["X-Console-Rule": "1"], url: exchange.request.url)
    try exchange.inspect(status, response.headers, evidence: response.evidence)
    var destination = exchange.destination
    if let path = exchange.file(status: status, response.headers) { destination = .file(path: path) }
    switch destination {
    case .memory: break
    case .stream: response.body = .stream(ResponseStream { nil })
    case .file(let path, _):
      // As over every transport, only a successful response takes the place of a file.
      guard ResponseFile.takes(status: status) else { break }
      var file = try ResponseFile(path: path)
      try file.commit()
      response.body = .file(path: path, count: 0)
    }
    return response
  }

  /// Waits as a slow server would have the request wait: it ends at the timeouts of the request, and what it took is taken from
  /// the time that is left.
  private func delayed(_ exchange: HTTPExchange, by latency: Duration) async throws(APIError) -> HTTPExchange
  {
    guard latency > .zero else { return exchange }
    let limits = exchange.request.timeouts.filled(from: base.madeWith?.timeouts ?? .standard)
    var (wait, failure): (Duration, APIError?) = (latency, nil)
    if let idle = limits.idle, idle != .zero, idle < wait {
      (wait, failure) = (idle, APIError(.transport, .idleTimeout, "no bytes for \(idle)"))
    }
    let total = limits.total.flatMap { $0 == .zero ? nil : $0 }
    if let total, total <= wait {
      (wait, failure) = (total, APIError(.transport, .totalTimeout, "not finished in \(total)"))
    }
    do { try await time.sleep(running: wait) } catch { throw APIError(.transport, .cancelled).unsent }
    if let failure { throw failure.unsent }
    var exchange = exchange
    if let total { exchange.request.timeouts.ceiling = total - wait }
    return exchange
  }
}

/// An exchange under a rule: first the task that applies the rule, then the request.
private final class RuledExchange: SuspendableOperation {
  private struct RuledState {
    var task: Task<Void, Never>?
    var request: (any CancellableOperation)?
    var isCancelled = false
    var isSuspended = false
    /// The outcome that came while it was suspended.
    var kept: Result<HTTPResponse, APIError>?
  }

  private let state = Mutex(RuledState())
  private let completion: WatchedTransport.Completion

  init(_ completion: @escaping WatchedTransport.Completion) { self.completion = completion }

  /// The rule is being applied.
  func begin(_ task: Task<Void, Never>) {
    let isCancelled = state.withLock { state in
      state.task = task
      return state.isCancelled
    }
    if isCancelled { task.cancel() }
  }

  /// Takes the request when it has begun; it is cancelled or suspended if that was asked for meanwhile.
  func begin(_ request: any CancellableOperation) {
    let state = state.withLock { state in
      state.request = request
      return state
    }
    if state.isCancelled { request.cancel() }
    if state.isSuspended { suspend(request) }
  }

  /// Takes the outcome, and keeps it until `resume()` while the exchange is suspended: neither a rule nor a request that began
  /// at that moment waits by itself.
  func complete(_ result: Result<HTTPResponse, APIError>) {
    let isKept = state.withLock { state in
      if state.isSuspended, !state.isCancelled { state.kept = result }
      return state.kept != nil
    }
    if !isKept { completion(result) }
  }

  func cancel() {
    let state = state.withLock { state in
      state.isCancelled = true
      defer { state.kept = nil }
      return state
    }
    state.task?.cancel()
    state.request?.cancel()
    if state.kept != nil { completion(.failure(APIError(.transport, .cancelled))) }
  }

  func suspend() {
    let request = state.withLock { state in
      state.isSuspended = true
      return state.request
    }
    if let request { suspend(request) }
  }

  func resume() {
    let state = state.withLock { state in
      state.isSuspended = false
      defer { state.kept = nil }
      return state
    }
    (state.request as? any SuspendableOperation)?.resume()
    if let kept = state.kept { completion(kept) }
  }

  private func suspend(_ request: any CancellableOperation) {
    guard let request = request as? any SuspendableOperation else { return }
    request.suspend()
    // It may have been let go by another thread, which came before.
    if !state.withLock({ $0.isSuspended }) { request.resume() }
  }
}
