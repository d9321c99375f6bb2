public import APIKit
import Synchronization

/// A transport without a wire, for tests: gives scripted answers and keeps what it was asked.
///
/// ```swift
/// let stub = StubTransport()
/// stub.on(.get, "/rents", .failure(.connectionLost), .json(#"{"items": []}"#))
/// ```
/// Answers of one rule are given in order and the last one for ever. Of several rules that match, the
/// latest wins, so a test may override what its set-up scripted. A request that no rule matches fails with
/// ``APIError/Reason/misconfigured`` naming it. Size limits, files, streams, head inspection, progress,
/// cancellation and the limits in time work as on a real wire. May be used from any thread.
public final class StubTransport: AsyncHTTPTransport {
  /// What the stub claims to be able to do; everything by default. A test may take some away.
  public let capabilities: TransportCapabilities

  private struct Rule {
    let matches: @Sendable (HTTPRequest) -> Bool
    let answers: [StubResponse]
    var used = 0
  }

  private struct State {
    var rules: [Rule] = []
    var requests: [HTTPRequest] = []
    var watchers: [(id: UInt64, count: Int, continuation: CheckedContinuation<Bool, Never>)] = []
    var nextWatcher: UInt64 = 0
  }

  private let state = Mutex(State())
  private let gate = StubGate(isOpen: true)
  private let clock: any Clock<Duration>
  private let keepsRequests: Bool

  /// Makes a stub.
  ///
  /// - Parameters:
  ///   - answers: For every request that no rule matches, in order, the last one repeated. None by default.
  ///   - capabilities: What it claims to be able to do; everything by default.
  ///   - clock: Measures the waits of ``StubResponse/after(_:_:)``; the system's by default.
  ///   - keepsRequests: Whether ``requests`` records; false for long loads.
  public init(
    _ answers: StubResponse..., capabilities: TransportCapabilities = .all,
    clock: any Clock<Duration> = ContinuousClock(), keepsRequests: Bool = true
  ) {
    self.capabilities = capabilities
    self.clock = clock
    self.keepsRequests = keepsRequests
    if !answers.isEmpty { add(answers) { _ in true } }
  }

  /// Scripts the answers to a method and a path. A path that ends in `*` matches what begins like it.
  public func on(_ method: HTTPMethod, _ path: String, _ answers: StubResponse...) {
    add(answers) { $0.method == method && Self.matches($0.url.path, path) }
  }

  /// Scripts the answers to a path, whatever the method. A path that ends in `*` matches what begins like it.
  public func on(_ path: String, _ answers: StubResponse...) {
    add(answers) { Self.matches($0.url.path, path) }
  }

  /// Scripts the answers to the requests that a closure picks.
  public func when(_ matches: @escaping @Sendable (HTTPRequest) -> Bool, _ answers: StubResponse...) {
    add(answers, matches)
  }

  /// Forgets all rules and recorded requests.
  public func reset() {
    state.withLock { state in
      state.rules = []
      state.requests = []
    }
  }

  // MARK: What was asked

  /// Every request so far, in the order they came. Bodies from files and streams stand there as bytes.
  public var requests: [HTTPRequest] { state.withLock { $0.requests } }

  /// Returns the requests once there are `count` of them.
  ///
  /// Throws ``APIError/Reason/totalTimeout`` when they do not come within the limit, 10 seconds by default.
  @discardableResult
  public func waitForRequests(
    _ count: Int, within limit: Duration = .seconds(10)
  ) async throws(APIError) -> [HTTPRequest] {
    let id = state.withLock { state in
      defer { state.nextWatcher += 1 }
      return state.nextWatcher
    }
    let timer = Task { [self] in
      try await Task.sleep(for: limit)
      dismissWatcher(id)
    }
    defer { timer.cancel() }
    let came = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
        let isThere = state.withLock { state in
          let isThere = state.requests.count >= count
          if !isThere, !Task.isCancelled { state.watchers.append((id, count, continuation)) }
          return isThere || Task.isCancelled
        }
        if isThere { continuation.resume(returning: true) }
      }
    } onCancel: {
      dismissWatcher(id)
    }
    let requests = self.requests
    guard came, requests.count >= count else {
      throw APIError(.transport, .totalTimeout, "\(requests.count) of \(count) requests came in \(limit)")
    }
    return requests
  }

  // MARK: Holding

  /// Holds every later request after it was recorded, until ``release()`` or ``release(_:)``.
  public func hold() { gate.close() }

  /// Lets all held requests go on, and every later one.
  public func release() { gate.open() }

  /// Lets `count` held requests go on, the oldest first.
  public func release(_ count: Int) { gate.pass(count) }

  /// How many requests are held now.
  public var heldCount: Int { gate.waiting }

  // MARK: HTTPTransport

  /// Gives the scripted response.
  public func respond(to exchange: HTTPExchange) async throws(APIError) -> HTTPResponse {
    try capabilities.check(exchange)
    let start = ContinuousClock.now
    var request = exchange.request
    request.body = try await StubWire.read(request.body)
    guard !Task.isCancelled else { throw StubWire.cancelled }
    let answer = try record(request)
    guard await gate.arrive() else { throw StubWire.cancelled }
    var wire = StubWire(exchange: exchange, request: request, clock: clock, start: start)
    return try await wire.perform(answer)
  }

  // MARK: Insides

  private func add(_ answers: [StubResponse], _ matches: @escaping @Sendable (HTTPRequest) -> Bool) {
    state.withLock { $0.rules.append(Rule(matches: matches, answers: answers)) }
  }

  private static func matches(_ path: String, _ pattern: String) -> Bool {
    pattern.hasSuffix("*") ? path.hasPrefix(pattern.dropLast()) : path == pattern
  }

  private func record(_ request: HTTPRequest) throws(APIError) -> StubResponse {
    let (answer, reached) = state.withLock { state -> (StubResponse?, [CheckedContinuation<Bool, Never>]) in
      var reached: [CheckedContinuation<Bool, Never>] = []
      if keepsRequests {
        state.requests.append(request)
        let count = state.requests.count
        if !state.watchers.isEmpty {
          reached = state.watchers.filter { $0.count <= count }.map(\.continuation)
          state.watchers.removeAll { $0.count <= count }
        }
      }
      guard let index = state.rules.lastIndex(where: { $0.matches(request) && !$0.answers.isEmpty }) else {
        return (nil, reached)
      }
      let answers = state.rules[index].answers
      let turn = min(state.rules[index].used, answers.count - 1)
      state.rules[index].used = turn + 1
      return (answers[turn], reached)
    }
    for one in reached { one.resume(returning: true) }
    guard let answer else {
      throw APIError(
        .transport, .misconfigured,
        "the stub has no answer for \(request.method) \(request.url); script one with on(_:_:_:)")
    }
    return answer
  }

  private func dismissWatcher(_ id: UInt64) {
    let left = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      guard let index = state.watchers.firstIndex(where: { $0.id == id }) else { return nil }
      return state.watchers.remove(at: index).continuation
    }
    left?.resume(returning: false)
  }
}
