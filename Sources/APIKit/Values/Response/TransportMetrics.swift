/// Timings and byte counts of one attempt, in the same form for every transport.
///
/// Times are in microseconds since the transport accepted the request, each at least as large as the one before; a phase
/// that did not occur (a reused connection has no look-up) has the time of the phase before it. A transport without
/// ``TransportCapabilities/metrics`` gives ``total`` and the sizes of the bodies, and leaves the rest at 0 or nil. The
/// metrics of a streamed response are those at the arrival of its head; ``ResponseStream/metrics`` has all of them at
/// its end.
///
/// ``FlightRecord/requests`` has the metrics of each request of a load, ``HTTPResponse/redirects`` those of redirects,
/// and ``APIError/metrics`` those of an attempt that failed.
public struct TransportMetrics: Sendable, Hashable {
  /// The request left the transport's own queue.
  public var queued: Int64 = 0
  /// The name was resolved.
  public var nameLookup: Int64 = 0
  /// The TCP connection was established.
  public var connect: Int64 = 0
  /// The TLS handshake was completed.
  public var tls: Int64 = 0
  /// The last byte of the request was handed to the system's socket.
  public var requestSent: Int64 = 0
  /// The first byte of the response arrived.
  public var firstByte: Int64 = 0
  /// The last byte arrived, or the attempt failed.
  public var total: Int64 = 0
  /// The number of body bytes sent.
  public var bytesSent: Int64 = 0
  /// The number of body bytes received, before content decoding.
  public var bytesReceived: Int64 = 0
  /// The number of body bytes after content decoding; 0 for a stream.
  public var bytesDecoded: Int64 = 0
  /// The bytes of the request's head, as HTTP/1.1 writes it.
  public var headBytesSent: Int64 = 0
  /// The bytes of all heads and trailers received for the request, as HTTP/1.1 writes them.
  public var headBytesReceived: Int64 = 0
  /// Whether an existing connection was used.
  public var isReused: Bool = false
  /// How often the transport itself sent the request again, because a reused connection ended before a response.
  ///
  /// The libcurl transport sends only idempotent requests again. Other transports report 0.
  public var resends: Int = 0
  /// Earlier requests, first to last, each with its own times: requests whose connection ended before a response
  /// (``resends``), and requests that were answered with a challenge of the server or the proxy to log in.
  ///
  /// All other values are those of the request that was sent last. A request that was lost ends when the next one
  /// begins.
  public var earlier: [TransportMetrics] = []
  /// The server's address, or the proxy's; nil when unknown.
  public var remoteAddress: String?
  /// The server's port, or the proxy's; nil when unknown.
  public var remotePort: Int?
  /// The local port, which tells apart the connections to one server; nil when unknown.
  public var localPort: Int?
  /// The proxy by its kind, host and port: `connect proxy proxy.test:3128`; nil without one. Where the system chooses
  /// the proxy (Apple) it is `proxy`.
  public var proxy: String?
  /// The version of HTTP; nil when there was no response.
  public var version: HTTPVersion?
  /// The TLS version and cipher: `TLSv1.3 TLS_AES_256_GCM_SHA384`; nil without TLS or when unknown.
  public var tlsProtocol: String?
  /// The number of redirects followed before this attempt.
  public var redirectCount: Int = 0
  /// Of a request that failed: the status of the response whose head had arrived; nil where none had.
  package var brokenStatus: Int?
  /// Of a response to a request that met challenges: the time that its earlier attempts and the application's words took,
  /// in microseconds. It counts for the limit of the whole attempt.
  package var challenged: Int64 = 0

  /// Makes a record of zeros.
  public init() {}
}

extension TransportMetrics {
  /// The TLS version: `TLSv1.3`; nil without TLS or when unknown.
  public var tlsVersion: String? { tlsProtocol?.split(separator: " ").first.map(String.init) }
  /// The cipher as the TLS library calls it: `TLS_AES_256_GCM_SHA384`; nil without TLS or when unknown.
  public var tlsCipher: String? { tlsProtocol?.split(separator: " ").dropFirst().first.map(String.init) }
}

extension APIError {
  /// The metrics of the attempt that failed on the wire, or whose response was refused by its head, its signature, its status
  /// or its envelope; nil if nothing was sent, if the response was refused only when it was decoded
  /// (``HTTPResponse/metrics``), or if the transport does not report them. ``FlightRecord/requests`` has all.
  public var metrics: TransportMetrics? {
    get { attachedMetrics as? TransportMetrics }
    set { attachedMetrics = newValue }
  }

  /// The status of the response whose head had arrived when the attempt failed; nil where none had.
  package var responseStatus: Int? { status ?? metrics?.brokenStatus }
}
