/// The urgency of a load: the order in which attempts leave the queue of a host, see ``HostLimits``, and the
/// priority of a task of `URLSession`. libcurl does not use it.
public enum FlightPriority: Int, Sendable, Hashable, CaseIterable, Comparable {
  /// The user does not wait for it: prefetching, uploads of logs.
  case background
  /// Less urgent than usual.
  case low
  /// The default.
  case normal
  /// It fills a part of the screen that the user is looking at.
  case high

  /// Orders the cases from ``background`` to ``high``.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
