import Foundation

/// A proxy, pproxy, on a free port of 127.0.0.1, from the virtual environment `Scripts/test` makes: HTTP, CONNECT
/// and SOCKS5 on the one port, each with ``user`` and ``password``.
public final class ProxyServer: Sendable {
  /// The user who may pass.
  public static let user = "flight"
  /// Their password.
  public static let password = "landing"

  /// The proxy's port.
  public let port: UInt16
  private let process: ServerProcess

  /// One proxy for the whole process, started by the first who asks (about a second).
  /// - Throws: ``TestServerError``, the same one each time.
  public static func shared() throws -> ProxyServer {
    try launched.get()
  }
  private static let launched = Result { try ProxyServer() }

  /// Starts a proxy and returns once it listens.
  ///
  /// The environment variable `APIKIT_HTTPBIN_VENV` names another virtual environment than
  /// `.build-interop/venv` of the package.
  /// - Throws: ``TestServerError`` when pproxy is not installed or does not start.
  public init() throws {
    let python = try VirtualEnvironment.python(with: "pproxy", of: "pproxy")
    port = try Loopback.freePorts(1)[0]
    process = try ServerProcess(
      [
        python, "-m", "pproxy",
        // Otherwise a login counts for every later connection of the same address.
        "--auth", "0", "-l", "http+socks5://127.0.0.1:\(port)#\(Self.user):\(Self.password)",
      ],
      folder: try Loopback.newFolder("proxy"))
    try process.waitUntilListening(on: [port])
  }

  /// Stops the proxy; otherwise it ends with its last reference, or with this process.
  public func stop() {
    process.stop()
  }
}
