#if canImport(Network)
  import Dispatch
  import Network

  /// The network on Apple platforms.
  enum SystemNetwork {
    /// Reports the condition soon after it returns, and again after every change until the result is
    /// released.
    static func watch(_ tell: @escaping @Sendable (NetworkCondition) -> Void) -> (any Sendable)? {
      let monitor = NWPathMonitor()
      monitor.pathUpdateHandler = { path in tell(condition(of: path)) }
      monitor.start(queue: DispatchQueue(label: "APIKit.NetworkMonitor"))
      return PathWatch(monitor: monitor)
    }

    /// Cancels the monitor at its end: one that is started reports until it is cancelled.
    private final class PathWatch: Sendable {
      private let monitor: NWPathMonitor

      init(monitor: NWPathMonitor) { self.monitor = monitor }

      deinit { monitor.cancel() }
    }

    private static func condition(of path: NWPath) -> NetworkCondition {
      guard path.status == .satisfied else { return .offline }
      let kind: NetworkCondition.InterfaceKind =
        if path.usesInterfaceType(.wifi) { .wifi } else if path.usesInterfaceType(.cellular) {
          .cellular
        } else if path.usesInterfaceType(.wiredEthernet) { .wired } else { .other }
      return NetworkCondition(
        .online, over: kind, isExpensive: path.isExpensive, isConstrained: path.isConstrained)
    }
  }
#endif
