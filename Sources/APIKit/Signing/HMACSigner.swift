/// Signs with HMAC-SHA256 over a canonical form of the whole request: method, path, query, chosen header
/// fields, time, nonce and the digest of the body.
///
/// Nothing of what it covers can be changed on the way, and a server that remembers nonces for the length of
/// its window cannot be told the same request twice. The body is digested as it is before content coding.
/// See ``CanonicalRequest`` for the text that is signed and ``verify(_:now:window:)`` for the server's side.
public struct HMACSigner: RequestSigner {
  /// The names of the header fields that carry a signature.
  public struct Names: Sendable, Hashable {
    /// The signature in hexadecimal digits.
    public var signature = "X-Signature"
    /// The time in seconds since 1970.
    public var timestamp = "X-Timestamp"
    /// The nonce.
    public var nonce = "X-Nonce"
    /// The key's name; sent when the signer has one.
    public var keyID = "X-Key-ID"
    /// The digest of the body; sent when there is a body.
    public var bodyDigest = "X-Content-SHA256"

    /// The default names.
    public init() {}
  }

  /// The name of the key, for servers that know several; empty for none.
  public let keyID: String
  /// The names of the header fields that are signed: lower case, sorted.
  public let signedHeaders: [String]
  /// The names of the fields that carry the signature.
  public let names: Names
  /// Whether a streamed body, whose digest is not known before it is sent, goes out with its bytes unsigned.
  /// The default is false: signing it fails.
  public var allowsUnsignedStreams = false

  private let key: SigningKey
  private let preparedKey: Crypto.HMACKey

  /// Makes a signer.
  ///
  /// - Parameters:
  ///   - key: The secret that both sides know.
  ///   - keyID: The key's name, for servers that know several; the default is none.
  ///   - signedHeaders: The header fields to sign; the default is the host and the content type.
  ///   - names: The header fields that carry the signature.
  public init(
    key: SigningKey, keyID: String = "", signedHeaders: [String] = ["Host", "Content-Type"],
    names: Names = Names()
  ) {
    self.key = key
    preparedKey = Crypto.HMACKey(key.bytes)
    self.keyID = keyID
    self.signedHeaders = Set(signedHeaders.map { $0.lowercased() }).sorted()
    self.names = names
  }

  /// True.
  public var runsInline: Bool { true }

  /// Every field that carries the signature.
  public var headerNames: Set<String> {
    [names.signature, names.timestamp, names.nonce, names.keyID, names.bodyDigest]
  }

  /// Sets the fields of the signature in place of those of an earlier attempt.
  ///
  /// Throws ``APIError/Reason/signingFailed`` for an empty key and for a streamed body unless
  /// ``allowsUnsignedStreams`` is set, and ``APIError/Reason/unreadableBody`` for a file that cannot be read.
  public func sign(_ request: inout HTTPRequest, _ subject: SigningSubject) throws(APIError) {
    try key.requireBytes()
    let digest = try bodyDigest(of: request.body)
    let signature = try signature(
      of: request, secondsSince1970: subject.secondsSince1970, nonce: subject.nonce, bodyDigest: digest)
    var fields: [HTTPHeaders.Field] = []
    fields.reserveCapacity(request.headers.count + 5)
    for field in request.headers.fields where !isOwn(field.name) { fields.append(field) }
    if !keyID.isEmpty { fields.append(.init(names.keyID, keyID)) }
    fields.append(.init(names.timestamp, String(subject.secondsSince1970)))
    fields.append(.init(names.nonce, subject.nonce))
    if !request.body.isEmpty { fields.append(.init(names.bodyDigest, digest)) }
    fields.append(.init(names.signature, signature))
    request.headers.fields = fields
  }

  /// Whether a field is of an earlier signature.
  private func isOwn(_ name: String) -> Bool {
    HTTPHeaders.equal(name, names.signature) || HTTPHeaders.equal(name, names.timestamp)
      || HTTPHeaders.equal(name, names.nonce) || HTTPHeaders.equal(name, names.bodyDigest)
      || HTTPHeaders.equal(name, names.keyID)
  }

  private func signature(
    of request: HTTPRequest, secondsSince1970: Int, nonce: String, bodyDigest: String
  ) throws(APIError) -> String {
    let canonical = try CanonicalRequest(
      request, signedHeaders: signedHeaders, keyID: keyID, secondsSince1970: secondsSince1970, nonce: nonce,
      bodyDigest: bodyDigest)
    return Hex.encode(preparedKey.code(canonical.bytes))
  }
}

extension HMACSigner {
  /// Checks a request that a server received.
  ///
  /// The body must be the decoded one, in memory. Whether the nonce was used before is the server's to know:
  /// keep the nonces of the last `2 * window` seconds.
  /// - Parameters:
  ///   - request: The request as received, its `Host` field among the headers.
  ///   - now: The server's time in seconds since 1970.
  ///   - window: How far the request's time may be from `now` either way, in seconds; the default is 300.
  /// - Returns: The nonce.
  @discardableResult
  public func verify(
    _ request: HTTPRequest, now: Int, window: Int = 300
  ) throws(SignatureFault) -> String {
    guard let signature = request.headers[names.signature] else { throw .missing(names.signature) }
    guard let nonce = request.headers[names.nonce], !nonce.isEmpty else { throw .missing(names.nonce) }
    guard let text = request.headers[names.timestamp], let time = Int(text) else {
      throw .missing(names.timestamp)
    }
    guard request.headers[names.keyID] ?? "" == keyID else { throw .unknownKey }
    let expected: String
    do {
      let isUnsigned = allowsUnsignedStreams && request.headers[names.bodyDigest] == Self.unsigned
      let digest = try isUnsigned ? Self.unsigned : bodyDigest(of: request.body)
      expected = try self.signature(of: request, secondsSince1970: time, nonce: nonce, bodyDigest: digest)
    } catch {
      throw .mismatched
    }
    guard Crypto.constantTimeEquals(expected.utf8, signature.utf8) else { throw .mismatched }
    let (difference, overflow) = now.subtractingReportingOverflow(time)
    guard !overflow, abs(difference) <= window else { throw .outsideWindow(seconds: difference) }
    return nonce
  }
}

extension HMACSigner {
  /// What stands in place of the digest of a body that is not signed.
  private static let unsigned = "UNSIGNED"
  private static let emptyDigest = Hex.encode(Crypto.sha256([]))

  private func bodyDigest(of body: HTTPBody) throws(APIError) -> String {
    switch body {
    case .empty: return Self.emptyDigest
    case .bytes(let bytes): return bytes.isEmpty ? Self.emptyDigest : Hex.encode(Crypto.sha256(bytes))
    case .file(let path, let offset):
      let file = try FileChunks(path: path, offset: offset)
      do {
        return Hex.encode(try Crypto.sha256 { try file.next() })
      } catch {
        throw error as? APIError ?? APIError(.signing, .unreadableBody, underlying: error)
      }
    case .stream:
      guard allowsUnsignedStreams else {
        throw APIError(
          .signing, .signingFailed,
          "a streamed body has no digest before it is sent; send a file, or set allowsUnsignedStreams")
      }
      return Self.unsigned
    }
  }
}

extension HMACSigner: CustomStringConvertible {
  /// The scheme and the key's name, never the key.
  public var description: String { keyID.isEmpty ? "HMAC-SHA256" : "HMAC-SHA256 with key \(keyID)" }
}
