/// The number of attempts in flight to one host (name and port), and the order in which others wait.
///
/// Attempts beyond the limit wait in a queue: the highest ``FlightPriority`` first, and within a priority
/// the one that has waited longest. The priority rises with the waiting time, so that no attempt waits
/// forever.
///
/// Where several services load from one host, the smallest limit holds of those whose attempts are under way or wait.
public struct HostLimits: Sendable, Hashable {
  /// The largest number of attempts in flight to one host; at least 1.
  public var attemptsPerHost: Int
  /// The waiting time that counts as one step of priority; the default is 2 seconds.
  public var ageing: Duration

  /// Makes limits.
  public init(attemptsPerHost: Int, ageing: Duration = .seconds(2)) {
    self.attemptsPerHost = max(1, attemptsPerHost)
    self.ageing = max(.milliseconds(1), ageing)
  }
}
