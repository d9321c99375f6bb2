/// A rate limit of the client: how many attempts begin per interval at most. For servers that count requests.
///
/// In no span of ``interval`` do more than ``requests`` attempts begin. Further attempts wait, or are refused
/// with ``APIError/Reason/rateLimited``. Attempts wait by ``FlightPriority`` and, within a priority, in the order in
/// which they came; two seconds of waiting count as one step of priority. One that sends nothing uses nothing up: it was
/// cancelled, or the circuit breaker or the network gate has refused it.
///
/// ```swift
/// let admission = AdmissionOptions(requestRate: RequestRate(100, per: .seconds(60)))
/// ```
/// Retries count, since each is a request; redirects, stored responses and loads that share a request do not. The
/// attempt is counted before it waits for its slot at the host (``HostLimits``). Counts are kept in ``SharedState``, in
/// memory: another process has its own.
/// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc6585#section-4> for the server's response above its limit: 429.
public struct RequestRate: Sendable, Hashable {
  /// Which loads are counted together.
  public enum Scope: Sendable, Hashable {
    /// All loads of one service and environment that have the same rate.
    case service
    /// Those of one API: service, environment, method and API name.
    case api
  }

  /// The rule for attempts above the rate.
  public enum Excess: Sendable, Hashable {
    /// They wait, this many at most; further ones are refused.
    case wait(atMost: Int)
    /// They are refused at once.
    case refuse
  }

  /// How many attempts may begin in one interval; at least 1.
  public package(set) var requests: Int
  /// The interval; at least 1 millisecond.
  public package(set) var interval: Duration
  /// Which loads are counted together; the default is ``Scope/service``.
  public package(set) var scope: Scope
  /// The rule for attempts above the rate. The default is ``Excess/wait(atMost:)`` with 1000.
  public package(set) var excess: Excess

  /// Makes a rate.
  public init(
    _ requests: Int, per interval: Duration, scope: Scope = .service, excess: Excess = .wait(atMost: 1000)
  ) {
    self.requests = max(1, requests)
    self.interval = max(.milliseconds(1), interval)
    self.scope = scope
    self.excess = excess
  }

  /// No limit.
  public static let unlimited = Self(.max, per: .seconds(1))

  var isLimited: Bool { requests < .max }
}

extension RequestRate: CustomStringConvertible {
  /// `100 requests in 60 s`, or `unlimited`.
  public var description: String {
    isLimited ? "\(requests) \(requests == 1 ? "request" : "requests") in \(interval.shortText)" : "unlimited"
  }
}
