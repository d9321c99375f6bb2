/// When loads stop being sent to a server that fails, and when it is tried again.
///
/// Closed, loads fly and their ends are counted. When too many fail the breaker opens: loads fail at once
/// with ``APIError/Reason/circuitOpen``, or land with what the service declares instead (a stale answer,
/// ``APIService/fallback(for:of:)``). After a while some are let through as probes; when they succeed it
/// closes, else it opens for longer. What counts as a failure is decided by
/// ``APIService/isOutage(_:)``.
/// - SeeAlso: <https://martinfowler.com/bliki/CircuitBreaker.html>
public struct BreakerPolicy: Sendable, Hashable {
  /// What one breaker watches over.
  public enum Scope: Sendable, Hashable {
    /// All loads to one host.
    case host
    /// The loads of one API.
    case api
  }

  /// What one breaker watches over; the default is the host.
  public var scope: Scope = .host
  /// Over which time attempts are counted; the default is 30 seconds.
  public var window: Duration = .seconds(30)
  /// With fewer attempts in the window it does not open; the default is 10.
  public var minimumAttempts = 10
  /// The part of failures, from 0 to 1, at which it opens; the default is 0.5.
  public var failureRatio = 0.5
  /// How long it stays open the first time; the default is 5 seconds. Each time that it opens again soon
  /// doubles it.
  public var openInterval: Duration = .seconds(5)
  /// The longest it stays open without a probe; the default is 2 minutes.
  public var maximumOpenInterval: Duration = .seconds(120)
  /// How many probes fly at once, and how many must succeed to close it; the default is 1.
  public var probes = 1

  /// Makes a policy of the defaults.
  public init() {}

  /// The defaults.
  public static let standard = Self()
}
