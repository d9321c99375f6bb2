public import APIKit
import Foundation

/// A key of HTTP message signatures with its id and its algorithm.
///
/// The algorithm belongs to the key. The `alg` of a message is compared and never followed.
/// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc9421#section-3.3>
public struct SignatureKey: Sendable {
  /// How a key signs.
  public enum Algorithm: String, Sendable, Hashable, CaseIterable {
    /// HMAC with SHA-256: one secret on both sides.
    case hmacSHA256 = "hmac-sha256"
    /// Ed25519.
    case ed25519
    /// ECDSA on the curve P-256 with SHA-256.
    case ecdsaP256SHA256 = "ecdsa-p256-sha256"
    /// ECDSA on the curve P-384 with SHA-384.
    case ecdsaP384SHA384 = "ecdsa-p384-sha384"
    /// RSA with the padding PSS and SHA-512; at least 2,048 bits.
    case rsaPSSSHA512 = "rsa-pss-sha512"
    /// RSA with the padding of PKCS#1 1.5 and SHA-256; at least 2,048 bits. For servers that support nothing
    /// else.
    case rsaV15SHA256 = "rsa-v1_5-sha256"

    var kind: Crypto.KeyKind? {
      switch self {
      case .hmacSHA256: nil
      case .ed25519: .ed25519
      case .ecdsaP256SHA256: .ecdsaP256
      case .ecdsaP384SHA384: .ecdsaP384
      case .rsaPSSSHA512: .rsaPSS
      case .rsaV15SHA256: .rsaPKCS1
      }
    }
  }

  private enum Secret: Sendable {
    case shared(Crypto.HMACKey)
    case pair(Crypto.AsymmetricKey)
  }

  /// The id by which the verifier finds the key (`keyid`).
  public let id: String
  /// How it signs.
  public let algorithm: Algorithm
  /// The same for the same key, without revealing it.
  let digest: String
  private let secret: Secret

  /// Makes a shared secret, for HMAC with SHA-256.
  ///
  /// - Parameters:
  ///   - id: The id by which the verifier finds the key.
  ///   - secret: The secret.
  /// - Throws: `APIError.Reason.signingFailed` for an empty secret, with which anyone could sign.
  public init(id: String, secret: SecretKey) throws(APIError) {
    try secret.requireBytes()
    try Self.check(id)
    self.id = id
    algorithm = .hmacSHA256
    digest = secret.digest
    self.secret = .shared(Crypto.HMACKey(secret.bytes))
  }

  /// Makes the private key of a pair, which signs and verifies.
  ///
  /// - Parameters:
  ///   - id: The id by which the verifier finds the key.
  ///   - algorithm: How it signs.
  ///   - privateKey: PEM or DER: PKCS#8, PKCS#1 (`RSA PRIVATE KEY`) or SEC 1 (`EC PRIVATE KEY`), not encrypted.
  /// - Throws: `APIError.Reason.signingFailed` for bytes that are not such a key.
  public init(id: String, algorithm: Algorithm, privateKey: SecretKey) throws(APIError) {
    try self.init(id: id, algorithm: algorithm, bytes: privateKey.bytes, isPrivate: true)
  }

  /// Makes the public key of a pair, which verifies only.
  ///
  /// - Parameters:
  ///   - id: The id by which the key is found.
  ///   - algorithm: How its pair signs.
  ///   - publicKey: PEM or DER: SubjectPublicKeyInfo (`PUBLIC KEY`) or PKCS#1 (`RSA PUBLIC KEY`).
  /// - Throws: `APIError.Reason.signingFailed` for bytes that are not such a key.
  public init(id: String, algorithm: Algorithm, publicKey: [UInt8]) throws(APIError) {
    try self.init(id: id, algorithm: algorithm, bytes: publicKey, isPrivate: false)
  }

  private init(
    id: String, algorithm: Algorithm, bytes: [UInt8], isPrivate: Bool
  ) throws(APIError) {
    try Self.check(id)
    guard let kind = algorithm.kind else {
      throw APIError(.signing, .signingFailed, "\(algorithm.rawValue) has a secret, not a pair of keys")
    }
    let der = Self.der(bytes)
    guard let key = Crypto.AsymmetricKey(der, isPrivate: isPrivate, kind: kind) else {
      let noun = isPrivate ? "private" : "public"
      throw APIError(
        .signing, .signingFailed, "the bytes of \(id) are no \(noun) key for \(algorithm.rawValue)")
    }
    self.id = id
    self.algorithm = algorithm
    digest = Hex.encode(Crypto.sha256(der))
    secret = .pair(key)
  }

  /// The bytes of the first block of PEM (RFC 7468); the bytes themselves when they are none.
  private static func der(_ bytes: [UInt8]) -> [UInt8] {
    guard let text = String(wellFormed: bytes, as: UTF8.self), let begin = text.range(of: "-----BEGIN "),
      let start = text[begin.upperBound...].range(of: "-----"),
      let end = text[start.upperBound...].range(of: "-----END ")
    else { return bytes }
    let body = text[start.upperBound..<end.lowerBound].filter { !$0.isWhitespace }
    return Base64.decode(String(body)) ?? bytes
  }

  private static func check(_ id: String) throws(APIError) {
    guard !id.isEmpty, id.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
      throw APIError(.signing, .signingFailed, "the id of a key is visible ASCII and not empty")
    }
  }

  /// Whether signing takes microseconds.
  var isQuick: Bool { algorithm != .rsaPSSSHA512 && algorithm != .rsaV15SHA256 }

  /// The signature of a message; nil for a public key.
  func sign(_ message: [UInt8]) -> [UInt8]? {
    switch secret {
    case .shared(let key): key.code(message)
    case .pair(let key): key.sign(message)
    }
  }

  /// Whether a signature is that of the message.
  func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    switch secret {
    case .shared(let key): Crypto.constantTimeEquals(key.code(message), signature)
    case .pair(let key): key.verifies(signature, of: message)
    }
  }
}

extension SignatureKey: Redacted {
  /// The id and the algorithm, without the key.
  public var description: String { "\(id) (\(algorithm.rawValue))" }
}
