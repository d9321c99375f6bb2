/// What a load does while offline, or without a network of the required kind.
///
/// Checked after the cache, so stored responses are used in any case, and again before each attempt is sent. The default of a service is ``fly``:
/// without a network the attempt fails in the transport, and hosts on the same machine stay reachable.
public struct NetworkGate: Sendable, Hashable {
  /// The rule of a gate.
  public enum Rule: Sendable, Hashable {
    /// The load is sent; without a network it fails in the transport. Over a network that the gate does not accept
    /// (``NetworkGate/allowsExpensive``, ``NetworkGate/allowsConstrained``) it fails as with ``refuse``.
    case fly
    /// The load fails at once with ``APIError/Reason/noNetwork``.
    case refuse
    /// The load is suspended until there is a network. When there is none within this time, it fails with
    /// ``APIError/Reason/noNetwork``.
    case wait(upTo: Duration)
  }

  /// The rule of the gate.
  public var rule: Rule
  /// Whether expensive networks, such as cellular ones, are accepted. The default is true.
  public var allowsExpensive = true
  /// Whether networks in a low-data mode are accepted. The default is true.
  public var allowsConstrained = true

  /// Makes a gate.
  public init(_ rule: Rule) { self.rule = rule }

  /// Loads are sent on any network, and offline.
  public static let fly = Self(.fly)
  /// Loads fail at once without a network.
  public static let refuse = Self(.refuse)
  /// Loads wait for a network, for this time at most.
  public static func wait(upTo limit: Duration) -> Self { Self(.wait(upTo: limit)) }

  /// The same gate without expensive networks.
  public var unmetered: Self {
    var gate = self
    gate.allowsExpensive = false
    return gate
  }

  /// Whether loads fly whatever the condition is, which then need not be known.
  var acceptsAll: Bool { rule == .fly && allowsExpensive && allowsConstrained }

  /// Why a network is not accepted; nil when it is. An unknown condition is accepted, because there may be
  /// a network.
  func objection(to condition: NetworkCondition) -> String? {
    if condition.isOffline { return rule == .fly ? nil : "there is no network" }
    if condition.isExpensive, !allowsExpensive { return "the network costs by volume" }
    if condition.isConstrained, !allowsConstrained { return "the user saves data on the network" }
    return nil
  }
}
