/// Lets an attempt through to its host: when it is its turn, and when the circuit breaker lets it.
///
/// Asked for every attempt, so that a load that waits before a retry takes nobody's place.
struct AdmissionStep {
  private let call: APICall
  private let sharedState: SharedState
  private let deadline: FlightDeadline
  private let host: HostKey
  private let limits: HostLimits?
  private let breaker: BreakerPolicy?

  /// Whether the service has limits or a breaker.
  static func holds(_ call: APICall) -> Bool {
    call.service.hostLimits != nil || call.service.breaker != nil
  }

  /// A breaker's pass, with what it is for.
  typealias Pass = (pass: CircuitBreaker.Pass, key: Breakers.Key)?

  init(_ flight: Flight, _ url: HTTPURL) {
    call = flight.call
    sharedState = flight.sharedState
    deadline = flight.deadline
    limits = call.service.hostLimits
    breaker = call.service.breaker
    host = HostKey(url)
  }

  /// Waits for the attempt's turn. Throws when the breaker is open.
  func enter() async throws(APIError) -> Pass {
    if let limits { try await takeTurn(at: host, limits) }
    guard let breaker else { return nil }
    let key = Breakers.Key(call, host, breaker.scope)
    switch sharedState.breakers.admit(key, breaker, now: call.time.now) {
    case .pass(let pass): return (pass, key)
    case .refuse(let wait):
      leaveTurn()
      call.recorder.record(.breaker("open for \(key)"))
      throw APIError(
        .takeoff, .circuitOpen,
        "\(key) has failed too often"
          + (wait > .zero ? "; it is tried again in \(wait.shortText)" : " and is being tried"))
    }
  }

  /// The attempt has ended; with an error where it failed.
  func leave(_ pass: Pass, after error: APIError? = nil) {
    if let pass { report(error.map(end) ?? .good, pass.pass, pass.key) }
    leaveTurn()
  }

  private func leaveTurn() {
    if limits != nil { sharedState.hostLimiter.leave(host, now: call.time.now) }
  }

  private func takeTurn(at host: HostKey, _ limits: HostLimits) async throws(APIError) {
    let turns = sharedState.hostLimiter
    if turns.takeAtOnce(call, at: host, limits: limits) { return }
    let start = call.time.now
    try await deadline.limitWait(call.time) { [call] () throws(APIError) in
      guard await turns.take(call, at: host, limits: limits) else { throw APIError(.takeoff, .cancelled) }
    }
    let waited = call.time.now - start
    if waited > .milliseconds(1) { call.recorder.record(.held(waited, host: host.description)) }
  }

  private func report(_ end: CircuitBreaker.End, _ pass: CircuitBreaker.Pass, _ key: Breakers.Key) {
    switch sharedState.breakers.report(end, of: pass, key, now: call.time.now) {
    case .opened(let interval): call.recorder.record(.breaker("opened for \(interval.shortText) for \(key)"))
    case .closed: call.recorder.record(.breaker("closed for \(key)"))
    case nil: break
    }
  }

  private func end(of error: APIError) -> CircuitBreaker.End {
    if call.service.isOutage(error) { return .bad }
    // Anything else that has an answer shows a server at work.
    return error.evidence != nil ? .good : .unknown
  }
}
