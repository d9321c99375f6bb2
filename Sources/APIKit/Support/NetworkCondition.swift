/// What the machine's way to the network is like, as far as the system tells.
///
/// It speaks of the way out, not of any server: a server may be down while the network is up, and loopback
/// is there without one.
public struct NetworkCondition: Sendable, Hashable, CustomStringConvertible {
  /// Whether there is a way out.
  public enum Status: String, Sendable, Hashable {
    /// There is one: on Linux a default route over an interface that is up.
    case online
    /// There is none.
    case offline
    /// The system has not said yet, or cannot.
    case unknown
  }

  /// Over what the way leads.
  public enum InterfaceKind: String, Sendable, Hashable {
    /// A wireless local network.
    case wifi
    /// A mobile network.
    case cellular
    /// A cable, or what looks like one to the system.
    case wired
    /// A tunnel or anything else.
    case other
  }

  /// Whether there is a way out.
  public var status: Status
  /// Over what it leads; nil without one.
  public var interface: InterfaceKind?
  /// Whether its use costs by volume: a mobile network, a hotspot.
  public var isExpensive: Bool
  /// Whether the user has asked to save data on it. Always false on Linux.
  public var isConstrained: Bool

  /// Makes a condition.
  public init(
    _ status: Status, over interface: InterfaceKind? = nil, isExpensive: Bool = false,
    isConstrained: Bool = false
  ) {
    self.status = status
    self.interface = interface
    self.isExpensive = isExpensive
    self.isConstrained = isConstrained
  }

  /// No way out.
  public static let offline = Self(.offline)
  /// A way out over a wireless local network.
  public static let wifi = Self(.online, over: .wifi)
  /// A way out over a cable.
  public static let wired = Self(.online, over: .wired)
  /// A way out over a mobile network, which is expensive.
  public static let cellular = Self(.online, over: .cellular, isExpensive: true)
  /// Nothing is known.
  public static let unknown = Self(.unknown)

  /// Whether there is no way out for certain. Unknown is not offline.
  public var isOffline: Bool { status == .offline }

  /// `online over wifi`, `offline`.
  public var description: String {
    var text = status.rawValue
    if let interface { text += " over \(interface.rawValue)" }
    if isExpensive { text += ", expensive" }
    return isConstrained ? text + ", constrained" : text
  }
}
