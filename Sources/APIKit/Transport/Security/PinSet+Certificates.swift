public import Foundation

extension PinSet.Pin {
  /// The pin of a whole certificate, for ``TLSPolicy/Pinning/certificate(_:)``, from its DER or from PEM.
  ///
  /// Of several certificates in PEM the first counts. Throws ``APIError/Reason/misconfigured`` for bytes that hold none.
  public init(certificate bytes: [UInt8]) throws(APIError) {
    try self.init(digest: Crypto.sha256(try Self.first(of: bytes)))
  }

  /// The pin of a certificate's public key, for ``TLSPolicy/Pinning/publicKey(_:)``, from its DER or from PEM.
  ///
  /// Of several certificates in PEM the first counts. Throws ``APIError/Reason/misconfigured`` for bytes that hold none.
  public init(publicKeyOf bytes: [UInt8]) throws(APIError) {
    guard let certificate = Certificate(der: try Self.first(of: bytes)) else { throw Self.none("the bytes") }
    try self.init(digest: Crypto.sha256(certificate.publicKeyInfo))
  }

  /// The pins of all certificates of a file or a folder, for ``TLSPolicy/Pinning/certificate(_:)``.
  ///
  /// A file holds one certificate in DER or any number in PEM. Of a folder the files that end in `.cer`, `.crt`, `.der`
  /// and `.pem` are read, not those of folders in it. Each certificate gives a pin, and one match is enough. Reads the
  /// file system: call it when the application starts. Throws ``APIError/Reason/misconfigured`` for what cannot be read
  /// or holds no certificate.
  public static func certificates(at path: String) throws(APIError) -> [Self] {
    try all(at: path).map { der throws(APIError) in try Self(certificate: der) }
  }

  /// The pins of the public keys of all certificates of a file or a folder, for
  /// ``TLSPolicy/Pinning/publicKey(_:)``; see ``certificates(at:)``.
  public static func publicKeys(at path: String) throws(APIError) -> [Self] {
    try all(at: path).map { der throws(APIError) in try Self(publicKeyOf: der) }
  }

  /// The pins of all certificates among the resources of a bundle; see ``certificates(at:)``.
  public static func certificates(in bundle: Bundle) throws(APIError) -> [Self] {
    try certificates(at: bundle.resourcePath ?? bundle.bundlePath)
  }

  /// The pins of the public keys of all certificates among the resources of a bundle; see ``certificates(at:)``.
  public static func publicKeys(in bundle: Bundle) throws(APIError) -> [Self] {
    try publicKeys(at: bundle.resourcePath ?? bundle.bundlePath)
  }

  // MARK: Insides

  private static let endings: Set<String> = ["cer", "crt", "der", "pem"]

  private static func all(at path: String) throws(APIError) -> [[UInt8]] {
    var isFolder = ObjCBool(false)
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw TLSPolicy.misconfigured("there are no certificates to pin at \(path)")
    }
    guard isFolder.boolValue else { return try read(path) }
    let names: [String]
    do { names = try FileManager.default.contentsOfDirectory(atPath: path) } catch {
      throw TLSPolicy.misconfigured("the folder of certificates \(path) cannot be read")
    }
    var found: [[UInt8]] = []
    for name in names.sorted() where endings.contains((name as NSString).pathExtension.lowercased()) {
      found += try read(path + "/" + name)
    }
    guard !found.isEmpty else { throw none("the folder \(path)") }
    return found
  }

  private static func read(_ path: String) throws(APIError) -> [[UInt8]] {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw TLSPolicy.misconfigured("the certificate \(path) cannot be read")
    }
    let found = Certificate.all(of: [UInt8](data))
    guard !found.isEmpty else { throw none(path) }
    return found
  }

  private static func first(of bytes: [UInt8]) throws(APIError) -> [UInt8] {
    guard let der = Certificate.all(of: bytes).first else { throw none("the bytes") }
    return der
  }

  private static func none(_ what: String) -> APIError {
    TLSPolicy.misconfigured("\(what) to pin: no certificate in DER or PEM")
  }
}
