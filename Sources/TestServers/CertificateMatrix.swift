public import Foundation

/// The certificates of the TLS tests, valid and invalid ones, made by the openssl command in one folder.
///
/// All keys but one are on P-256. The server certificates are for `good.test`, `localhost` and `127.0.0.1`, unless
/// the name is their fault.
public struct CertificateMatrix: Sendable {
  /// A server certificate, named by its fault.
  public enum Server: String, CaseIterable, Sendable {
    /// No fault: signed by the root, not expired, for the right names.
    case good
    /// It expired in 2021.
    case expired
    /// It becomes valid in 2090.
    case notYetValid
    /// It is for `other.test` only.
    case wrongHost
    /// It is self-signed.
    case selfSigned
    /// It is signed by a root that is not trusted.
    case unknownRoot
    /// It has the right common name and no subject alternative name (invalid by RFC 9525).
    case commonNameOnly
    /// It has the right common name, and a subject alternative name that is not a host name.
    case mailOnly
    /// It is for clients only.
    case wrongPurpose
    /// Its key is of RSA with 1,024 bits.
    case weakKey

    /// Those that nginx shows; it does not load a weak one.
    public static let byNginx = allCases.filter { $0 != .weakKey }
  }

  /// A client certificate.
  public enum Client: String, CaseIterable, Sendable {
    /// Signed by the root that the server requires.
    case friend
    /// Signed by another root.
    case stranger
    /// Signed by the root that the server requires; it expired in 2021.
    case expired
  }

  /// The folder of all files.
  public let folder: URL
  /// The password of the PKCS #12 files.
  public let password = "takeoff"

  /// The root that tests trust, in PEM.
  public var root: URL { folder.appendingPathComponent("root.pem") }
  /// The root that signed the client certificates, in PEM.
  public var clientRoot: URL { folder.appendingPathComponent("clients.pem") }
  /// A server's certificate, in PEM.
  public func certificate(_ server: Server) -> URL { file(server.rawValue, "pem") }
  /// A server's private key, in PEM, not encrypted.
  public func key(_ server: Server) -> URL { file(server.rawValue, "key") }
  /// A client's certificate, in PEM.
  public func certificate(_ client: Client) -> URL { file(name(client), "pem") }
  /// A client's private key, in PEM, not encrypted.
  public func key(_ client: Client) -> URL { file(name(client), "key") }
  /// A client's private key, in PEM, encrypted under ``password``.
  public func encryptedKey(_ client: Client) -> URL { file(name(client), "encrypted.key") }
  /// A client's certificate and key in one PKCS #12 file under ``password``.
  public func archive(_ client: Client) -> URL { file(name(client), "p12") }

  /// The base64 SHA-256 of a server's public key (SubjectPublicKeyInfo), as pins are written (RFC 7469, 2.4).
  public func publicKeyPin(_ server: Server) throws -> String {
    try openssl(["x509", "-in", "\(server.rawValue).pem", "-noout", "-pubkey", "-out", "pin.pub"])
    try openssl(["pkey", "-pubin", "-in", "pin.pub", "-outform", "DER", "-out", "pin.der"])
    try openssl(["dgst", "-sha256", "-binary", "-out", "pin.sha256", "pin.der"])
    return try Data(contentsOf: folder.appendingPathComponent("pin.sha256")).base64EncodedString()
  }

  /// Writes every certificate to `folder`, which must exist. They are made once for the whole process.
  /// - Throws: ``TestServerError`` when there is no openssl command or it fails.
  public init(in folder: URL) throws {
    self.folder = folder
    for (name, content) in try Self.files.get() {
      try content.write(to: folder.appendingPathComponent(name))
    }
  }

  private static let files = Result { () throws -> [String: Data] in
    let folder = try Loopback.newFolder("certificates")
    defer { try? FileManager.default.removeItem(at: folder) }
    _ = try CertificateMatrix(makingIn: folder)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    let contents = try names.map { try Data(contentsOf: folder.appendingPathComponent($0)) }
    return Dictionary(uniqueKeysWithValues: zip(names, contents))
  }

  private init(makingIn folder: URL) throws {
    self.folder = folder
    for authority in ["root", "clients", "unknown"] { try makeAuthority(authority) }
    for server in Server.allCases where server != .selfSigned {
      try sign(
        server.rawValue, by: server == .unknownRoot ? "unknown" : "root", commonName: "good.test",
        extensions: Self.extensions(server),
        from: server == .notYetValid ? "20900101000000Z" : "20200101000000Z",
        to: server == .expired ? "20210101000000Z" : "20991231000000Z")
    }
    try openssl(
      ["req", "-x509", "-config", "root.cnf", "-extensions", "named"] + newKey("selfSigned")
        + ["-subj", "/CN=good.test", "-days", "3650", "-out", "selfSigned.pem"])
    for client in Client.allCases {
      try sign(
        name(client), by: client == .stranger ? "unknown" : "clients",
        commonName: "\(client.rawValue) of the tests", extensions: "client", from: "20200101000000Z",
        to: client == .expired ? "20210101000000Z" : "20991231000000Z")
      try openssl([
        "pkcs12", "-export", "-in", "\(name(client)).pem", "-inkey", "\(name(client)).key",
        "-passout", "pass:\(password)", "-out", "\(name(client)).p12",
      ])
      try openssl([
        "pkey", "-in", "\(name(client)).key", "-aes256", "-passout", "pass:\(password)",
        "-out", "\(name(client)).encrypted.key",
      ])
    }
  }

  private static func extensions(_ server: Server) -> String {
    switch server {
    case .wrongHost: "elsewhere"
    case .commonNameOnly: "unnamed"
    case .mailOnly: "mail"
    case .wrongPurpose: "client"
    default: "named"
    }
  }

  private func file(_ name: String, _ kind: String) -> URL {
    folder.appendingPathComponent("\(name).\(kind)")
  }

  private func newKey(_ name: String) -> [String] {
    let kind = name == Server.weakKey.rawValue ? ["rsa:1024"] : ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    return ["-newkey"] + kind + ["-nodes", "-keyout", "\(name).key"]
  }

  /// The name of a client's files. Servers have expired ones too.
  private func name(_ client: Client) -> String { client == .expired ? "expiredClient" : client.rawValue }

  /// Makes a root and the files that `openssl ca` needs; `ca` is the one command that accepts start dates
  /// in every release.
  private func makeAuthority(_ name: String) throws {
    let configuration = """
      [ca]
      default_ca = authority
      [authority]
      dir = .
      new_certs_dir = .
      database = \(name).index
      rand_serial = yes
      unique_subject = no
      certificate = \(name).pem
      private_key = \(name).key
      default_md = sha256
      policy = policy
      [policy]
      commonName = supplied
      [req]
      distinguished_name = subject
      prompt = no
      [subject]
      [authority_extensions]
      basicConstraints = critical, CA:true
      keyUsage = critical, keyCertSign, cRLSign
      subjectKeyIdentifier = hash
      [named]
      subjectAltName = DNS:good.test, DNS:localhost, IP:127.0.0.1
      extendedKeyUsage = serverAuth
      [elsewhere]
      subjectAltName = DNS:other.test
      extendedKeyUsage = serverAuth
      [mail]
      subjectAltName = email:flight@good.test
      extendedKeyUsage = serverAuth
      [unnamed]
      extendedKeyUsage = serverAuth
      [client]
      extendedKeyUsage = clientAuth

      """
    try configuration.write(to: file(name, "cnf"), atomically: false, encoding: .utf8)
    try Data().write(to: file(name, "index"))
    try openssl(
      ["req", "-x509", "-config", "\(name).cnf", "-extensions", "authority_extensions"] + newKey(name)
        + ["-subj", "/CN=\(name) root of the tests", "-days", "3650", "-out", "\(name).pem"])
  }

  private func sign(
    _ name: String, by authority: String, commonName: String, extensions: String, from: String, to: String
  ) throws {
    try openssl(
      ["req", "-new", "-config", "\(authority).cnf"] + newKey(name)
        + ["-subj", "/CN=\(commonName)", "-out", "\(name).csr"])
    try openssl([
      "ca", "-batch", "-notext", "-config", "\(authority).cnf", "-extensions", extensions,
      "-startdate", from, "-enddate", to, "-in", "\(name).csr", "-out", "\(name).pem",
    ])
  }

  private func openssl(_ arguments: [String]) throws {
    #if os(Linux) || os(macOS)
      let process = Process()
      let output = Pipe()
      process.executableURL = URL(fileURLWithPath: try Loopback.program("openssl"))
      process.arguments = arguments
      process.currentDirectoryURL = folder
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = output
      process.standardError = output
      try process.run()
      let words = output.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      guard process.terminationStatus == 0 else {
        throw TestServerError(
          "openssl \(arguments.joined(separator: " ")) failed:\n\(String(decoding: words, as: UTF8.self))")
      }
    #else
      throw TestServerError("openssl cannot be started: there are child processes on Linux and macOS only")
    #endif
  }
}
