public import APIKit

/// A transport for tests: returns scripted responses and records the requests, without a network.
///
/// ```swift
/// let stub = StubTransport()
/// stub.on(.get, "/rents", .failure(.connectionLost), .json(#"{"items": []}"#))
/// ```
/// The responses of one rule are returned in order; the last one is repeated. Of several rules that match,
/// the one added last applies, so a test may override what its set-up scripted. A request that no rule
/// matches fails with `APIError.Reason.misconfigured`, and the error names it. Size limits, files, streams,
/// head inspection, progress, cancellation and the idle and total time limits work as with a real
/// transport; no time passes for the limits while the test holds a request. May be used from any thread.
public final class StubTransport: AsyncHTTPTransport {
  /// The capabilities of the stub; all by default. A test may pass fewer.
  public let capabilities: TransportCapabilities
  /// The options of its configuration for all loads; none by default.
  public let loadOptions: LoadOptions
  private let logins = MemoryLoginStore()

  private final class Rule: Sendable {
    /// In the error of a request that no rule matches.
    let name: String
    let matches: @Sendable (HTTPRequest) -> Bool
    let responses: [StubResponse]
    private let used = Mutex(0)

    init(name: String, matches: @escaping @Sendable (HTTPRequest) -> Bool, responses: [StubResponse]) {
      (self.name, self.matches, self.responses) = (name, matches, responses)
    }

    func next() -> StubResponse {
      used.withLock { used in
        defer { used = min(used + 1, responses.count - 1) }
        return responses[used]
      }
    }
  }

  private struct StubState {
    var rules: [Rule] = []
    var requests: [HTTPRequest] = []
    var waiters = CountWaiters()
  }

  private let state = Mutex(StubState())
  private let gate = StubGate(isOpen: true)
  private let clock: any Clock<Duration>
  private let keepsRequests: Bool

  /// Makes a stub.
  ///
  /// - Parameters:
  ///   - responses: The responses to every request that no other rule matches, in order; the last one is
  ///     repeated. None by default.
  ///   - capabilities: Its capabilities; all by default.
  ///   - clock: The clock of ``StubResponse/after(_:_:)`` and ``StubResponse/silence``, and of the time
  ///     limits during them; the system's by default.
  ///   - loadOptions: The options of its configuration for all loads; none by default.
  ///   - keepsRequests: Whether ``requests`` records; true by default. Use false in tests with very many
  ///     requests.
  public init(
    _ responses: StubResponse..., capabilities: TransportCapabilities = .all,
    clock: any Clock<Duration> = ContinuousClock(), loadOptions: LoadOptions = .none,
    keepsRequests: Bool = true
  ) {
    self.loadOptions = loadOptions
    self.capabilities = capabilities
    self.clock = clock
    self.keepsRequests = keepsRequests
    if !responses.isEmpty { add(responses, "every request") { _ in true } }
  }

  /// Scripts the responses to a method and a path. A path that ends with `*` matches every path with that
  /// beginning.
  public func on(_ method: HTTPMethod, _ path: String, _ responses: StubResponse...) {
    add(responses, "\(method) \(path)") { $0.method == method && Self.matches($0.url.path, path) }
  }

  /// Scripts the responses to a path, for every method. A path that ends with `*` matches every path with
  /// that beginning.
  public func on(_ path: String, _ responses: StubResponse...) {
    add(responses, path) { Self.matches($0.url.path, path) }
  }

  /// Scripts the responses to the requests for which a closure returns true. The closure runs for each request that no later
  /// rule matches, on the thread that sends it; it may use the stub.
  public func when(_ matches: @escaping @Sendable (HTTPRequest) -> Bool, _ responses: StubResponse...) {
    add(responses, "when(…)", matches)
  }

  /// Removes all rules, those of the initialiser included, and all recorded requests.
  public func reset() {
    state.withLock { state in
      state.rules = []
      state.requests = []
    }
  }

  // MARK: What was asked

  /// Every request so far, in order. Bodies from files and streams are recorded as bytes.
  public var requests: [HTTPRequest] { state.withLock { $0.requests } }

  /// Returns the recorded requests when there are at least `count`.
  ///
  /// Throws `APIError.Reason.totalTimeout` when there are fewer after `limit`, or when the task is
  /// cancelled. The default limit is 10 seconds of real time. Throws `misconfigured` at once for a stub that keeps no
  /// requests.
  @discardableResult
  public func waitForRequests(
    _ count: Int, within limit: Duration = .seconds(10)
  ) async throws(APIError) -> [HTTPRequest] {
    guard keepsRequests || count < 1 else {
      throw APIError(
        .transport, .misconfigured,
        "the stub was made with keepsRequests: false, so it does not count requests")
    }
    let came = await wait(for: count, within: limit)
    let requests = self.requests
    guard came, requests.count >= count else {
      throw APIError(.transport, .totalTimeout, "\(requests.count) of \(count) requests came in \(limit)")
    }
    return requests
  }

  // MARK: Holding

  /// Holds every later request, after it was recorded, until ``release()`` or ``release(_:)``, or until a limit that it states.
  public func hold() { gate.close() }

  /// Lets all held and all later requests continue.
  public func release() { gate.open() }

  /// Lets `count` held requests continue, the oldest first. When fewer are held, the rest of the count
  /// applies to later requests.
  public func release(_ count: Int) { gate.pass(count) }

  /// The number of requests that are held now.
  public var heldCount: Int { gate.waiting }

  // MARK: HTTPTransport

  /// Returns the scripted response. A 401 that asks for a login is shown to the exchange's
  /// `challenges`, and the request with the login gets the next response.
  public func respond(to exchange: HTTPExchange) async throws(APIError) -> HTTPResponse {
    try capabilities.check(exchange)
    guard let handler = exchange.challenges else { return try await attempt(exchange) }
    return try await ChallengedExchange(handler: handler, logins: logins).respond(to: exchange) {
      (exchange) async throws(APIError) in try await self.attempt(exchange)
    }
  }

  private func attempt(_ exchange: HTTPExchange) async throws(APIError) -> HTTPResponse {
    let start = ContinuousClock.now
    var request = exchange.request
    request.body = try await StubWire.read(request.body)
    guard !Task.isCancelled else { throw StubWire.cancelled }
    let response = try record(request)
    var wire = StubWire(exchange: exchange, request: request, clock: clock, start: start)
    do throws(APIError) { try await wire.pass(gate) } catch { throw wire.measured(error) }
    return try await wire.perform(response)
  }

  /// Starts an exchange in a task. One that is suspended completes when it is resumed.
  public func start(
    _ exchange: HTTPExchange, completion: @escaping Completion
  ) -> any CancellableOperation {
    let pause = StubGate(isOpen: true)
    let task = Task.detached {
      do throws(APIError) {
        let response = try await self.respond(to: exchange)
        guard await pause.arrive() else { throw StubWire.cancelled }
        completion(.success(response))
      } catch {
        completion(.failure(error))
      }
    }
    return Operation(task: task, pause: pause)
  }

  private struct Operation: SuspendableOperation {
    let task: Task<Void, Never>
    let pause: StubGate
    func cancel() { task.cancel() }
    func suspend() { pause.close() }
    func resume() { pause.open() }
  }

  // MARK: Insides

  func add(
    _ responses: [StubResponse], _ name: String, _ matches: @escaping @Sendable (HTTPRequest) -> Bool
  ) {
    state.withLock { $0.rules.append(Rule(name: name, matches: matches, responses: responses)) }
  }

  private static func matches(_ path: String, _ pattern: String) -> Bool {
    pattern.hasSuffix("*") ? path.hasPrefix(pattern.dropLast()) : path == pattern
  }

  private func record(_ request: HTTPRequest) throws(APIError) -> StubResponse {
    let (rules, reached) = state.withLock { state in
      if keepsRequests { state.requests.append(request) }
      return (state.rules, state.waiters.reached(state.requests.count))
    }
    for one in reached { one.resume(returning: true) }
    guard let rule = rules.last(where: { $0.matches(request) && !$0.responses.isEmpty }) else {
      throw APIError(
        .transport, .misconfigured,
        "the stub has no response for \(request.method) \(request.url)\(advice(for: request.url.path))")
    }
    return rule.next()
  }

  /// The rules that there are, and the one that lacks the path of the base URL.
  private func advice(for path: String) -> String {
    let names = state.withLock { state in
      state.rules.map { $0.responses.isEmpty ? "\($0.name) (without a response)" : $0.name }
    }
    guard !names.isEmpty else { return "; script one with on(_:_:_:)" }
    let list = names.prefix(Self.listedRules).joined(separator: ", ")
    var advice = "; its rules are \(list)\(names.count > Self.listedRules ? " and others" : "")"
    // A rule has the whole path, that of the base URL included.
    let short = names.first { name in
      let end = name.drop { $0 != "/" }
      return end.count > 1 && path != end && path.hasSuffix(end)
    }
    if let short {
      advice += ". A rule states the whole path, with that of the base URL: \(path) in place of \(short)"
    } else if let query = names.first(where: { $0.contains("/") && $0.contains("?") }) {
      advice += ". A rule states the path alone: \(query) has a query, for which when(_:_:) is"
    } else if let bare = names.first(where: { "/" + ($0.split(separator: " ").last ?? "") == path }) {
      advice += ". The path of a rule begins with a slash: \(path) in place of \(bare)"
    }
    return advice
  }

  /// How many rules an error lists.
  private static let listedRules = 12
}

extension StubTransport: CountOwner {
  func withWaiters<Value: Sendable>(_ body: (inout CountWaiters, _ count: Int) -> Value) -> Value {
    state.withLock { body(&$0.waiters, $0.requests.count) }
  }
}
