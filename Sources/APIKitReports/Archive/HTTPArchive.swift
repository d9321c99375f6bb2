public import APIKit

/// Requests and responses in the form of HAR 1.2, which browsers and proxies write and open.
///
/// Each entry is one exchange with a server: an attempt, a hop of a redirect, a hedged request.
/// ``ExchangeArchive`` makes one of a transport's exchanges, with secrets masked; ``init(parsing:)`` reads one of a file.
/// - SeeAlso: <http://www.softwareishard.com/blog/har-12-spec/>
public struct HTTPArchive: Sendable {
  /// The entries, in the order in which they began.
  public var entries: [Entry]

  /// Makes an archive.
  public init(entries: [Entry] = []) { self.entries = entries }

  /// One exchange.
  public struct Entry: Sendable {
    /// When it began, in seconds since 1970.
    public var secondsSince1970: Double
    /// The request.
    public var request: Request
    /// The response; nil if no head of one arrived. If the response was cut, it has the known part, beside ``failure``.
    public var response: Response?
    /// The `APIError.label` of a failure; nil when the exchange succeeded.
    public var failure: String?
    /// The time of each phase.
    public var timings: Timings
    /// The server's address; nil when unknown.
    public var address: String?
    /// The flight, by its number in its process; nil when unknown.
    public var flight: UInt64?
    /// The launch whose numbers of flights ``flight`` is one of; nil for the present one, empty when unknown.
    var launch: String?
    /// The API as its manager states it; nil when unknown.
    public var apiName: String?
    /// The service's name; nil when unknown.
    public var service: String?
    /// The number of times that the transport itself sent the request again, because its connection ended before a
    /// response; 0 if the transport does not report it. The timings are those of the last request; ``Timings/blocked``
    /// has the earlier ones.
    public var resends = 0

    /// Makes an entry; each omitted part is unknown.
    public init(
      secondsSince1970: Double, request: Request, response: Response? = nil, failure: String? = nil,
      timings: Timings = Timings(), address: String? = nil
    ) {
      self.secondsSince1970 = secondsSince1970
      self.request = request
      self.response = response
      self.failure = failure
      self.timings = timings
      self.address = address
    }
  }

  /// The request.
  public struct Request: Sendable {
    /// The method.
    public var method: HTTPMethod
    /// The URL, with secrets masked in an archive with masks.
    public var url: String
    /// The header fields in the order sent; those of one name stay apart.
    public var headers: HTTPHeaders
    /// The body.
    public var body: Content

    /// Makes a request.
    public init(method: HTTPMethod, url: String, headers: HTTPHeaders, body: Content = Content()) {
      self.method = method
      self.url = url
      self.headers = headers
      self.body = body
    }
  }

  /// The response.
  public struct Response: Sendable {
    /// The status.
    public var status: Int
    /// The header fields in the order received; those of one name stay apart.
    public var headers: HTTPHeaders
    /// The protocol.
    public var version: HTTPVersion
    /// The body, after content decoding.
    public var body: Content
    /// The size of the body on the wire; nil when unknown.
    public var wireBytes: Int64?

    /// Makes a response.
    public init(
      status: Int, headers: HTTPHeaders, version: HTTPVersion = .http1_1, body: Content = Content(),
      wireBytes: Int64? = nil
    ) {
      self.status = status
      self.headers = headers
      self.version = version
      self.body = body
      self.wireBytes = wireBytes
    }
  }

  /// A body, or as much of it as was kept.
  public struct Content: Sendable, Hashable {
    /// The kept bytes; nil when there are none: bodies are kept only on request, and those of files and streams
    /// never.
    public var bytes: [UInt8]?
    /// The size of the whole; nil when unknown.
    public var size: Int64?
    /// A remark, such as that the rest was left out; nil for none.
    public var comment: String?
    /// The SHA-256 of the bytes, in hexadecimal.
    package var digest: String { Hex.encode(Crypto.sha256(bytes ?? [])) }

    /// The name of a file beside the archive that has the bytes; nil when they are in it.
    package var file: String?

    /// Makes a body; each omitted part is unknown, and the size is that of the bytes.
    public init(_ bytes: [UInt8]? = nil, size: Int64? = nil, comment: String? = nil) {
      self.bytes = bytes
      self.size = size ?? bytes.map { Int64($0.count) }
      self.comment = comment
    }
  }

  /// The time of each phase of an exchange, in milliseconds; nil for a phase that did not occur or is not
  /// known.
  public struct Timings: Sendable, Hashable {
    /// Waiting in the transport's queue, and earlier requests of the transport itself: lost requests, and those that
    /// were answered with a challenge to log in.
    public var blocked: Double?
    /// Looking up the name.
    public var dns: Double?
    /// Connecting, TLS included.
    public var connect: Double?
    /// The TLS handshake, which is part of ``connect``.
    public var tls: Double?
    /// Sending the request. It is 0 for a transport that does not report it apart from ``wait``.
    public var send = 0.0
    /// Waiting for the first byte.
    public var wait = 0.0
    /// Reading the response.
    public var receive = 0.0

    /// None.
    public init() {}

    /// The sum of all phases.
    public var total: Double {
      (blocked ?? 0) + (dns ?? 0) + (connect ?? 0) + send + wait + receive
    }
  }
}

extension HTTPArchive.Timings {
  /// The phases between the times of a transport.
  ///
  /// - Parameter hasHead: Whether the head of a response arrived. Without one, the time up to the end belongs to the
  ///   phase that was not completed.
  init(_ metrics: TransportMetrics, hasHead: Bool = true) {
    func milliseconds(_ from: Int64, _ to: Int64) -> Double { Double(max(0, to - from)) / 1000 }
    guard metrics.firstByte > 0 else {
      wait = milliseconds(0, metrics.total)
      return
    }
    blocked = milliseconds(0, metrics.queued)
    if metrics.isReused {
      wait = milliseconds(metrics.queued, metrics.firstByte)
    } else {
      dns = milliseconds(metrics.queued, metrics.nameLookup)
      connect = milliseconds(metrics.nameLookup, metrics.tls)
      if metrics.tls > metrics.connect { tls = milliseconds(metrics.connect, metrics.tls) }
      wait = milliseconds(metrics.tls, metrics.firstByte)
    }
    let rest = milliseconds(metrics.firstByte, metrics.total)
    guard !hasHead else {
      receive = rest
      return
    }
    switch metrics.brokenPhase {
    case .dns:
      dns = (dns ?? 0) + rest
      connect = nil
    case .connect: connect = (connect ?? 0) + rest
    case .tls:
      connect = (connect ?? 0) + rest
      tls = (tls ?? 0) + rest
    case .wait: wait += rest
    }
  }
}
