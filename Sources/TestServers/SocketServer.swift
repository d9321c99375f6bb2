import Foundation

/// A WebSocket server with the package `websockets` on free ports of 127.0.0.1, from the virtual environment that
/// `Scripts/test` makes. Its paths are described at the head of `Tests/Interop/socket_server.py`.
public final class SocketServer: Sendable {
  /// The certificates, of which the port with TLS uses the valid one.
  public let certificates: CertificateMatrix
  private let ports: [UInt16]
  private let processes: [ServerProcess]

  /// One server for the whole process, started at its first use.
  /// - Throws: ``TestServerError``, the same one each time.
  public static func shared() throws -> SocketServer { try launched.get() }
  private static let launched = Result { try SocketServer() }

  /// Starts a server and returns when it listens.
  /// - Throws: ``TestServerError`` when websockets is not installed or the server does not start.
  public init() throws {
    let python = try VirtualEnvironment.python(withPackage: "websockets", of: "websockets")
    let script = PackageFolder.url.appendingPathComponent("Tests/Interop/socket_server.py").path
    let folder = try Loopback.newFolder("socket")
    certificates = try CertificateMatrix(in: folder)
    ports = try Loopback.freePorts(3)
    let pair = [certificates.certificate(.good).path, certificates.key(.good).path]
    let bytes = PackageFolder.url.appendingPathComponent("Tests/Interop/bytes_server.py").path
    processes = [
      try ServerProcess([python, script, "\(ports[0])"], folder: try Loopback.newFolder("socket")),
      try ServerProcess([python, script, "\(ports[1])"] + pair, folder: folder),
      try ServerProcess([python, bytes, "\(ports[2])"] + pair, folder: try Loopback.newFolder("bytes")),
    ]
    for (process, port) in zip(processes, ports) { try process.waitUntilListening(on: [port]) }
  }

  /// The base URL of the server, with TLS or without.
  public func url(isSecure: Bool = false) -> String {
    isSecure ? "https://localhost:\(ports[1])" : "http://127.0.0.1:\(ports[0])"
  }

  /// The port on which lines come back, with STARTTLS.
  public var bytesPort: Int { Int(ports[2]) }

  /// Stops the server.
  public func stop() { for process in processes { process.stop() } }
}
