public import APIKit

/// Signs with AWS Signature Version 4, as the services of Amazon and those that are compatible with them ask for.
///
/// The signature covers method, path, query, header fields, time and the digest of the body; AWS accepts it for 5 to 15
/// minutes. The time is that of the service's `ServerClock`, so state one: it is corrected when the server refuses a
/// signature for its time.
///
/// ```swift
/// let identity = ServiceIdentity(
///   signer: AWSSigner(accessKeyID: "AKIDEXAMPLE", secretKey: key, region: "eu-central-1", service: "execute-api"),
///   clock: ServerClock())
/// ```
///
/// The signature covers all header fields that the request states, except those that proxies change: `User-Agent`,
/// `Expect`, `traceparent`, `tracestate`, `X-Amzn-Trace-Id` and the fields of one connection, such as `Connection`
/// and `TE`. A temporary credential has a session token, which is sent and signed too.
/// - SeeAlso: <https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html>
public struct AWSSigner: RequestSigner, FixedCallerSigner {
  /// How the signature covers the body.
  public enum Payload: Sendable, Hashable {
    /// Its SHA-256, so that it cannot be changed on the way. A streamed body is refused.
    case signed
    /// Nothing: S3 accepts it, where the body is a stream or a very large file.
    case unsigned
  }

  /// The id of the key, e.g. `AKIDEXAMPLE`.
  public let accessKeyID: String
  /// The region, e.g. `eu-central-1`.
  public let region: String
  /// The service's name in signatures, e.g. `execute-api`, `dynamodb`, `s3`.
  public let service: String
  /// How the signature covers the body. The default is ``Payload/signed``.
  public var payload = Payload.signed
  /// A digest of the key, its id and the session token.
  public let caller: String?

  private let keys: AWSKeys
  private let sessionToken: String?

  /// Makes a signer.
  ///
  /// - Parameters:
  ///   - accessKeyID: The id of the key.
  ///   - secretKey: The secret access key.
  ///   - sessionToken: The session token of a temporary credential; the default is none.
  ///   - region: The region.
  ///   - service: The service's name in signatures. With `s3` the path is signed as S3 does it, and the digest of the
  ///     body is sent in `X-Amz-Content-SHA256`.
  ///   - payload: How the signature covers the body.
  public init(
    accessKeyID: String, secretKey: SecretKey, sessionToken: String? = nil, region: String, service: String,
    payload: Payload = .signed
  ) {
    self.accessKeyID = accessKeyID
    self.sessionToken = sessionToken
    self.region = region
    self.service = service
    self.payload = payload
    caller = Crypto.digest(of: ["AWSSigner", accessKeyID, secretKey.digest, sessionToken])
    keys = AWSKeys(secretKey, scope: "\(region)/\(service)")
  }

  /// True.
  public var runsInline: Bool { true }

  /// The parameters of a presigned URL.
  public var volatileParameters: Set<String> {
    [
      "X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Date", "X-Amz-Expires", "X-Amz-SignedHeaders",
      "X-Amz-Signature", "X-Amz-Security-Token",
    ]
  }

  /// Sets `Authorization`, `X-Amz-Date` and, where they are used, `X-Amz-Security-Token` and `X-Amz-Content-SHA256`,
  /// which replace those of an earlier attempt.
  ///
  /// Throws `APIError.Reason.signingFailed` for an empty key, a time outside the years 0 to 9999, a `+` in the query,
  /// a streamed body that is to be signed, and a body that the transport compresses, because other bytes arrive then.
  public func sign(_ request: inout HTTPRequest, _ subject: SigningSubject) throws(APIError) {
    try check(request)
    let time = try AWSTime(subject.secondsSince1970)
    let digest = try bodyDigest(of: request.body)
    request.headers["X-Amz-Date"] = time.text
    request.headers["X-Amz-Security-Token"] = sessionToken
    if isS3 || payload == .unsigned { request.headers["X-Amz-Content-SHA256"] = digest }
    let headers = AWSSignedHeaders(request)
    let canonical = try AWSCanonicalRequest(
      request, headers, query: request.url.query, bodyDigest: digest, isS3: isS3)
    request.headers["Authorization"] =
      "\(Self.algorithm) Credential=\(accessKeyID)/\(scope(time)), SignedHeaders=\(headers.names), "
      + "Signature=\(try signature(canonical, time))"
  }

  /// A URL that carries the signature in its query, so that its holder may send this one request for a while.
  ///
  /// The URL is a secret as long as it is valid. A request to it must have the same method and the header fields
  /// that `request` states.
  ///
  /// - Parameters:
  ///   - request: Method, URL and header fields. Its body is covered, except for S3, where none is.
  ///   - secondsSince1970: The time at which the URL becomes valid. The default, nil, is the
  ///     device's time.
  ///   - seconds: The number of seconds for which it is valid, 1 to 604,800 (a week). A temporary credential may
  ///     end before.
  /// - Throws: `APIError.Reason.signingFailed` for a number of seconds outside its range, and what
  ///   ``sign(_:_:)`` throws.
  public func presigned(
    _ request: HTTPRequest, secondsSince1970: Int? = nil, validFor seconds: Int
  ) throws(APIError) -> HTTPURL {
    guard (1...604_800).contains(seconds) else {
      throw APIError(
        .signing, .signingFailed, "a presigned URL is valid for 1 to 604,800 seconds, not \(seconds)")
    }
    try check(request)
    let time = try AWSTime(secondsSince1970 ?? Int(WallClock.now))
    let headers = AWSSignedHeaders(request)
    var pairs = [
      ("X-Amz-Algorithm", Self.algorithm), ("X-Amz-Credential", "\(accessKeyID)/\(scope(time))"),
      ("X-Amz-Date", time.text), ("X-Amz-Expires", String(seconds)),
      ("X-Amz-SignedHeaders", headers.names),
    ]
    if let sessionToken { pairs.append(("X-Amz-Security-Token", sessionToken)) }
    var url = request.url
    for (name, value) in pairs { url.append(query: "\(name)=\(PercentEncoding.component.encode(value))") }
    let digest = isS3 || payload == .unsigned ? Self.unsigned : try bodyDigest(of: request.body)
    let canonical = try AWSCanonicalRequest(
      request, headers, query: url.query, bodyDigest: digest, isS3: isS3)
    url.append(query: "X-Amz-Signature=\(try signature(canonical, time))")
    return url
  }
}

extension AWSSigner {
  private static let algorithm = "AWS4-HMAC-SHA256"
  private static let unsigned = "UNSIGNED-PAYLOAD"

  private var isS3: Bool { service == "s3" }

  private func scope(_ time: AWSTime) -> String { "\(time.date)/\(region)/\(service)/aws4_request" }

  private func signature(_ canonical: AWSCanonicalRequest, _ time: AWSTime) throws(APIError) -> String {
    let digest = Hex.encode(Crypto.sha256(canonical.bytes))
    let text = "\(Self.algorithm)\n\(time.text)\n\(scope(time))\n\(digest)"
    return Hex.encode(try keys.key(for: time.date).code(Array(text.utf8)))
  }

  private func check(_ request: HTTPRequest) throws(APIError) {
    guard !request.options.compressesBody || payload == .unsigned else {
      throw APIError(
        .signing, .signingFailed,
        "the transport would compress the body after it was signed; compress it before, or leave compressesBody out"
      )
    }
    // A server may read it as a space or as a plus.
    guard request.url.query?.utf8.contains(UInt8(ascii: "+")) != true else {
      throw APIError(
        .signing, .signingFailed,
        "the query has a +, which has two meanings; write spaces as %20 in its QueryStyle")
    }
  }

  private func bodyDigest(of body: HTTPBody) throws(APIError) -> String {
    if payload == .unsigned { return Self.unsigned }
    return try body.sha256(orForStream: nil, hint: "set payload to .unsigned where the service accepts it")
  }
}

extension AWSSigner: CustomStringConvertible {
  /// The scheme, the id of the key, region and service, without secrets.
  public var description: String { "AWS4-HMAC-SHA256 with key \(accessKeyID) for \(service) in \(region)" }
}

/// A time as signatures write it.
private struct AWSTime {
  /// `20150830`
  let date: String
  /// `20150830T123600Z`
  let text: String

  init(_ secondsSince1970: Int) throws(APIError) {
    guard let text = ISO8601.text(secondsSince1970: Double(secondsSince1970), isBasic: true) else {
      throw APIError(.signing, .signingFailed, "the time \(secondsSince1970) is outside the years 0 to 9999")
    }
    self.text = text
    date = String(text.prefix(8))
  }
}

/// The signing keys of one secret, one for each day; the latest is kept.
private final class AWSKeys: Sendable {
  private let secret: SecretKey
  private let scope: [String]
  private let latest = Mutex<(date: String, key: Crypto.HMACKey)?>(nil)

  init(_ secret: SecretKey, scope: String) {
    self.secret = secret
    self.scope = scope.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
  }

  func key(for date: String) throws(APIError) -> Crypto.HMACKey {
    try secret.requireBytes()
    if let latest = latest.withLock({ $0 }), latest.date == date { return latest.key }
    var key = Crypto.HMACKey(Array("AWS4".utf8) + secret.bytes)
    for part in [date] + scope + ["aws4_request"] { key = Crypto.HMACKey(key.code(Array(part.utf8))) }
    let made = key
    latest.withLock { $0 = (date, made) }
    return made
  }
}
