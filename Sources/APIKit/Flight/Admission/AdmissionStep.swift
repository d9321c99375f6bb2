/// Lets an attempt through to its host: when it is its turn, and when the circuit breaker lets it.
///
/// Asked for every attempt, so that a load that waits before a retry takes nobody's place.
struct AdmissionStep {
  let call: APICall
  let airspace: Airspace
  let deadline: FlightDeadline

  func run(
    _ url: HTTPURL, _ attempt: () async throws(APIError) -> APIResponse
  ) async throws(APIError) -> APIResponse {
    let limits = call.service.hostLimits
    let breaker = call.service.breaker
    if limits == nil, breaker == nil { return try await attempt() }

    let host = HostKey(url)
    if let limits { try await takeTurn(at: host, limits) }
    defer { if limits != nil { airspace.turns.leave(host, now: call.time.now) } }
    guard let breaker else { return try await attempt() }

    let key = Breakers.Key(call, host, breaker.scope)
    let pass: CircuitBreaker.Pass
    switch airspace.breakers.admit(key, breaker, now: call.time.now) {
    case .pass(let given): pass = given
    case .refuse(let wait):
      call.recorder.record(.breaker("open for \(key)"))
      throw APIError(
        .takeoff, .circuitOpen,
        "\(key) has failed too often"
          + (wait > .zero ? "; it is tried again in \(wait.shortText)" : " and is being tried"))
    }
    do {
      let response = try await attempt()
      report(.good, pass, key)
      return response
    } catch {
      report(end(of: error), pass, key)
      throw error
    }
  }

  private func takeTurn(at host: HostKey, _ limits: HostLimits) async throws(APIError) {
    let turns = airspace.turns
    if turns.takeAtOnce(call, at: host, limits: limits) { return }
    let start = call.time.now
    try await deadline.limitWait(call.time) { [call] () throws(APIError) in
      guard await turns.take(call, at: host, limits: limits) else { throw APIError(.takeoff, .cancelled) }
    }
    let waited = call.time.now - start
    if waited > .milliseconds(1) { call.recorder.record(.held(waited, host: host.description)) }
  }

  private func report(_ end: CircuitBreaker.End, _ pass: CircuitBreaker.Pass, _ key: Breakers.Key) {
    switch airspace.breakers.report(end, of: pass, key, now: call.time.now) {
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
