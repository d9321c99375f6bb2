/// Whether and how the machine is connected to a network, as far as the system reports it.
///
/// It does not tell whether a server can be reached: a server may be down while the network is up, and
/// loopback works without a network.
public struct NetworkCondition: Sendable, Hashable, CustomStringConvertible {
  /// Whether there is a network.
  public enum Status: String, Sendable, Hashable {
    /// There is a network: on Linux a default route over an interface that is not down.
    case online
    /// There is no network.
    case offline
    /// The system has not reported it yet, or cannot.
    case unknown
  }

  /// The kind of the interface in use.
  public enum InterfaceKind: String, Sendable, Hashable {
    /// Wi-Fi.
    case wifi
    /// A mobile network.
    case cellular
    /// A cable, or another interface that the system reports as one.
    case wired
    /// A tunnel or anything else.
    case other
  }

  /// Whether there is a network.
  public var status: Status
  /// The kind of the interface in use; nil when offline or unknown.
  public var interface: InterfaceKind?
  /// Whether traffic is charged by volume, as on a mobile network or a hotspot. On Linux only a mobile
  /// network counts.
  public var isExpensive: Bool
  /// Whether the user has asked to save data (low-data mode). Always false on Linux.
  public var isConstrained: Bool

  /// The generation of the mobile network in use; nil when it is not known: on other interfaces, and on all systems but iOS.
  public var generation: CellularGeneration?

  /// Makes a condition; without further arguments it is neither expensive nor constrained.
  public init(
    _ status: Status, over interface: InterfaceKind? = nil, isExpensive: Bool = false,
    isConstrained: Bool = false, generation: CellularGeneration? = nil
  ) {
    self.status = status
    self.interface = interface
    self.isExpensive = isExpensive
    self.isConstrained = isConstrained
    self.generation = generation
  }

  /// No network.
  public static let offline = Self(.offline)
  /// Online over Wi-Fi.
  public static let wifi = Self(.online, over: .wifi)
  /// Online over a cable.
  public static let wired = Self(.online, over: .wired)
  /// Online over a mobile network; expensive.
  public static let cellular = Self(.online, over: .cellular, isExpensive: true)
  /// Not known.
  public static let unknown = Self(.unknown)

  /// Whether there is certainly no network. An unknown condition is not offline.
  public var isOffline: Bool { status == .offline }

  /// Status, interface and limits, such as `online over wifi` or `offline`.
  public var description: String {
    var text = status.rawValue
    if let interface { text += " over \(interface.rawValue)" }
    if let generation { text += " (\(generation))" }
    if isExpensive { text += ", expensive" }
    return isConstrained ? text + ", constrained" : text
  }
}
