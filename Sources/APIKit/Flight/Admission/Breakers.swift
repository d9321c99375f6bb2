/// The circuit breakers of all hosts and APIs that have one.
final class Breakers: Sendable {
  /// The attempts that one breaker watches. Services with different policies have a breaker each at one host.
  struct BreakerKey: Hashable, Sendable, CustomStringConvertible {
    let host: HostKey
    /// Service and API where the breaker is the API's own.
    let api: String?
    let policy: BreakerPolicy

    /// Without the policy, which few keys differ in.
    func hash(into hasher: inout Hasher) {
      hasher.combine(host)
      hasher.combine(api)
    }

    var description: String { api.map { "\(host) \($0)" } ?? host.description }
  }

  private let breakers = Mutex(PrunedTable<BreakerKey, SharedBreaker>())

  func admit(
    _ key: BreakerKey, holding held: CircuitBreaker.Permit? = nil, for flight: Flight? = nil, now: Duration
  ) -> CircuitBreaker.Admission {
    breakers.withLock { breakers in
      if let known = breakers[key] { return known.admit(now: now, holding: held, for: flight) }
      breakers.makeRoom(for: key) { $0.breaker.isIdle(now: now) }
      let new = SharedBreaker(CircuitBreaker(policy: key.policy, now: now))
      breakers[key] = new
      return new.admit(now: now, holding: held, for: flight)
    }
  }

  func report(
    _ end: CircuitBreaker.Outcome, of permit: CircuitBreaker.Permit, _ key: BreakerKey, now: Duration
  ) -> CircuitBreaker.Change? {
    breakers.withLock { $0[key]?.breaker.report(end, of: permit, now: now) }
  }

  /// How many are kept.
  var count: Int { breakers.withLock { $0.values.count } }

  /// The keys of those that are not closed.
  var open: [BreakerKey] {
    breakers.withLock { $0.values.filter { $0.value.breaker.state != .closed }.map(\.key) }
  }

  func reset() { breakers.withLock { $0 = PrunedTable() } }
}

/// A breaker with the flights that probe for it; an object, so that a load's two looks at it copy nothing. Used under the lock
/// of ``Breakers``.
private final class SharedBreaker {
  private struct Probe {
    let permit: CircuitBreaker.Permit
    weak var flight: Flight?
  }

  var breaker: CircuitBreaker
  /// The flights that probe while it is half open.
  private var probes: [Probe] = []

  init(_ breaker: CircuitBreaker) { self.breaker = breaker }

  func admit(
    now: Duration, holding held: CircuitBreaker.Permit?, for flight: Flight?
  ) -> CircuitBreaker.Admission {
    var admission = breaker.admit(now: now, holding: held)
    if case .refuse(retryIn: .zero) = admission {
      // A probe that nobody wants any more gives its permit to the next load, though its transport has not ended yet.
      for probe in probes where probe.flight?.cancellation.isCancelled ?? true {
        _ = breaker.report(.unknown, of: probe.permit, now: now)
      }
      admission = breaker.admit(now: now, holding: held)
    }
    if case .permit(let permit) = admission, case .halfOpen = breaker.state {
      probes.removeAll { $0.flight == nil || $0.flight === flight }
      probes.append(Probe(permit: permit, flight: flight))
    } else if !probes.isEmpty, breaker.state == .closed {
      probes = []
    }
    return admission
  }
}

extension Breakers.BreakerKey {
  init(_ call: APICall, _ host: HostKey, _ policy: BreakerPolicy) {
    self.init(
      host: host, api: policy.scope == .api ? "\(call.service.name) \(call.method) \(call.apiName)" : nil,
      policy: policy)
  }
}
