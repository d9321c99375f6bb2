// Apple platforms only: type-checked by Scripts/apple, never run here.
#if canImport(Network)
  import Dispatch
  import Network

  #if os(iOS)
    import CoreTelephony
  #endif

  /// The network on Apple platforms.
  enum SystemNetwork {
    /// Reports the condition soon after it returns, and again after every change until the result is
    /// released.
    static func watch(_ tell: @escaping @Sendable (NetworkHub.Report) -> Void) -> (any Sendable)? {
      let monitor = NWPathMonitor()
      monitor.pathUpdateHandler = { path in tell(report(of: path)) }
      monitor.start(queue: DispatchQueue(label: "APIKit.NetworkMonitor"))
      return PathWatch(monitor: monitor)
    }

    /// Cancels the monitor at its end: one that is started reports until it is cancelled.
    private final class PathWatch: Sendable {
      private let monitor: NWPathMonitor

      init(monitor: NWPathMonitor) { self.monitor = monitor }

      deinit { monitor.cancel() }
    }

    private static func report(of path: NWPath) -> NetworkHub.Report {
      guard path.status == .satisfied else { return NetworkHub.Report(condition: .offline) }
      let kind: NetworkCondition.InterfaceKind =
        if path.usesInterfaceType(.wifi) { .wifi } else if path.usesInterfaceType(.cellular) {
          .cellular
        } else if path.usesInterfaceType(.wiredEthernet) { .wired } else { .other }
      let condition = NetworkCondition(
        .online, over: kind, isExpensive: path.isExpensive, isConstrained: path.isConstrained,
        generation: kind == .cellular ? generation : nil)
      // The gateway tells one Wi-Fi from another; its name would need a permission of the user.
      let way = path.availableInterfaces.map(\.name) + path.gateways.map { "\($0)" }.sorted()
      return NetworkHub.Report(condition: condition, way: way.joined(separator: " "))
    }

    /// The newest generation among the services of the device's cards.
    private static var generation: CellularGeneration? {
      #if os(iOS)
        CTTelephonyNetworkInfo().serviceCurrentRadioAccessTechnology?.values
          .compactMap(CellularGeneration.init(radioAccess:)).max()
      #else
        nil
      #endif
    }
  }
#endif
