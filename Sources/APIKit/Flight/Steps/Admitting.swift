/// Step `admit`: an attempt has its slot at the host, and the circuit breaker lets it through.
///
/// Asked for every attempt, so that a load that waits before a retry holds no slot.
extension Flight {
  /// The permits of an attempt at its host, held until the attempt is over.
  struct Admission {
    let host: HostKey
    var holdsSlot = false
    var permit: (CircuitBreaker.Permit, key: Breakers.BreakerKey)?
  }

  func admit() throws(APIError) -> Progress {
    guard call.admission.hostLimits != nil || call.admission.breaker != nil, let request = run.request
    else { return .next }
    let host = HostKey(request.url)
    run.admission = Admission(host: host)
    guard let limits = call.admission.hostLimits else { return try askBreaker(host) }
    if shared.hostLimiter.enterAtOnce(call, at: host, limits: limits) {
      run.admission?.holdsSlot = true
      return try askBreaker(host)
    }
    tell(waitsFor: .slot(host: host.description))
    return .wait { () throws(APIError) in
      try await self.waitForPlace(at: host, limits)
      _ = try self.askBreaker(host)
      return nil
    }
  }

  private func waitForPlace(at host: HostKey, _ limits: HostLimits) async throws(APIError) {
    let waited = try await waitInLine { [call, shared] () throws(APIError) in
      let hasPlace = await shared.hostLimiter.enter(call, at: host, limits: limits) {
        shared.joins.priority(of: call)
      }
      guard hasPlace else { throw APIError(.takeoff, .cancelled) }
    }
    run.admission?.holdsSlot = true
    if let waited { note(.held(waited, host: host.description)) }
  }

  private func askBreaker(_ host: HostKey) throws(APIError) -> Progress {
    guard let breaker = call.admission.breaker else { return .next }
    let key = Breakers.BreakerKey(call, host, breaker)
    if let owed = run.way?.owed, owed.key != key { settle() }
    switch shared.breakers.admit(key, holding: run.way?.owed?.0, for: self, now: call.time.now) {
    case .permit(let permit):
      run.admission?.permit = (permit, key)
      run.way?.owed = nil
    case .refuse(let wait):
      note(.breaker("open for \(key)"))
      throw APIError(
        .takeoff, .circuitOpen,
        "\(key) has failed too often"
          + (wait > .zero ? "; it is tried again in \(wait.shortText)" : " and is being tried"))
    }
    return .next
  }

  /// The attempt is over; with an error where it failed. Nothing happens when its place was left before.
  func leaveHost(after error: APIError? = nil) {
    if run.isPaced {
      run.isPaced = false
      shared.rateLimiter.giveBack(call, RateLimiter.RateKey(call))
    }
    // The host itself has responded, with a redirect to another origin.
    let isWell = run.isElsewhere
    if run.way != nil { leaveServer(after: isWell ? .good : outcome(of: error)) }
    guard let admission = run.admission.take() else { return }
    if let (permit, key) = admission.permit {
      let outcome = isWell && call.admission.breaker?.scope == .host ? .good : outcome(of: error)
      if let way = run.way, outcome == .bad {
        // Another server may do better: the breaker is about the load's end, and the load keeps its permit until then.
        way.owed = (permit, key)
      } else {
        report(outcome, of: permit, key)
      }
    }
    if admission.holdsSlot { shared.hostLimiter.leave(call, at: admission.host) }
  }

  /// The load ends with the failure that the breaker was not told of. One that was cancelled says nothing: another server
  /// might have done better.
  func settle() {
    guard let (permit, key) = run.way?.owed.take() else { return }
    report(cancellation.isCancelled ? .unknown : .bad, of: permit, key)
  }

  private func report(
    _ outcome: CircuitBreaker.Outcome, of permit: CircuitBreaker.Permit, _ key: Breakers.BreakerKey
  ) {
    switch shared.breakers.report(outcome, of: permit, key, now: call.time.now) {
    case .opened(let interval): note(.breaker("opened for \(interval.shortText) for \(key)"))
    case .closed: note(.breaker("closed for \(key)"))
    case nil: break
    }
  }

  private func outcome(of error: APIError?) -> CircuitBreaker.Outcome {
    guard let error else { return .good }
    // A cancellation may come on any thread, where the service is not asked.
    if cancellation.isCancelled || error.reason == .cancelled { return .unknown }
    // The load's own time was over before it was sent.
    if error.reason == .deadlineExceeded, error.requestProgress == .unsent { return .unknown }
    if call.service.isOutage(error) { return .bad }
    // Anything else that has a response shows a server at work.
    return error.evidence != nil ? .good : .unknown
  }
}
