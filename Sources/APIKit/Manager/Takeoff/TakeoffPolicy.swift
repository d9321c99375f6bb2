/// What a load does while other loads of the same manager are running, or took off recently: debounce, throttle, cancel,
/// queue.
public struct TakeoffPolicy: Sendable, Hashable {
  /// The rule itself.
  public enum Rule: Sendable, Hashable {
    /// Loads do not affect each other.
    case concurrent
    /// A load is refused while another is running or waiting. For refreshes.
    case ignoreNew
    /// A load cancels the running and waiting ones. For filters. A load that a delegate starts in
    /// ``APIManagerDelegate/manager(_:didCancel:because:)`` of one that was replaced is refused with
    /// ``APIError/Reason/alreadyLoading``, because a newer one is running; the same applies to a debounce.
    case cancelPrevious
    /// One load runs at a time; at most `limit` others wait in order. The overflow decides about one more.
    case queue(limit: Int, overflow: QueueOverflow)
    /// A load waits for this interval; a newer load replaces it and waits anew. When it takes off it
    /// cancels the running ones. For search as you type.
    case debounce(Duration)
    /// At most one takeoff in each interval; the edge decides which of its loads that is.
    case throttle(Duration, ThrottleEdge)

    /// The rule's name, as records print it.
    var name: String {
      switch self {
      case .concurrent: "concurrent"
      case .ignoreNew: "ignore new"
      case .cancelPrevious: "cancel previous"
      case .queue: "queue"
      case .debounce: "debounce"
      case .throttle: "throttle"
      }
    }
  }

  /// The rule for one more load when a queue is full.
  public enum QueueOverflow: Sendable, Hashable {
    /// The new load is refused with ``APIError/Reason/queueFull``; for loads that the user can repeat.
    case refuseNewest
    /// The load that has waited longest is cancelled as ``CancellationReason/superseded``, and the new one waits; for
    /// values that are soon out of date. A load that a delegate starts in that callback is refused with
    /// ``APIError/Reason/alreadyLoading``.
    case cancelOldest
  }

  /// Which load of a throttle's interval takes off.
  public enum ThrottleEdge: Sendable, Hashable {
    /// The first, at once; the others are refused with ``APIError/Reason/throttled``. For buttons: the newest value is
    /// not sent when it comes within the interval.
    case leading
    /// The last, when the interval that the first began is over; those before it are superseded. For positions on a map:
    /// the newest value is always sent.
    case trailing
    /// The first at once, and the last of those that follow when the interval is over, which begins the next interval.
    case both
  }

  /// The loads among which a rule applies.
  public enum Key: Sendable, Hashable {
    /// All loads of the manager.
    case manager
    /// Loads with equal parameters.
    case allParameters
    /// Loads with equal values of these parameters.
    case parameters([String])
  }

  /// The rule.
  public var rule: Rule
  /// The loads among which the rule applies.
  public var key: Key

  /// Makes a policy.
  public init(_ rule: Rule, key: Key = .manager) {
    self.rule = rule
    self.key = key
  }

  /// Loads do not affect each other.
  public static let concurrent = Self(.concurrent)
  /// A load is refused while another is running or waiting.
  public static let ignoreNew = Self(.ignoreNew)
  /// A load cancels the running and waiting ones.
  public static let cancelPrevious = Self(.cancelPrevious)
  /// One load runs at a time; all others wait in order.
  public static let queue = Self(.queue(limit: .max, overflow: .refuseNewest))
  /// One load runs at a time, and at most `limit` others wait in order.
  public static func queue(limit: Int, overflow: QueueOverflow = .refuseNewest) -> Self {
    Self(.queue(limit: max(0, limit), overflow: overflow))
  }
  /// A load takes off when no newer one has been requested for this interval; see ``Rule/debounce(_:)``.
  public static func debounce(_ interval: Duration) -> Self { Self(.debounce(interval)) }
  /// At most one takeoff in each interval: by default of the first load, while the others are refused. See
  /// ``ThrottleEdge``.
  public static func throttle(_ interval: Duration, _ edge: ThrottleEdge = .leading) -> Self {
    Self(.throttle(interval, edge))
  }

  /// The same rule, applied only among loads with equal values of these parameters, so that loads of
  /// different items do not affect each other. Without names, all parameters are compared.
  public func keyed(by names: String...) -> Self {
    Self(rule, key: names.isEmpty ? .allParameters : .parameters(names))
  }
}

extension APIError.Reason {
  /// As many loads wait as the manager's ``TakeoffPolicy/queue(limit:overflow:)`` allows.
  public static let queueFull = Self("queue-full", "too many loads wait already")
}
