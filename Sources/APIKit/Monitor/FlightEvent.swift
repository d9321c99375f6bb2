/// One thing that happened to a flight, with its reason.
///
/// Written by the steps of the walk as they decide. New cases may be added, so a `switch` needs a default.
/// Texts hold no secrets: they are printed as they are.
public enum FlightEvent: Sendable {
  /// The takeoff policy, an interceptor or the parameters' validation refused the load; the error's label
  /// and what it says.
  case refused(label: String, detail: String)
  /// The takeoff policy holds the load back; the rule's name.
  case waiting(policy: String)
  /// The load took off under this policy.
  case tookOff(policy: String)
  /// What the cache decided, in words: `miss`, `fresh in memory for 40 s`.
  case cache(String)
  /// The load was put into one call with others; how many, and the flight that makes it.
  case batched(count: Int, leader: FlightID)
  /// The load shares the wire call of another flight.
  case joined(FlightID)
  /// What the network gate decided, in words.
  case network(String)
  /// The load waited so long for its turn at the host.
  case held(Duration, host: String)
  /// The circuit breaker's word on the load.
  case breaker(String)
  /// Another answer takes the place of the one asked for, and which.
  case downgraded(String)
  /// An attempt begins, counted from 1.
  case attempt(Int, host: String)
  /// The server responded to the attempt.
  indirect case responded(status: Int, metrics: TransportMetrics)
  /// The attempt failed; the error's label and what it says.
  case attemptFailed(label: String, detail: String)
  /// The load is sent again after so long, and why.
  case retry(after: Duration, because: String)
  /// The failure is final, and why no further attempt is made.
  case gaveUp(because: String)
  /// The server's clock was learned; how many seconds it is ahead of the device's.
  case learnedClock(offset: Double)
  /// The load waits for something outside: a network, a sign-in, the service's hook.
  case suspended(String)
  /// The wait is over.
  case resumed
  /// Something that a step or a service wants to be read, by a name.
  case note(String, String)
  /// The end.
  case landed(FlightLanding)
}

/// How a flight ended, as its record keeps it.
public enum FlightLanding: Sendable, Hashable {
  /// With an answer, from where.
  case succeeded(Provenance)
  /// With an error: its label and what it says.
  case failed(label: String, detail: String)
  /// Cancelled; the reason's name.
  case cancelled(String)
}

extension FlightEvent: CustomStringConvertible {
  /// The event in one line.
  public var description: String {
    switch self {
    case .refused(let label, let detail): "takeoff refused (\(label)): \(detail)"
    case .waiting(let policy): "waits by its takeoff policy: \(policy)"
    case .tookOff(let policy): "took off (\(policy))"
    case .cache(let decision): "cache: \(decision)"
    case .batched(let count, let leader): "one of \(count) loads in the call of flight \(leader)"
    case .joined(let leader): "joined the wire call of flight \(leader)"
    case .network(let decision): "network: \(decision)"
    case .held(let wait, let host): "waited \(wait.shortText) for its turn at \(host)"
    case .breaker(let word): "breaker: \(word)"
    case .downgraded(let how): "downgraded to \(how)"
    case .attempt(let number, let host): "attempt \(number) to \(host)"
    case .responded(let status, let metrics): "status \(status)\(metrics.clause)"
    case .attemptFailed(let label, let detail): "failed (\(label)): \(detail)"
    case .retry(let wait, let reason): "retry in \(wait.shortText): \(reason)"
    case .gaveUp(let reason): "no further attempt: \(reason)"
    case .learnedClock(let offset): "the server's clock is \(offset.rounded()) s ahead of the device's"
    case .suspended(let reason): "suspended: \(reason)"
    case .resumed: "resumed"
    case .note(let name, let text): "\(name): \(text)"
    case .landed(let landing): "landed: \(landing)"
    }
  }
}

extension FlightLanding: CustomStringConvertible {
  /// The landing in a few words.
  public var description: String {
    switch self {
    case .succeeded(.network): "success from the network"
    case .succeeded(.memory(let age)): "success from memory, stored \(age.shortText) ago"
    case .succeeded(.disk(let age)): "success from disk, stored \(age.shortText) ago"
    case .succeeded(.revalidated): "success from the cache, confirmed by the server"
    case .succeeded(.stale(let age)): "success from the cache, stale, stored \(age.shortText) ago"
    case .succeeded(.fallback): "success from the service's fallback"
    case .failed(let label, let detail): "failure (\(label)): \(detail)"
    case .cancelled(let reason): "cancelled (\(reason))"
    }
  }
}

extension TransportMetrics {
  /// The times of one attempt for a record's line; empty when the transport measured nothing.
  fileprivate var clause: String {
    guard total > 0 else { return "" }
    var text = " in \(Self.text(total))"
    if firstByte > 0 {
      let phases = [("name", nameLookup), ("connect", connect), ("tls", tls), ("first byte", firstByte)]
      text += " (" + phases.map { "\($0.0) \(Self.text($0.1))" }.joined(separator: ", ") + ")"
    }
    text += ", \(bytesReceived) bytes"
    return isReused ? text + ", connection reused" : text
  }

  private static func text(_ microseconds: Int64) -> String { Duration.microseconds(microseconds).shortText }
}
