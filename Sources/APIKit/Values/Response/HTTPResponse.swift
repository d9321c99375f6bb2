/// The response of a server to one request.
public struct HTTPResponse: Sendable {
  private struct Fields: Sendable {
    var status: Int
    var headers: HTTPHeaders
    var body: Body
    var version: HTTPVersion
    var metrics: TransportMetrics
    var url: HTTPURL?
    var redirects: [HTTPRedirect]
    var isPersonal = false
    var codedBytes: [UInt8]?
    var trailers = HTTPHeaders()
  }

  private var fields: CopyOnWrite<Fields>

  /// The status code, 100 to 599; 200 for schemes that have none (`file`, `data`, `ftp`).
  public var status: Int {
    get { fields.value.status }
    _modify { yield &fields.value.status }
  }
  /// The header fields in the order received. When there are several header blocks (1xx), those of the
  /// last.
  public var headers: HTTPHeaders {
    get { fields.value.headers }
    _modify { yield &fields.value.headers }
  }
  /// The body, after content decoding.
  public var body: Body {
    get { fields.value.body }
    _modify { yield &fields.value.body }
  }
  /// The protocol version.
  public var version: HTTPVersion {
    get { fields.value.version }
    _modify { yield &fields.value.version }
  }
  /// Timings and byte counts of the attempt.
  public var metrics: TransportMetrics {
    get { fields.value.metrics }
    _modify { yield &fields.value.metrics }
  }
  /// The URL that the response came from: after redirects, the last one.
  public var url: HTTPURL? {
    get { fields.value.url }
    _modify { yield &fields.value.url }
  }
  /// The redirects that were followed, first to last, each with its own times; empty without redirects.
  public var redirects: [HTTPRedirect] {
    get { fields.value.redirects }
    _modify { yield &fields.value.redirects }
  }

  /// The body as it was on the wire, where a transport decoded it and the exchange asked for it
  /// (``HTTPExchange/keepsCodedBody``); nil otherwise.
  public var codedBytes: [UInt8]? {
    get { fields.value.codedBytes }
    _modify { yield &fields.value.codedBytes }
  }

  /// The fields that were sent after the body (RFC 9110, 6.5), in the order received; empty for most responses, and over
  /// a transport that does not report them, such as `URLSessionTransport`. They are never mixed with ``headers``.
  ///
  /// A server may send them only to a request with `TE: trailers`.
  public var trailers: HTTPHeaders {
    get { fields.value.trailers }
    _modify { yield &fields.value.trailers }
  }

  /// Whether the response depends on a user whom the cache key does not name: its request carried a login or a client
  /// certificate after a challenge, or, behind a redirect, the cookies of another host.
  var isPersonal: Bool {
    get { fields.value.isPersonal }
    _modify { yield &fields.value.isPersonal }
  }

  /// Makes a response.
  public init(
    status: Int, headers: HTTPHeaders = HTTPHeaders(), body: Body = .bytes([]),
    version: HTTPVersion = .http1_1, metrics: TransportMetrics = TransportMetrics(), url: HTTPURL? = nil,
    redirects: [HTTPRedirect] = []
  ) {
    fields = CopyOnWrite(
      Fields(
        status: status, headers: headers, body: body, version: version, metrics: metrics, url: url,
        redirects: redirects))
  }

  /// The body of a response: in memory, in a file, or as a stream.
  public enum Body: Sendable {
    /// In memory.
    case bytes([UInt8])
    /// In a file.
    case file(path: String, count: Int64)
    /// A stream of chunks that is still being received.
    case stream(ResponseStream)

    /// The size in bytes; nil for a stream.
    package var count: Int64? {
      switch self {
      case .bytes(let bytes): Int64(bytes.count)
      case .file(_, let count): count
      case .stream: nil
      }
    }
  }

  /// The body if it is in memory; empty when it is in a file or a stream.
  public var bytes: [UInt8] {
    if case .bytes(let bytes) = body { return bytes }
    return []
  }

  /// The media type in lower case without its parameters: `application/json`; nil when there is none.
  public var mediaType: String? {
    headers["Content-Type"].map(BodyDecoders.mediaType).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Whether its media type is one of `type/subtype`, `type/*` and `*/*`, which holds for no type too.
  func hasMediaType(in patterns: Set<String>) -> Bool {
    let type = mediaType ?? ""
    return patterns.contains { pattern in
      pattern == "*/*" || pattern == type || (pattern.hasSuffix("/*") && type.hasPrefix(pattern.dropLast()))
    }
  }

  /// Status, header fields and body in the form that an error keeps.
  package var evidence: APIError.Evidence {
    APIError.Evidence(status: status, headers: headers.map { ($0.name, $0.value) }, body: bytes)
  }
}

/// The protocol version of a response.
public enum HTTPVersion: String, Sendable, Hashable {
  /// HTTP/1.0.
  case http1_0 = "HTTP/1.0"
  /// HTTP/1.1.
  case http1_1 = "HTTP/1.1"
  /// HTTP/2.
  case http2 = "HTTP/2"
  /// HTTP/3.
  case http3 = "HTTP/3"
  /// Not HTTP: a file, a data URL, FTP.
  case other = "-"
}
