import Foundation

/// The proxy pproxy on a free port of 127.0.0.1, from the virtual environment that `Scripts/test` makes:
/// HTTP, CONNECT and SOCKS5 on one port, each with ``user`` and ``password``.
public final class ProxyServer: Sendable {
  /// The name of the only user.
  public static let user = "flight"
  /// The user's password.
  public static let password = "landing"

  /// The proxy's port.
  public let port: UInt16
  private let process: ServerProcess

  /// One proxy for the whole process, started at its first use (in about a second).
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
        // Without it a login applies to every later connection from the same address.
        "--auth", "0", "-l", "http+socks5://127.0.0.1:\(port)#\(Self.user):\(Self.password)",
      ],
      folder: try Loopback.newFolder("proxy"))
    try process.waitUntilListening(on: [port])
  }

  /// Stops the proxy. Without it the proxy ends when its last reference is released, or with this process.
  public func stop() {
    process.stop()
  }
}
