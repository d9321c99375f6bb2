/// What a load does while others of the same manager are in the air or have just flown.
public struct TakeoffPolicy: Sendable, Hashable {
  /// The rule itself.
  public enum Rule: Sendable, Hashable {
    /// Every load flies.
    case concurrent
    /// A load is refused while one is in the air. For refreshes.
    case ignoreNew
    /// A load cancels those in the air. For filters.
    case cancelPrevious
    /// One flies at a time, the others wait in order.
    case queue
    /// A load waits until none has come for so long; a newer one takes its place. For search as you type.
    case debounce(Duration)
    /// After a takeoff, loads are refused for so long.
    case throttle(Duration)

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

  /// Which loads shadow each other.
  public enum Key: Sendable, Hashable {
    /// All loads of the manager.
    case manager
    /// Those with equal parameters.
    case allParameters
    /// Those with equal values of these parameters.
    case parameters([String])
  }

  /// The rule.
  public var rule: Rule
  /// Which loads it is applied among.
  public var key: Key

  /// Makes a policy.
  public init(_ rule: Rule, key: Key = .manager) {
    self.rule = rule
    self.key = key
  }

  /// Every load flies.
  public static let concurrent = Self(.concurrent)
  /// A load is refused while one is in the air.
  public static let ignoreNew = Self(.ignoreNew)
  /// A load cancels those in the air.
  public static let cancelPrevious = Self(.cancelPrevious)
  /// One flies at a time, the others wait in order.
  public static let queue = Self(.queue)
  /// A load waits until none has come for so long.
  public static func debounce(_ interval: Duration) -> Self { Self(.debounce(interval)) }
  /// After a takeoff, loads are refused for so long.
  public static func throttle(_ interval: Duration) -> Self { Self(.throttle(interval)) }

  /// The same rule, applied only among loads with equal values of these parameters (of all, when none is
  /// named), so that different items do not shadow each other.
  public func keyed(by names: String...) -> Self {
    Self(rule, key: names.isEmpty ? .allParameters : .parameters(names))
  }
}
