import Foundation

/// Ports, folders and programs for the servers of the tests.
enum Loopback {
  /// `count` different TCP ports of 127.0.0.1 that are free at this moment.
  ///
  /// Below those that systems give to sockets by themselves: until the server listens, no other socket may get one. Processes
  /// that were started together look in different ranges, so that no two find the same.
  static func freePorts(_ count: Int) throws -> [UInt16] {
    var sockets: [Int32] = []
    defer { for socket in sockets { close(socket) } }
    let first = 10_000 + 500 * UInt16(getpid() % 44)
    return try (0..<count).map { _ in
      for _ in 0..<1000 {
        let port = UInt16.random(in: first..<first + 500)
        let descriptor = tcpSocket()
        sockets.append(descriptor)
        var address = loopback(port: port)
        let status = withUnsafePointer(to: &address) { pointer in
          pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
          }
        }
        if status == 0 { return port }
      }
      throw TestServerError("no free port on 127.0.0.1: errno \(errno)")
    }
  }

  /// Whether a server listens on `port` of 127.0.0.1.
  static func accepts(_ port: UInt16) -> Bool {
    let descriptor = tcpSocket()
    defer { close(descriptor) }
    var address = loopback(port: port)
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }

  /// A new folder for one server, removed with the server.
  static func newFolder(_ name: String) throws -> URL {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("apikit-\(name)-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  /// The full path of a program in PATH or the system folders; otherwise throws an error that says how to
  /// install it.
  static func program(_ name: String) throws -> String {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let folders =
      path.split(separator: ":").map(String.init) + ["/usr/sbin", "/usr/local/sbin", "/opt/homebrew/bin"]
    for folder in folders where FileManager.default.isExecutableFile(atPath: "\(folder)/\(name)") {
      return "\(folder)/\(name)"
    }
    throw TestServerError("\(name) is not installed. `Scripts/bootstrap test` installs it.")
  }

  private static func tcpSocket() -> Int32 {
    #if canImport(Glibc)
      socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    #else
      socket(AF_INET, SOCK_STREAM, 0)
    #endif
  }

  private static func loopback(port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }
}
