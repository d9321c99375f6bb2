/// When loads are no longer sent to a failing server, and when it is tried again.
///
/// While the breaker is closed, loads are sent and their results are counted. When too many fail it opens:
/// loads fail at once with ``APIError/Reason/circuitOpen``, or land with a replacement (a stale stored
/// response, ``APIService/fallback(for:of:)``). After an interval some loads are sent as probes; when they
/// succeed the breaker closes, otherwise it opens for a longer interval. ``APIService/isOutage(_:)``
/// decides which errors count as failures.
/// - SeeAlso: <https://martinfowler.com/bliki/CircuitBreaker.html>
public struct BreakerPolicy: Sendable, Hashable {
  /// Which loads share one breaker.
  public enum Scope: Sendable, Hashable {
    /// All loads to one host, by name and port, of services with this policy.
    case host
    /// The loads of one API.
    case api
  }

  /// Which loads share one breaker; the default is all loads to one host.
  public var scope: Scope = .host
  /// The time over which attempts are counted; the default is 30 seconds.
  public var window: Duration = .seconds(30)
  /// The breaker does not open with fewer attempts in the window; the default is 10.
  public var minimumAttempts = 10
  /// The ratio of failures, from 0 to 1, at which it opens; the default is 0.5. A value outside is set to the nearest, and one
  /// that is no number changes nothing.
  public var failureRatio = 0.5 {
    didSet { failureRatio = failureRatio.isNaN ? oldValue : min(max(failureRatio, 0), 1) }
  }
  /// How long it stays open the first time; the default is 5 seconds. The interval doubles each time that
  /// the breaker opens again soon.
  public var openInterval: Duration = .seconds(5)
  /// The longest interval without a probe; the default is 2 minutes.
  public var maximumOpenInterval: Duration = .seconds(120)
  /// The number of probes in flight at once, and the number that must succeed to close it; at least 1, the default.
  public var probes = 1 { didSet { probes = max(1, probes) } }

  /// Makes a policy with the defaults.
  public init() {}

  /// The defaults.
  public static let standard = Self()
}
