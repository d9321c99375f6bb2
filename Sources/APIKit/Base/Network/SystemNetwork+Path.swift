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
      let status: SystemPath.Status =
        switch path.status {
        case .satisfied: .satisfied
        case .requiresConnection: .requiresConnection
        case .unsatisfied: .unsatisfied
        @unknown default: .unsatisfied
        }
      let kind: NetworkCondition.InterfaceKind =
        if path.usesInterfaceType(.wifi) { .wifi } else if path.usesInterfaceType(.cellular) {
          .cellular
        } else if path.usesInterfaceType(.wiredEthernet) { .wired } else { .other }
      return SystemPath(
        status: status, interface: kind, isExpensive: path.isExpensive, isConstrained: path.isConstrained,
        generation: kind == .cellular ? generation : nil, interfaces: path.availableInterfaces.map(\.name),
        gateways: path.gateways.map { "\($0)" }
      ).report
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
