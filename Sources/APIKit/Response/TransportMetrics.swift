/// Timings and byte counts of one attempt, in the same form for every transport.
///
/// Times are in microseconds since the transport accepted the request, each at least as large as the one
/// before; a phase that did not occur (a reused connection has no look-up) has the time of the phase before
/// it. For a transport without timings, the framework measures `total` itself and leaves the others at 0.
public struct TransportMetrics: Sendable, Hashable {
  /// The request left the transport's own queue.
  public var queued: Int64 = 0
  /// The name was resolved.
  public var nameLookup: Int64 = 0
  /// The TCP connection was established.
  public var connect: Int64 = 0
  /// The TLS handshake was completed.
  public var tls: Int64 = 0
  /// The first byte of the response arrived.
  public var firstByte: Int64 = 0
  /// The last byte arrived.
  public var total: Int64 = 0
  /// The number of body bytes sent.
  public var bytesSent: Int64 = 0
  /// The number of body bytes received, before content decoding.
  public var bytesReceived: Int64 = 0
  /// Whether an existing connection was used.
  public var isReused: Bool = false
  /// How often the transport itself sent the request again, because a reused connection ended before a response.
  ///
  /// The libcurl transport sends only idempotent requests again. Other transports do not tell, and give 0.
  public var resends: Int = 0
  /// The server's address; nil when unknown.
  public var remoteAddress: String?
  /// The server's port; nil when unknown.
  public var remotePort: Int?
  /// The TLS version and cipher: `TLSv1.3 TLS_AES_256_GCM_SHA384`; nil without TLS or when unknown.
  public var tlsProtocol: String?
  /// The number of redirects followed before this attempt.
  public var redirectCount: Int = 0

  /// Makes a record of zeros.
  public init() {}
}
