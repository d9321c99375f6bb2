extension FlightRecord {
  /// One request of a flight: an attempt, or a redirect that an attempt has followed.
  public struct Request: Sendable {
    /// The attempt that it belongs to, counted from 1.
    public let attempt: Int
    /// The number of redirects of the attempt that led to it; 0 for the attempt's own request.
    public let hop: Int
    /// The host that was asked.
    public let host: String
    /// When it began, as the time since the call of `load`.
    public let at: Duration
    /// The status; nil when no head of a response arrived.
    public let status: Int?
    /// Whether it ended without a complete response, or with a redirect that could not be followed.
    public let isBroken: Bool
    /// The id of the span that its `traceparent` named; nil without one.
    public let span: String?
    /// Its own times, connection and sizes. Requests that the transport itself repeated are in ``TransportMetrics/earlier``.
    public let metrics: TransportMetrics

    /// The duration of the request.
    public var duration: Duration { .microseconds(metrics.total) }
  }

  /// The requests that the flight itself has sent and that have ended, in order: every attempt and every redirect with
  /// its own times.
  ///
  /// A load that joined another or is one of a batch sends none: the requests are in the record of the flight that
  /// sent them, which ``FlightEvent/joined(_:)`` and ``FlightEvent/batched(count:leader:)`` name. A request that
  /// failed is left out if the transport reports no times for it.
  public var requests: [Request] {
    var requests: [Request] = []
    var (attempt, hop, host) = (0, 0, "")
    var span: String?
    func add(_ entry: Entry, status: Int?, _ metrics: TransportMetrics, isBroken: Bool = false) {
      let at = max(.zero, entry.at - .microseconds(metrics.total))
      requests.append(
        Request(
          attempt: attempt, hop: hop, host: host, at: at, status: status, isBroken: isBroken, span: span,
          metrics: metrics))
      span = nil
    }
    for entry in entries {
      switch entry.event {
      case .attempt(let number, let name): (attempt, hop, host, span) = (number, 0, name, nil)
      case .span(let id, _): span = id
      case .redirected(let status, let target, let metrics):
        add(entry, status: status, metrics)
        (hop, host) = (hop + 1, (try? HTTPURL(target))?.host ?? host)
      case .responded(let status, let metrics): add(entry, status: status, metrics)
      case .broken(let status, let metrics): add(entry, status: status, metrics, isBroken: true)
      default: break
      }
    }
    return requests
  }
}
