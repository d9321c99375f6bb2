public import APIKit

/// Signs for one of many registered applications: the application's own key is sent encrypted, together
/// with the digest made with it.
///
/// The application's key is encrypted with AES-256-GCM by a sealing key that is built into the application
/// and known to the server. The server decrypts it, checks whether the application is registered, and
/// computes the digest again: see ``RegisteredApplicationVerifier``. There is no time or nonce, as with
/// ``SaltedDigestSigner``, whose digest it is (SHA-256).
///
/// The sealed key is base64 of the URL alphabet without padding (RFC 4648, 5) of 12 bytes of nonce, the ciphertext, and 16
/// bytes of tag. The associated data is the digest as it is sent: 64 hexadecimal digits in lower case. So a sealed key
/// cannot be combined with another digest.
public struct RegisteredApplicationSigner: RequestSigner, FixedCallerSigner {
  /// The header field with the encrypted key: `X-Application-Key` by default.
  public let keyHeader: String
  /// The header field with the digest: `X-Signature` by default.
  public let signatureHeader: String

  /// A digest of the keys.
  public let caller: String?

  private let applicationKey: SecretKey
  private let sealingKey: SecretKey
  private let digest: SaltedDigestSigner

  /// Makes a signer.
  ///
  /// - Parameters:
  ///   - applicationKey: The key under which the application is registered.
  ///   - sealingKey: The key that encrypts it: 32 bytes.
  ///   - salt: A text known to both sides; the default is none.
  ///   - rounds: How many times the digest is applied; the default is 2.
  ///   - style: How parameters are written in the signed text; see ``SaltedDigestSigner/style``.
  ///   - keyHeader: The header field for the encrypted key.
  ///   - signatureHeader: The header field for the digest.
  public init(
    applicationKey: SecretKey, sealingKey: SecretKey, salt: String = "", rounds: Int = 2,
    style: QueryStyle = QueryStyle(), keyHeader: String = "X-Application-Key",
    signatureHeader: String = "X-Signature"
  ) {
    self.applicationKey = applicationKey
    self.sealingKey = sealingKey
    self.keyHeader = keyHeader
    self.signatureHeader = signatureHeader
    caller = Crypto.digest(of: ["RegisteredApplicationSigner", applicationKey.digest, sealingKey.digest])
    digest = SaltedDigestSigner(
      key: applicationKey, salt: salt, rounds: rounds, placement: .header(signatureHeader), style: style)
    SecretNames.add(fields: [keyHeader, signatureHeader])
  }

  /// True.
  public var runsInline: Bool { true }

  /// Sets both header fields, which replace those of an earlier attempt.
  ///
  /// Throws `APIError.Reason.signingFailed` when the sealing key does not have 32 bytes, and what
  /// ``SaltedDigestSigner/signature(apiName:parameters:)`` throws.
  public func sign(_ request: inout HTTPRequest, _ subject: SigningSubject) throws(APIError) {
    let signature = try digest.signature(apiName: subject.apiName, parameters: subject.parameters)
    guard
      let sealed = Crypto.seal(applicationKey.bytes, key: sealingKey.bytes, authenticating: signature.utf8)
    else {
      throw APIError(
        .signing, .signingFailed, "the sealing key has \(sealingKey.bytes.count) bytes; AES-256 needs 32")
    }
    request.headers[keyHeader] = Base64.encode(sealed, .url)
    request.headers[signatureHeader] = signature
  }
}

extension RegisteredApplicationSigner: CustomStringConvertible {
  /// The scheme, without the keys.
  public var description: String { "registered application, sealed with AES-256-GCM" }
}

/// The server's side of ``RegisteredApplicationSigner``.
public struct RegisteredApplicationVerifier: Sendable {
  private let sealingKey: SecretKey
  /// Computes the digests; its key is replaced with the application's.
  private let digest: SaltedDigestSigner
  private let keyHeader: String
  private let signatureHeader: String
  private let isRegistered: @Sendable (SecretKey) -> Bool

  /// Makes a verifier; salt, rounds, style and names must be those of the signers.
  ///
  /// `isRegistered` returns whether the application with this key is registered. Called on any thread.
  public init(
    sealingKey: SecretKey, salt: String = "", rounds: Int = 2, style: QueryStyle = QueryStyle(),
    keyHeader: String = "X-Application-Key", signatureHeader: String = "X-Signature",
    isRegistered: @escaping @Sendable (SecretKey) -> Bool
  ) {
    self.sealingKey = sealingKey
    digest = SaltedDigestSigner(
      key: SecretKey(bytes: []), salt: salt, rounds: rounds, placement: .header(signatureHeader),
      style: style)
    self.keyHeader = keyHeader
    self.signatureHeader = signatureHeader
    self.isRegistered = isRegistered
  }

  /// Verifies the header fields of a request that a server received, with its parameters.
  ///
  /// - Returns: The key of the application.
  /// - Throws: The `SignatureFault` that was found first.
  @discardableResult
  public func verify(
    _ headers: HTTPHeaders, apiName: String, parameters: Parameters
  ) throws(SignatureFault) -> SecretKey {
    let (key, signature) = try open(headers)
    try digest(key).verify(signature, apiName: apiName, parameters: parameters)
    return key
  }

  /// Verifies the header fields of a request that a server received, with its query or form body as
  /// received.
  ///
  /// - Returns: The key of the application.
  /// - Throws: The `SignatureFault` that was found first.
  @discardableResult
  public func verify(
    _ headers: HTTPHeaders, apiName: String, query: String
  ) throws(SignatureFault) -> SecretKey {
    let (key, signature) = try open(headers)
    try digest(key).verify(signature, apiName: apiName, query: query)
    return key
  }

  private func digest(_ key: SecretKey) -> SaltedDigestSigner {
    var digest = digest
    digest.key = key
    return digest
  }

  /// Decrypts the application's key, and checks that it is registered.
  private func open(_ headers: HTTPHeaders) throws(SignatureFault) -> (key: SecretKey, signature: String) {
    try headers.refuseRepeated([signatureHeader, keyHeader])
    guard let signature = headers[signatureHeader] else { throw .missing(signatureHeader) }
    guard let text = headers[keyHeader], let sealed = Base64.decode(text, .url),
      sealed.count >= Crypto.nonceLength + Crypto.tagLength
    else { throw .missing(keyHeader) }
    guard let bytes = Crypto.open(sealed, key: sealingKey.bytes, authenticating: signature.utf8) else {
      throw .mismatched
    }
    let key = SecretKey(bytes: bytes)
    guard isRegistered(key) else { throw .unknownKey }
    return (key, signature)
  }
}
