public import Foundation

/// nginx on free ports of 127.0.0.1: one plain site, and one TLS site for each certificate and protocol.
///
/// It runs as any user, in one process, from a folder of its own; nothing of the machine's nginx is
/// touched. What the sites serve is in ``NginxConfiguration``. Every answer tells on which connection it
/// came: `X-Connection` (a number per connection), `X-Connection-Request` (1 for the first on it) and
/// `X-Protocol` (`HTTP/1.1`, `HTTP/2.0`).
public final class NginxServer: Sendable {
  /// One listening port by what is special about it.
  public enum Site: Hashable, Sendable, CaseIterable {
    /// HTTP without TLS.
    case plain
    /// TLS with this certificate, protocols 1.2 and 1.3.
    case tls(CertificateMatrix.Server)
    /// TLS with the good certificate and HTTP/2.
    case http2
    /// HTTP/2 without TLS, for clients that know it beforehand.
    case plainHTTP2
    /// TLS with the good certificate, which requires a client certificate of ``CertificateMatrix/clientRoot``.
    case clientCertificate
    /// The good certificate, TLS 1.1 only.
    case onlyTLS11
    /// The good certificate, TLS 1.2 only.
    case onlyTLS12
    /// The good certificate, TLS 1.3 only.
    case onlyTLS13

    /// Whether it is served over TLS.
    public var isTLS: Bool { self != .plain && self != .plainHTTP2 }

    /// Every site that a server offers.
    public static let allCases: [Site] =
      [.plain, .http2, .plainHTTP2, .clientCertificate, .onlyTLS11, .onlyTLS12, .onlyTLS13]
      + CertificateMatrix.Server.allCases.map(Site.tls)
  }

  /// The certificates that the TLS sites show and ask for.
  public let certificates: CertificateMatrix
  private let ports: [Site: UInt16]
  private let process: ServerProcess

  /// One server for the whole process, started by the first who asks (about half a second).
  /// - Throws: ``TestServerError``, the same one each time.
  public static func shared() throws -> NginxServer {
    try launched.get()
  }
  private static let launched = Result { try NginxServer() }

  /// Starts a server and returns once each site accepts connections.
  /// - Parameter locations: nginx `location` blocks of the caller's own, served by every site.
  /// - Throws: ``TestServerError`` when nginx or openssl is missing, or nginx refuses the configuration.
  public init(locations: String = "") throws {
    let nginx = try Loopback.program("nginx")
    let folder = try Loopback.newFolder("nginx")
    var owned = false
    defer { if !owned { try? FileManager.default.removeItem(at: folder) } }
    let matrix = try CertificateMatrix(in: folder)
    let numbers = try Loopback.freePorts(Site.allCases.count)
    let ports = Dictionary(uniqueKeysWithValues: zip(Site.allCases, numbers))
    try NginxConfiguration(folder: folder, certificates: matrix, ports: ports, locations: locations).write()

    // `-e` from the start: the compiled-in error log belongs to root.
    let command = [
      nginx, "-e", "stderr", "-p", folder.path, "-c", folder.appendingPathComponent("nginx.conf").path,
    ]
    owned = true
    self.process = try ServerProcess(command, folder: folder)
    self.certificates = matrix
    self.ports = ports
    try process.waitUntilListening(on: numbers)
  }

  /// The port of a site.
  public func port(_ site: Site = .plain) -> UInt16 {
    ports[site] ?? 0
  }

  /// The address of `path`, which begins with a slash and may carry a query, on one site.
  /// - Parameter host: the name in the address; it must resolve to 127.0.0.1, or be made to.
  public func url(_ path: String, site: Site = .plain, host: String = "127.0.0.1") -> String {
    "\(site.isTLS ? "https" : "http")://\(host):\(port(site))\(path)"
  }

  /// The folder the sites serve below `/files/`; a test may add to it.
  public var files: URL {
    process.folder.appendingPathComponent("files")
  }

  /// Stops the server; otherwise it ends with its last reference, or with this process.
  public func stop() {
    process.stop()
  }
}
