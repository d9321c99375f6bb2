public import APIKit

/// Signs with HMAC-SHA256 over a canonical form of the whole request: method, path, query, selected header
/// fields, time, nonce and the digest of the body.
///
/// None of these can be changed on the way, and a server that stores nonces for the length of its window
/// refuses a repeated request. The digest covers the body before content coding. See ``CanonicalRequest``
/// for the text that is signed, and ``verify(_:now:window:)`` for the server's side.
public struct HMACSigner: RequestSigner, FixedCallerSigner {
  /// The names of the header fields that contain a signature.
  public struct Names: Sendable, Hashable {
    /// The signature in hexadecimal digits.
    public var signature = "X-Signature"
    /// The time in seconds since 1970.
    public var timestamp = "X-Timestamp"
    /// The nonce.
    public var nonce = "X-Nonce"
    /// The name of the key; only sent if the signer has one.
    public var keyID = "X-Key-ID"
    /// The digest of the body; only sent if there is a body.
    public var bodyDigest = "X-Content-SHA256"

    /// The default names.
    public init() {}

    /// All of them, lower case.
    fileprivate var all: [String] {
      [signature, timestamp, nonce, keyID, bodyDigest].map { $0.lowercased() }
    }
  }

  /// The name of the key, for servers with several keys; empty for none.
  public let keyID: String
  /// The names of the signed header fields: lower case, sorted, without those of ``names``, which the signature covers
  /// by lines of their own.
  public let signedHeaders: [String]
  /// The names of the header fields that contain the signature.
  public let names: Names
  /// Whether a streamed body is sent unsigned, because its digest is not known before it is sent. The
  /// default is false: signing then fails.
  public var allowsUnsignedStreams = false
  /// A digest of the key and its name.
  public let caller: String?

  private let key: SecretKey
  private let preparedKey: Crypto.HMACKey

  /// Makes a signer.
  ///
  /// - Parameters:
  ///   - key: The secret known to both sides.
  ///   - keyID: The name of the key, for servers with several keys; the default is none. White space at its ends, which
  ///     no header field keeps, is left out.
  ///   - signedHeaders: The header fields to sign; the default is the host and the content type. Name only fields that
  ///     the request itself states: what a transport adds (`User-Agent`, `Accept-Encoding`) is added after signing.
  ///   - names: The names of the header fields that contain the signature.
  public init(
    key: SecretKey, keyID: String = "", signedHeaders: [String] = ["Host", "Content-Type"],
    names: Names = Names()
  ) {
    self.key = key
    preparedKey = Crypto.HMACKey(key.bytes)
    self.keyID = keyID.trimmingSpaces()
    caller = Crypto.digest(of: ["HMACSigner", keyID, key.digest])
    self.signedHeaders = Set(signedHeaders.map { $0.lowercased() }).subtracting(names.all).sorted()
    self.names = names
    SecretNames.add(fields: [names.signature])
  }

  /// True.
  public var runsInline: Bool { true }

  /// Sets the header fields of the signature, which replace those of an earlier attempt.
  ///
  /// Throws `APIError.Reason.signingFailed` for an empty key, for a part with a line feed, and for a
  /// streamed body unless ``allowsUnsignedStreams`` is set; `APIError.Reason.unreadableBody` for a file
  /// that cannot be read.
  public func sign(_ request: inout HTTPRequest, _ subject: SigningSubject) throws(APIError) {
    try key.requireBytes()
    let body = request.body
    let digest = try bodyDigest(of: body)
    let signature = try signature(
      of: request, secondsSince1970: subject.secondsSince1970, nonce: subject.nonce, bodyDigest: digest)
    var fields: [HTTPHeaders.Field] = []
    fields.reserveCapacity(request.headers.count + 5)
    for field in request.headers.fields where !isOwn(field.name) { fields.append(field) }
    if !keyID.isEmpty { fields.append(.init(names.keyID, keyID)) }
    fields.append(.init(names.timestamp, String(subject.secondsSince1970)))
    fields.append(.init(names.nonce, subject.nonce))
    if !body.isEmpty { fields.append(.init(names.bodyDigest, digest)) }
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
  /// Verifies a request that a server received.
  ///
  /// The body must be that before content coding. The server has to check whether the nonce was used
  /// before: store the nonces of the last `2 * window` seconds.
  /// - Parameters:
  ///   - request: The request as received, including its `Host` field.
  ///   - now: The server's time in seconds since 1970.
  ///   - window: The largest difference between the time of the request and `now`, in seconds; the default
  ///     is 300.
  /// - Returns: The nonce.
  /// - Throws: The `SignatureFault` that was found first.
  @discardableResult
  public func verify(
    _ request: HTTPRequest, now: Int, window: Int = 300
  ) throws(SignatureFault) -> String {
    try request.headers.refuseRepeated([
      names.signature, names.timestamp, names.nonce, names.keyID, names.bodyDigest,
    ])
    guard let signature = request.headers[names.signature] else { throw .missing(names.signature) }
    guard let nonce = request.headers[names.nonce], !nonce.isEmpty else { throw .missing(names.nonce) }
    guard let text = request.headers[names.timestamp], let time = Int(text), String(time) == text else {
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
    guard !overflow, difference.magnitude <= window else { throw .outsideWindow(seconds: difference) }
    return nonce
  }
}

extension HMACSigner {
  /// The replacement of the digest for a body that is not signed.
  private static let unsigned = "UNSIGNED"

  private func bodyDigest(of body: HTTPBody) throws(APIError) -> String {
    try body.sha256(
      orForStream: allowsUnsignedStreams ? Self.unsigned : nil, hint: "set allowsUnsignedStreams")
  }
}

extension HTTPHeaders {
  /// Refuses a message in which a field of the signature stands twice: only one of them was verified, and others that read
  /// the message, such as a proxy, may take the other one.
  func refuseRepeated(_ names: [String]) throws(SignatureFault) {
    for name in names where values(name).count > 1 { throw .unknown("\(name) twice") }
  }
}

extension HMACSigner: CustomStringConvertible {
  /// The scheme and the name of the key, without the key.
  public var description: String { keyID.isEmpty ? "HMAC-SHA256" : "HMAC-SHA256 with key \(keyID)" }
}
