import Synchronization

/// The circuit breakers of all hosts and APIs that have one.
final class Breakers: Sendable {
  /// What one breaker watches over.
  struct Key: Hashable, Sendable, CustomStringConvertible {
    let host: HostKey
    /// Service and API where the breaker is the API's own.
    let api: String?

    init(_ call: APICall, _ host: HostKey, _ scope: BreakerPolicy.Scope) {
      self.host = host
      api = scope == .api ? "\(call.service.name) \(call.method) \(call.apiName)" : nil
    }

    var description: String { api.map { "\(host) \($0)" } ?? host.description }
  }

  private let breakers = Mutex<[Key: CircuitBreaker]>([:])

  func admit(
    _ key: Key, _ policy: BreakerPolicy, holding held: CircuitBreaker.Permit? = nil, now: Duration
  ) -> CircuitBreaker.Admission {
    breakers.withLock { breakers in
      // A policy that has changed begins with a new breaker.
      if breakers[key]?.policy != policy { breakers[key] = CircuitBreaker(policy: policy, now: now) }
      return breakers[key, default: CircuitBreaker(policy: policy, now: now)].admit(
        now: now, holding: held)
    }
  }

  func report(
    _ end: CircuitBreaker.Outcome, of permit: CircuitBreaker.Permit, _ key: Key, now: Duration
  ) -> CircuitBreaker.Change? {
    breakers.withLock { $0[key]?.report(end, of: permit, now: now) }
  }

  /// The keys of those that are not closed.
  var open: [Key] { breakers.withLock { $0.filter { $0.value.state != .closed }.map(\.key) } }

  func reset() { breakers.withLock { $0 = [:] } }
}
