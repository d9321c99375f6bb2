public import Foundation

/// An FTP server with pyftpdlib on free ports of 127.0.0.1, from the virtual environment that
/// `Scripts/test` makes.
///
/// Its users and ports are described at the head of `Tests/Interop/ftp_server.py`.
public final class FTPServer: Sendable {
  /// One of the listening ports, named by its behaviour.
  public enum Site: Int, Sendable, CaseIterable {
    /// FTP without TLS.
    case plain
    /// TLS from the first byte, with the valid certificate, on data connections too.
    case tls
    /// As ``tls``, but the server refuses to protect the data connections.
    case clearData
    /// As ``plain``, but the server reports the end of a transfer a second late.
    case slowEnd
  }

  /// The user who may read and write.
  public static let user = "flight"
  /// The user's password.
  public static let password = "landing"

  /// The certificates, of which the server uses the valid one.
  public let certificates: CertificateMatrix
  private let ports: [UInt16]
  private let process: ServerProcess

  /// One server for the whole process, started at its first use (in about a second).
  /// - Throws: ``TestServerError``, the same one each time.
  public static func shared() throws -> FTPServer {
    try launched.get()
  }
  private static let launched = Result { try FTPServer() }

  /// Starts a server and returns when it listens.
  ///
  /// The environment variable `APIKIT_HTTPBIN_VENV` names another virtual environment than
  /// `.build-interop/venv` of the package.
  /// - Throws: ``TestServerError`` when pyftpdlib is not installed or the server does not start.
  public init() throws {
    let python = try VirtualEnvironment.python(withPackage: "pyftpdlib", of: "pyftpdlib")
    let folder = try Loopback.newFolder("ftp")
    var owned = false
    defer { if !owned { try? FileManager.default.removeItem(at: folder) } }
    let files = folder.appendingPathComponent("files")
    try FileManager.default.createDirectory(
      at: files.appendingPathComponent("folder"), withIntermediateDirectories: true)
    certificates = try CertificateMatrix(in: folder)
    ports = try Loopback.freePorts(Site.allCases.count)
    let command =
      [
        python, PackageFolder.url.appendingPathComponent("Tests/Interop/ftp_server.py").path,
        files.path,
        certificates.certificate(.good).path, certificates.key(.good).path,
      ] + ports.map { "\($0)" }
    owned = true
    process = try ServerProcess(command, folder: folder)
    try process.waitUntilListening(on: ports)
  }

  /// The folder that is served; a test may add to it.
  public var files: URL {
    process.folder.appendingPathComponent("files")
  }

  /// The address of `path`, which begins with a slash, on one site.
  public func url(_ path: String, site: Site = .plain) -> String {
    "\(site == .tls || site == .clearData ? "ftps" : "ftp")://localhost:\(ports[site.rawValue])\(path)"
  }

  /// Stops the server. Without it the server ends when its last reference is released, or with this
  /// process.
  public func stop() {
    process.stop()
  }
}
