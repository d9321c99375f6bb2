/// How many attempts are on their way to one host at once, and who goes first.
///
/// Attempts beyond the limit wait for their turn: the highest ``FlightPriority`` first, of one priority the
/// one that waits longest. Whoever waits long rises, so that nobody waits for ever.
public struct HostLimits: Sendable, Hashable {
  /// The most attempts at once to one host; at least 1.
  public var attemptsPerHost: Int
  /// After so long a wait counts as much as one step of priority; the default is 2 seconds.
  public var ageing: Duration

  /// Makes limits.
  public init(attemptsPerHost: Int, ageing: Duration = .seconds(2)) {
    self.attemptsPerHost = max(1, attemptsPerHost)
    self.ageing = max(.milliseconds(1), ageing)
  }
}

/// Who goes first where attempts have to wait for their turn; see ``HostLimits``.
public enum FlightPriority: Int, Sendable, Hashable, CaseIterable, Comparable {
  /// Nobody waits for it: prefetching, uploads of logs.
  case background
  /// It may come later.
  case low
  /// The default.
  case normal
  /// A user looks at the place where it will appear.
  case high

  /// Background comes before high.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
