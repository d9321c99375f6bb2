/// Signs for a caller that is one of many registered applications: its own key goes along, encrypted,
/// beside the digest made with it.
///
/// The application's key is sealed with AES-256-GCM under a key that is built into the application and known
/// to the server. The server opens it, looks whether the application is registered, and makes the digest
/// again: see ``RegisteredApplicationVerifier``. The seal is bound to its digest, so that it cannot be put
/// beside another. Time and nonce are not part of it, as with ``SaltedDigestSigner``.
public struct RegisteredApplicationSigner: RequestSigner {
  /// The field that carries the sealed key: `X-Application-Key` by default.
  public let keyHeader: String
  /// The field that carries the digest: `X-Signature` by default.
  public let signatureHeader: String

  private let applicationKey: SigningKey
  private let sealingKey: SigningKey
  private let digest: SaltedDigestSigner

  /// Makes a signer.
  ///
  /// - Parameters:
  ///   - applicationKey: The key under which the application is registered.
  ///   - sealingKey: The key that seals it on the way: 32 bytes.
  ///   - salt: A text that both sides know; the default is none.
  ///   - rounds: How often the digest runs; the default is 2.
  ///   - keyHeader: The field for the sealed key.
  ///   - signatureHeader: The field for the digest.
  public init(
    applicationKey: SigningKey, sealingKey: SigningKey, salt: String = "", rounds: Int = 2,
    keyHeader: String = "X-Application-Key", signatureHeader: String = "X-Signature"
  ) {
    self.applicationKey = applicationKey
    self.sealingKey = sealingKey
    self.keyHeader = keyHeader
    self.signatureHeader = signatureHeader
    digest = SaltedDigestSigner(
      key: applicationKey, salt: salt, rounds: rounds, placement: .header(signatureHeader))
  }

  /// True.
  public var runsInline: Bool { true }

  /// The two fields.
  public var headerNames: Set<String> { [keyHeader, signatureHeader] }

  /// Sets both fields in place of those of an earlier attempt.
  ///
  /// Throws ``APIError/Reason/signingFailed`` when the sealing key does not have 32 bytes.
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
  /// The scheme, never a key.
  public var description: String { "registered application, sealed with AES-256-GCM" }
}

/// The server's side of ``RegisteredApplicationSigner``.
public struct RegisteredApplicationVerifier: Sendable {
  private let sealingKey: SigningKey
  /// Makes the digests, once it has the application's key.
  private let digest: SaltedDigestSigner
  private let keyHeader: String
  private let signatureHeader: String
  private let isRegistered: @Sendable (SigningKey) -> Bool

  /// Makes a verifier; salt, rounds and names are those of the signers.
  ///
  /// `isRegistered` says whether an application of this key is registered; called on any thread.
  public init(
    sealingKey: SigningKey, salt: String = "", rounds: Int = 2, keyHeader: String = "X-Application-Key",
    signatureHeader: String = "X-Signature", isRegistered: @escaping @Sendable (SigningKey) -> Bool
  ) {
    self.sealingKey = sealingKey
    digest = SaltedDigestSigner(
      key: SigningKey(bytes: []), salt: salt, rounds: rounds, placement: .header(signatureHeader))
    self.keyHeader = keyHeader
    self.signatureHeader = signatureHeader
    self.isRegistered = isRegistered
  }

  /// Checks the fields of a request that a server received, with the parameters that came with it.
  ///
  /// - Returns: The key of the application.
  @discardableResult
  public func verify(
    _ headers: HTTPHeaders, apiName: String, parameters: Parameters
  ) throws(SignatureFault) -> SigningKey {
    let (key, signature) = try open(headers)
    try digest(key).verify(signature, apiName: apiName, parameters: parameters)
    return key
  }

  /// Checks the fields of a request that a server received, with its query or form body as received.
  ///
  /// - Returns: The key of the application.
  @discardableResult
  public func verify(
    _ headers: HTTPHeaders, apiName: String, query: String
  ) throws(SignatureFault) -> SigningKey {
    let (key, signature) = try open(headers)
    try digest(key).verify(signature, apiName: apiName, query: query)
    return key
  }

  private func digest(_ key: SigningKey) -> SaltedDigestSigner {
    var digest = digest
    digest.key = key
    return digest
  }

  /// The application's key from its seal, when it is registered.
  private func open(_ headers: HTTPHeaders) throws(SignatureFault) -> (key: SigningKey, signature: String) {
    guard let signature = headers[signatureHeader] else { throw .missing(signatureHeader) }
    guard let text = headers[keyHeader], let sealed = Base64.decode(text, .url),
      sealed.count >= Crypto.nonceLength + Crypto.tagLength
    else { throw .missing(keyHeader) }
    guard let bytes = Crypto.open(sealed, key: sealingKey.bytes, authenticating: signature.utf8) else {
      throw .mismatched
    }
    let key = SigningKey(bytes: bytes)
    guard isRegistered(key) else { throw .unknownKey }
    return (key, signature)
  }
}
