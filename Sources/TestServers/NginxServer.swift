public import Foundation

/// nginx on free ports of 127.0.0.1: one plain site, and one TLS site for each certificate and protocol.
///
/// It runs as any user, in one process, from a folder of its own; the machine's own nginx is not changed.
/// ``NginxConfiguration`` lists what the sites serve. Every response has the header fields `X-Connection`
/// (a number per connection), `X-Connection-Request` (1 for the first request on it) and `X-Protocol`
/// (`HTTP/1.1`, `HTTP/2.0`).
public final class NginxServer: Sendable {
  /// One of the listening ports, named by its protocol and certificate.
  public enum Site: Hashable, Sendable, CaseIterable {
    /// HTTP without TLS.
    case plain
    /// TLS with this certificate, protocols 1.2 and 1.3.
    case tls(CertificateMatrix.Server)
    /// TLS with the valid certificate and HTTP/2.
    case http2
    /// HTTP/2 without TLS, for clients that use it without negotiation.
    case plainHTTP2
    /// TLS with the valid certificate; requires a client certificate of ``CertificateMatrix/clientRoot``.
    case clientCertificate
    /// The valid certificate, TLS 1.1 only.
    case onlyTLS11
    /// The valid certificate, TLS 1.2 only.
    case onlyTLS12
    /// The valid certificate, TLS 1.3 only.
    case onlyTLS13

    /// Whether it is served over TLS.
    public var isTLS: Bool { self != .plain && self != .plainHTTP2 }

    /// Every site that a server offers.
    public static let allCases: [Site] =
      [.plain, .http2, .plainHTTP2, .clientCertificate, .onlyTLS11, .onlyTLS12, .onlyTLS13]
      + CertificateMatrix.Server.byNginx.map(Site.tls)
  }

  /// The certificates of the TLS sites, and those that they require of clients.
  public let certificates: CertificateMatrix
  private let ports: [Site: UInt16]
  private let process: ServerProcess

  /// One server for the whole process, started at its first use (in about half a second).
  /// - Throws: ``TestServerError``, the same one each time.
  public static func shared() throws -> NginxServer {
    try launched.get()
  }
  private static let launched = Result { try NginxServer() }

  /// Starts a server and returns when each site accepts connections.
  /// - Parameter locations: Additional nginx `location` blocks for every site.
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

    // `-e` on the command line, because the compiled-in error log belongs to root.
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

  /// The address of `path`, which begins with a slash and may have a query, on one site.
  /// - Parameter host: The host name in the address; it must resolve to 127.0.0.1, or the client must
  ///   connect there.
  public func url(_ path: String, site: Site = .plain, host: String = "127.0.0.1") -> String {
    "\(site.isTLS ? "https" : "http")://\(host):\(port(site))\(path)"
  }

  /// The folder that the sites serve below `/files/`; a test may add to it.
  public var files: URL {
    process.folder.appendingPathComponent("files")
  }

  /// Stops the server. Without it the server ends when its last reference is released, or with this
  /// process.
  public func stop() {
    process.stop()
  }
}
