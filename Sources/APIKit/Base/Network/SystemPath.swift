/// What Apple's system says of the way to the network, as a value, and the report that is made of it.
/// - SeeAlso: <https://developer.apple.com/documentation/network/nwpath>
struct SystemPath {
  enum Status {
    case satisfied, unsatisfied
    /// Not connected; a request makes the system connect, such as a VPN on demand or a modem that dials.
    case requiresConnection
  }

  var status: Status
  var interface = NetworkCondition.InterfaceKind.other
  var isExpensive = false
  var isConstrained = false
  var generation: CellularGeneration?
  /// The names of the interfaces, the preferred one first.
  var interfaces: [String] = []
  var gateways: [String] = []
  var device = DeviceKind.present

  /// A way that stands once it is asked for counts as one: the load that asks is the one that would wait for it.
  var report: NetworkHub.Report {
    guard status != .unsatisfied else {
      return NetworkHub.Report(condition: device.reportsNetworks ? .offline : .unknown)
    }
    let condition = NetworkCondition(
      .online, over: interface, isExpensive: isExpensive, isConstrained: isConstrained,
      generation: interface == .cellular ? generation : nil)
    // The gateway tells one Wi-Fi from another; its name would need a permission of the user.
    return NetworkHub.Report(
      condition: condition, way: (interfaces + gateways.sorted()).joined(separator: " "))
  }
}
