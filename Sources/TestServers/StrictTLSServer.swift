import Foundation

/// `openssl s_server` on a free port of 127.0.0.1: a TLS server that ends a handshake with an alert when it
/// refuses the client, where nginx sends an HTTP response.
///
/// It uses the valid certificate, unless told otherwise, and responds to every GET with a page about the connection. It serves one
/// connection at a time.
public final class StrictTLSServer: Sendable {
  /// The certificates, of which the server uses one.
  public let certificates: CertificateMatrix
  /// The server's port.
  public let port: UInt16
  private let process: ServerProcess

  /// Starts a server and returns when it listens.
  ///
  /// - Parameters:
  ///   - server: The certificate that it shows; the valid one by default.
  ///   - demandsCertificate: Whether clients must have a certificate of ``CertificateMatrix/clientRoot``.
  ///   - options: Further options of s_server, such as `-tls1_2`.
  /// - Throws: ``TestServerError`` when the openssl command is missing or does not start.
  public init(
    demandsCertificate: Bool = true, showing server: CertificateMatrix.Server = .good, _ options: [String]
  ) throws {
    let openssl = try Loopback.program("openssl")
    let folder = try Loopback.newFolder("s_server")
    var owned = false
    defer { if !owned { try? FileManager.default.removeItem(at: folder) } }
    certificates = try CertificateMatrix(in: folder)
    port = try Loopback.freePorts(1)[0]
    var command = [
      openssl, "s_server", "-accept", "127.0.0.1:\(port)", "-www", "-cert",
      certificates.certificate(server).path,
      "-key", certificates.key(server).path,
    ]
    if demandsCertificate {
      command += ["-Verify", "1", "-verify_return_error", "-CAfile", certificates.clientRoot.path]
    }
    owned = true
    process = try ServerProcess(command + options, folder: folder)
    try process.waitUntilListening(on: [port])
  }

  /// Stops the server; otherwise it ends with its last reference, or with this process.
  public func stop() {
    process.stop()
  }
}
