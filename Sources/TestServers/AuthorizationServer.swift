public import Foundation

/// An OAuth 2.0 authorization server with Authlib and Flask on a free port of 127.0.0.1, from the virtual
/// environment that `Scripts/test` makes. It checks the OAuth client independently of this project's code.
///
/// Its clients, grants and addresses are listed at the head of `Tests/Interop/authorization_server.py`.
public final class AuthorizationServer: Sendable {
  /// The server's address, such as `http://127.0.0.1:49152`.
  public let baseURL: URL
  private let process: ServerProcess

  /// One server for the whole process, started at its first use (in about two seconds).
  /// - Throws: ``TestServerError``, the same one each time.
  public static func shared() throws -> AuthorizationServer {
    try launched.get()
  }
  private static let launched = Result { try AuthorizationServer() }

  /// Starts a server and returns when it responds.
  ///
  /// The environment variable `APIKIT_HTTPBIN_VENV` names another virtual environment than
  /// `.build-interop/venv` of the package.
  /// - Throws: ``TestServerError`` when Authlib is not installed or the server does not start.
  public init() throws {
    let python = try VirtualEnvironment.python(withPackage: "authlib", of: "Authlib")
    let port = try Loopback.freePorts(1)[0]
    let script = PackageFolder.url.appendingPathComponent("Tests/Interop/authorization_server.py")
      .path
    self.process = try ServerProcess(
      [python, script, "\(port)"], folder: try Loopback.newFolder("authorization"))
    try process.waitUntilListening(on: [port])
    guard let url = URL(string: "http://127.0.0.1:\(port)") else {
      throw TestServerError("no URL for port \(port)")
    }
    self.baseURL = url
  }

  /// The address of `path`, which begins with a slash and may have a query.
  public func url(_ path: String) -> String {
    baseURL.absoluteString + path
  }

  /// Stops the server. Without it the server ends when its last reference is released, or with this
  /// process.
  public func stop() {
    process.stop()
  }
}
