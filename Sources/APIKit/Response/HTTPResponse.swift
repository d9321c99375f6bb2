/// What a server answered to one request.
public struct HTTPResponse: Sendable {
  private struct Fields: Sendable {
    var status: Int
    var headers: HTTPHeaders
    var body: Body
    var version: HTTPVersion
    var metrics: TransportMetrics
    var url: HTTPURL?
    var redirects: [HTTPURL]
  }

  private var fields: Boxed<Fields>

  /// The status code, 100 to 599; 200 for schemes that have none (`file`, `data`, `ftp`).
  public var status: Int {
    get { fields.value.status }
    _modify { yield &fields.value.status }
  }
  /// The header fields in the order received. Of several header blocks (1xx), the last.
  public var headers: HTTPHeaders {
    get { fields.value.headers }
    _modify { yield &fields.value.headers }
  }
  /// The body, after content decoding.
  public var body: Body {
    get { fields.value.body }
    _modify { yield &fields.value.body }
  }
  /// The protocol that carried it.
  public var version: HTTPVersion {
    get { fields.value.version }
    _modify { yield &fields.value.version }
  }
  /// Times and counts of the attempt.
  public var metrics: TransportMetrics {
    get { fields.value.metrics }
    _modify { yield &fields.value.metrics }
  }
  /// The URL that answered: after redirects, the last.
  public var url: HTTPURL? {
    get { fields.value.url }
    _modify { yield &fields.value.url }
  }
  /// The requests redirected on the way, first to last; empty when there was none.
  public var redirects: [HTTPURL] {
    get { fields.value.redirects }
    _modify { yield &fields.value.redirects }
  }

  /// Makes a response.
  public init(
    status: Int, headers: HTTPHeaders = HTTPHeaders(), body: Body = .bytes([]),
    version: HTTPVersion = .http1_1, metrics: TransportMetrics = TransportMetrics(), url: HTTPURL? = nil,
    redirects: [HTTPURL] = []
  ) {
    fields = Boxed(
      Fields(
        status: status, headers: headers, body: body, version: version, metrics: metrics, url: url,
        redirects: redirects))
  }

  /// Where the body is.
  public enum Body: Sendable {
    /// In memory.
    case bytes([UInt8])
    /// In a file.
    case file(path: String, count: Int64)
    /// Still on its way, chunk by chunk.
    case stream(ResponseStream)
  }

  /// The body when it is in memory; empty when it is in a file or still on its way.
  public var bytes: [UInt8] {
    if case .bytes(let bytes) = body { return bytes }
    return []
  }

  /// The media type without its parameters, lower case: `application/json`; nil when none was named.
  public var mediaType: String? {
    headers["Content-Type"].map(BodyDecoders.mediaType).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Status, headers and body as an error keeps them.
  package var evidence: APIError.Evidence {
    APIError.Evidence(status: status, headers: headers.map { ($0.name, $0.value) }, body: bytes)
  }
}

/// The version of the protocol that carried a response.
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

extension APIError {
  /// The answer of the server that the failed load got, when it got one.
  public var response: HTTPResponse? {
    evidence.map { evidence in
      HTTPResponse(
        status: evidence.status,
        headers: HTTPHeaders(evidence.headers.map { HTTPHeaders.Field($0.name, $0.value) }),
        body: .bytes(evidence.body))
    }
  }
}
