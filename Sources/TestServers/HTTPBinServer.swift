public import Foundation

/// httpbin with gunicorn on a free port of 127.0.0.1, from the virtual environment that `Scripts/test`
/// makes.
///
/// It returns what it received, so it shows independently of this project's code what was sent. One process
/// with 16 threads, so that delayed responses do not delay other requests.
public final class HTTPBinServer: Sendable {
  /// The server's address, such as `http://127.0.0.1:49152`.
  public let baseURL: URL
  private let process: ServerProcess

  /// One server for the whole process, started at its first use (in about a second).
  /// - Throws: ``TestServerError``, the same one each time.
  public static func shared() throws -> HTTPBinServer {
    try launched.get()
  }
  private static let launched = Result { try HTTPBinServer() }

  /// Starts a server and returns when it responds.
  ///
  /// The environment variable `APIKIT_HTTPBIN_VENV` names another virtual environment than
  /// `.build-interop/venv` of the package.
  /// - Throws: ``TestServerError`` when httpbin is not installed or does not start.
  public init() throws {
    let python = try VirtualEnvironment.python(with: "gunicorn", of: "httpbin")
    let port = try Loopback.freePorts(1)[0]
    self.process = try ServerProcess(
      [
        python, "-m", "gunicorn", "--bind", "127.0.0.1:\(port)", "--workers", "1",
        "--threads", "16", "--graceful-timeout", "1", "--keep-alive", "5", "httpbin:app",
      ],
      folder: try Loopback.newFolder("httpbin"))
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
