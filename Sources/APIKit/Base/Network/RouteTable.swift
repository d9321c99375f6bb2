/// The default routes in the kernel's tables, `/proc/net/route` and `/proc/net/ipv6_route`.
struct RouteTable {
  private struct Route {
    let interface: String
    let gateway: String
    let metric: UInt64
  }

  private var routes: [Route] = []

  init(ipv4: String, ipv6: String) {
    for line in ipv4.split(separator: "\n").dropFirst() {
      // Iface Destination Gateway Flags RefCnt Use Metric Mask …
      let fields = line.split { $0 == " " || $0 == "\t" }
      guard fields.count >= 8, fields[1] == "00000000", fields[7] == "00000000" else { continue }
      add(fields[0], by: fields[2], flags: fields[3], metric: UInt64(fields[6]))
    }
    for line in ipv6.split(separator: "\n") {
      // Destination PrefixLength Source PrefixLength NextHop Metric RefCnt Use Flags Iface
      let fields = line.split { $0 == " " || $0 == "\t" }
      guard fields.count >= 10, fields[1] == "00", fields[0].allSatisfy({ $0 == "0" }) else { continue }
      add(fields[9], by: fields[4], flags: fields[8], metric: UInt64(fields[5], radix: 16))
    }
    routes.sort { $0.metric < $1.metric }
  }

  private mutating func add(
    _ interface: Substring, by gateway: Substring, flags: Substring, metric: UInt64?
  ) {
    let (up, reject): (UInt64, UInt64) = (0x1, 0x200)
    guard let flags = UInt64(flags, radix: 16), flags & up != 0, flags & reject == 0, interface != "lo" else {
      return
    }
    routes.append(
      Route(interface: String(interface), gateway: String(gateway), metric: metric ?? .max))
  }

  /// The condition by the default route with the smallest metric whose interface is up.
  func condition(
    isUp: (String) -> Bool, kind: (String) -> NetworkCondition.InterfaceKind
  ) -> NetworkCondition {
    guard let route = routes.first(where: { isUp($0.interface) }) else { return .offline }
    let kind = kind(route.interface)
    return NetworkCondition(.online, over: kind, isExpensive: kind == .cellular)
  }

  /// The ways out of the machine as a text: the interfaces of the default routes, their gateways and addresses. Empty for
  /// none.
  func way(addresses: (String) -> [String]) -> String {
    routes.map { route in
      ([route.interface, route.gateway] + addresses(route.interface).sorted()).joined(separator: " ")
    }
    .sorted().joined(separator: "; ")
  }

  /// The kind of an interface, judged by its name.
  static func kind(ofName name: String) -> NetworkCondition.InterfaceKind {
    func begins(_ prefixes: [String]) -> Bool { prefixes.contains { name.hasPrefix($0) } }
    if begins(["wl"]) { return .wifi }
    if begins(["ww", "ppp", "rmnet", "usb"]) { return .cellular }
    if begins(["tun", "tap", "wg", "ipsec", "utun"]) { return .other }
    return .wired
  }
}
