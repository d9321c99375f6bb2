#if os(Linux)
  import CAPIKit
  import Dispatch

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  /// The network on Linux: netlink reports that something has changed, the routing tables tell what.
  /// - SeeAlso: <https://man7.org/linux/man-pages/man7/rtnetlink.7.html>
  enum SystemNetwork {
    /// Reports the condition before it returns, and again after every change until the result is released.
    static func watch(_ tell: @escaping @Sendable (NetworkHub.Report) -> Void) -> (any Sendable)? {
      // One queue reads the tables and reports, so that reports arrive in the order of reading.
      let queue = DispatchQueue(label: "APIKit.NetworkMonitor")
      let watch = NetlinkWatch(queue) { tell(report) }
      queue.sync { tell(report) }
      return watch
    }

    /// What is so at present.
    static var report: NetworkHub.Report {
      let table = RouteTable(
        ipv4: text(ofFile: "/proc/net/route"), ipv6: text(ofFile: "/proc/net/ipv6_route"))
      return NetworkHub.Report(
        condition: table.condition(isUp: isUp, kind: kind), way: table.way(addresses: addresses))
    }

    /// The addresses of an interface, those of its link alone left out.
    private static func addresses(of interface: String) -> [String] {
      var first: UnsafeMutablePointer<ifaddrs>?
      guard getifaddrs(&first) == 0 else { return [] }
      defer { freeifaddrs(first) }
      return sequence(first: first, next: { $0?.pointee.ifa_next }).compactMap { entry -> String? in
        guard let entry, let address = entry.pointee.ifa_addr,
          String(cString: entry.pointee.ifa_name) == interface
        else { return nil }
        let family = Int32(address.pointee.sa_family)
        guard family == AF_INET || family == AF_INET6 else { return nil }
        let size = family == AF_INET ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        guard
          getnameinfo(address, socklen_t(size), &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0
        else { return nil }
        let name = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return name.hasPrefix("fe80:") ? nil : name
      }
    }

    private static func isUp(_ interface: String) -> Bool {
      // Tunnels and virtual interfaces report "unknown".
      text(ofFile: "/sys/class/net/\(interface)/operstate").trimmingSpaces() != "down\n"
    }

    private static func kind(of interface: String) -> NetworkCondition.InterfaceKind {
      let folder = "/sys/class/net/\(interface)"
      if access("\(folder)/wireless", F_OK) == 0 || access("\(folder)/phy80211", F_OK) == 0 { return .wifi }
      return RouteTable.kind(ofName: interface)
    }

    /// The kernel reports no size for these files, so they are read to their end.
    private static func text(ofFile path: String) -> String {
      let file = open(path, O_RDONLY | O_CLOEXEC)
      guard file >= 0 else { return "" }
      defer { close(file) }
      var all: [UInt8] = []
      var chunk = [UInt8](repeating: 0, count: 16_384)
      while all.count < 1 << 20 {
        let count = read(file, &chunk, chunk.count)
        guard count > 0 else { break }
        all += chunk[..<count]
      }
      return String(decoding: all, as: UTF8.self)
    }
  }

  /// A socket on which the kernel reports changes of links, addresses and routes.
  ///
  /// Unchecked: the source is set in `init` and used again only in `deinit`, and it may be cancelled on any
  /// thread (dispatch_source_cancel(3)). Dispatch on Linux does not declare it `Sendable`.
  private final class NetlinkWatch: @unchecked Sendable {
    private let source: any DispatchSourceRead

    /// Nil when the system provides no such socket; the condition is then reported only once.
    init?(_ queue: DispatchQueue, _ changed: @escaping @Sendable () -> Void) {
      let descriptor = socket(AF_NETLINK, Int32(CAPIKIT_SOCK_RAW) | O_NONBLOCK | O_CLOEXEC, 0)
      guard descriptor >= 0 else { return nil }
      // struct sockaddr_nl: family, padding, port id (0: the kernel chooses), groups.
      var address: (UInt16, UInt16, UInt32, UInt32) = (UInt16(AF_NETLINK), 0, 0, Self.groups)
      let isBound = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, 12) == 0 }
      }
      guard isBound else {
        close(descriptor)
        return nil
      }
      source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
      source.setEventHandler {
        // The messages only have to be drained, because the tables are read instead.
        var buffer = [UInt8](repeating: 0, count: 8192)
        while recv(descriptor, &buffer, buffer.count, 0) > 0 {}
        changed()
      }
      source.setCancelHandler { close(descriptor) }
      source.resume()
    }

    deinit { source.cancel() }

    /// RTMGRP_LINK, and addresses and routes of both families.
    private static let groups: UInt32 = 0x1 | 0x10 | 0x40 | 0x100 | 0x400
  }
#endif
