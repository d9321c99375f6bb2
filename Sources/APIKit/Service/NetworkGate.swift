/// What becomes of a load when there is no network, or not the wanted one, at its takeoff.
///
/// Asked after the cache, so that what is stored lands all the same. The default of a service is ``fly``:
/// the attempt fails by itself when there is no way, and hosts on the same machine stay reachable.
public struct NetworkGate: Sendable, Hashable {
  /// What becomes of it.
  public enum Rule: Sendable, Hashable {
    /// It flies; the transport finds out.
    case fly
    /// It fails at once with ``APIError/Reason/noNetwork``.
    case refuse
    /// It is suspended until there is a network, for so long at most; then it fails with
    /// ``APIError/Reason/noNetwork``.
    case wait(upTo: Duration)
  }

  /// What becomes of it.
  public var rule: Rule
  /// Whether a network that costs by volume will do. The default is true.
  public var allowsExpensive = true
  /// Whether a network on which the user saves data will do. The default is true.
  public var allowsConstrained = true

  /// Makes a gate.
  public init(_ rule: Rule) { self.rule = rule }

  /// Loads fly whatever the network.
  public static let fly = Self(.fly)
  /// Loads fail at once without a network.
  public static let refuse = Self(.refuse)
  /// Loads wait for a network, for so long at most.
  public static func wait(upTo limit: Duration) -> Self { Self(.wait(upTo: limit)) }

  /// The same gate, closed for networks that cost by volume.
  public var unmetered: Self {
    var gate = self
    gate.allowsExpensive = false
    return gate
  }

  /// Why a network will not do; nil when it will. An unknown one will: it may be there.
  func objection(to condition: NetworkCondition) -> String? {
    if condition.isOffline { return "there is no network" }
    if condition.isExpensive, !allowsExpensive { return "the network costs by volume" }
    if condition.isConstrained, !allowsConstrained { return "the user saves data on the network" }
    return nil
  }
}
