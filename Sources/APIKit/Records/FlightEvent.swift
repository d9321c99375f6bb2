/// One thing that happened to a flight, with its reason.
///
/// The steps of the path record them as they decide, and send them to the listeners of ``FlightEvents``. New cases may be
/// added, so a `switch` needs a default. Texts contain no secrets: they are printed as they are.
public enum FlightEvent: Sendable {
  /// The takeoff policy, an interceptor or the validation of the parameters refused the load; with the
  /// error's label and detail.
  case refused(label: String, detail: String)
  /// The takeoff policy delays the load; with the rule's name.
  case waiting(policy: String)
  /// The load took off; with the policy's name.
  case tookOff(policy: String)
  /// The load is a span of this trace; with the span of the load as `parentID`, and the span of the caller, nil if the load
  /// begins the trace.
  indirect case traced(TraceContext, parent: String?)
  /// The id of the span that the `traceparent` of a request named, recorded when the request ends; with its URL without the
  /// query, secrets masked.
  case span(String, url: String)
  /// The options of the load, each with the level that states it.
  case options([LoadOptions.Applied])
  /// A decision of the cache, in words.
  case cache(String)
  /// The load is part of a batch; with the number of its loads, and the flight that makes the call.
  case batched(count: Int, leader: FlightID)
  /// The load joined an identical one and shares the call of its flight.
  case joined(FlightID)
  /// A decision of the network gate, in words.
  case network(String)
  /// The load waited this long for its slot at the host.
  case held(Duration, host: String)
  /// The load waited this long for a rate limit; with the counted scope and the rate, as text.
  case paced(Duration, by: String)
  /// A decision of the circuit breaker, in words.
  case breaker(String)
  /// Another response replaces the requested one; with its description.
  case downgraded(String)
  /// The attempt goes to this server of the service's pool, an address or an origin; with the reason.
  indirect case routed(to: String, because: String)
  /// A server of the pool failed before anything was sent to it; with the error's label and detail.
  indirect case serverFailed(String, label: String, detail: String)
  /// An attempt begins, counted from 1.
  case attempt(Int, host: String)
  /// The server responded with a redirect, which is followed to this origin.
  indirect case redirected(status: Int, to: String, metrics: TransportMetrics)
  /// The server responded to the attempt.
  indirect case responded(status: Int, metrics: TransportMetrics)
  /// A request ended on the wire without a complete response that could be used; with its status, where its head had
  /// arrived. Why is said by the failure that follows.
  indirect case broken(status: Int?, metrics: TransportMetrics)
  /// The attempt failed; with the error's label and detail.
  case attemptFailed(label: String, detail: String)
  /// The load is sent again after a wait, for this reason.
  case retry(after: Duration, because: String)
  /// The failure is final; with the reason why no further attempt is made.
  case gaveUp(because: String)
  /// The server's clock was learned; with the seconds it is ahead of the device's.
  case learnedClock(offset: Double)
  /// The load waits for something outside: a network, a sign-in, the service's hook, its caller.
  case suspended(String)
  /// The wait has ended.
  case resumed
  /// A named remark of a step or a service.
  case note(String, String)
  /// The flight landed.
  case landed(FlightLanding)
  /// The load begins to wait. The wait is over at the next event of the load. Only listeners get it; records do
  /// not contain it.
  case waits(for: FlightWait)
  /// A request on the wire has reached its next phase. Only listeners get it; records do not contain it:
  /// ``TransportMetrics`` have the times. It is sent a few milliseconds late, with its real time, and not sent if the load is
  /// cancelled meanwhile.
  case phase(RequestPhase)
  /// The listener was too slow: this number of events, of this and other loads, was dropped here. Only that listener
  /// gets it.
  case dropped(Int)
}

/// How a flight ended, as its record keeps it.
public enum FlightLanding: Sendable, Hashable {
  /// With a response; with its provenance.
  case succeeded(Provenance)
  /// With an error; with its label and detail.
  case failed(label: String, detail: String)
  /// Cancelled; with the reason's name.
  case cancelled(String)
}

extension FlightEvent: CustomStringConvertible {
  /// The event in one line.
  public var description: String { words.onOneLine }

  private var words: String {
    switch self {
    case .refused(let label, let detail): "takeoff refused (\(label)): \(detail)"
    case .waiting(let policy): "waits by its takeoff policy: \(policy)"
    case .tookOff(let policy): "took off (\(policy))"
    case .traced(let context, let parent):
      "trace: \(context.traceID), span \(context.parentID)" + (parent.map { " of \($0)" } ?? "")
    case .span(let id, _): "span: \(id)"
    case .options(let applied): "options: " + applied.map(\.description).joined(separator: ", ")
    case .cache(let decision): "cache: \(decision)"
    case .batched(let count, let leader): "one of \(count) loads in the call of flight \(leader)"
    case .joined(let leader): "joined the wire call of flight \(leader)"
    case .network(let decision): "network: \(decision)"
    case .held(let wait, let host): "waited \(wait.shortText) for a slot at \(host)"
    case .paced(let wait, let rate): "waited \(wait.shortText) for the rate of \(rate)"
    case .breaker(let word): "breaker: \(word)"
    case .downgraded(let how): "downgraded to \(how)"
    case .routed(let server, let reason): "server \(server): \(reason)"
    case .serverFailed(let server, let label, let detail): "server \(server) failed (\(label)): \(detail)"
    case .attempt(let number, let host): "attempt \(number) to \(host)"
    case .redirected(let status, let target, let metrics): "status \(status)\(metrics.clause), to \(target)"
    case .responded(let status, let metrics): "status \(status)\(metrics.clause)"
    case .broken(let status, let metrics):
      (status.map { "status \($0), " } ?? "") + "broken off\(metrics.clause)"
    case .attemptFailed(let label, let detail): "failed (\(label)): \(detail)"
    case .retry(let wait, let reason): "retry in \(wait.shortText): \(reason)"
    case .gaveUp(let reason): "no further attempt: \(reason)"
    case .learnedClock(let offset): "the server's clock is \(offset.rounded()) s ahead of the device's"
    case .suspended(let reason): "suspended: \(reason)"
    case .resumed: "resumed"
    case .note(let name, let text): "\(name): \(text)"
    case .landed(let landing): "landed: \(landing)"
    case .waits(let wait): "waits for \(wait)"
    case .phase(let phase): phase.description
    case .dropped(let count): "\(count) events were dropped"
    }
  }
}

extension FlightLanding: CustomStringConvertible {
  /// The landing in a few words.
  public var description: String {
    switch self {
    case .succeeded(let provenance): "success \(provenance.words)"
    case .failed(let label, let detail): "failure (\(label)): \(detail)"
    case .cancelled(let reason): "cancelled (\(reason))"
    }
  }
}

extension TransportMetrics {
  /// The timings of one attempt for a line of a record; empty when the transport measured nothing.
  fileprivate var clause: String {
    guard total > 0 else { return "" }
    var text = " in \(Self.text(total))"
    if firstByte > 0 {
      let phases = [
        ("name", nameLookup), ("connect", connect), ("tls", tls), ("sent", requestSent),
        ("first byte", firstByte),
      ]
      text += " (" + phases.map { "\($0.0) \(Self.text($0.1))" }.joined(separator: ", ") + ")"
    }
    text += ", \(bytesReceived) bytes"
    if resends > 0 { text += ", sent \(resends + 1) times" }
    return isReused ? text + ", connection reused" : text
  }

  private static func text(_ microseconds: Int64) -> String { Duration.microseconds(microseconds).shortText }
}
