/// Times and counts of one attempt on the wire, the same record whatever the transport.
///
/// Times are in microseconds since the transport took the request, so each is at least the one before; a
/// phase that did not happen (a reused connection has no look-up) keeps the time of the phase before it.
/// Where a transport has no clock of its own the framework measures `total` itself and leaves the rest at 0.
public struct TransportMetrics: Sendable, Hashable {
  /// Waited in the transport's own queue until it was started.
  public var queued: Int64 = 0
  /// The name was resolved.
  public var nameLookup: Int64 = 0
  /// The TCP connection stood.
  public var connect: Int64 = 0
  /// The TLS handshake was done.
  public var tls: Int64 = 0
  /// The first byte of the response arrived.
  public var firstByte: Int64 = 0
  /// The last byte arrived.
  public var total: Int64 = 0
  /// Bytes of body sent.
  public var bytesSent: Int64 = 0
  /// Bytes of body received, before content decoding.
  public var bytesReceived: Int64 = 0
  /// Whether an existing connection was used.
  public var isReused: Bool = false
  /// The server's address; nil when not known.
  public var remoteAddress: String?
  /// The server's port; nil when not known.
  public var remotePort: Int?
  /// The TLS version and cipher, `TLSv1.3 TLS_AES_256_GCM_SHA384`; nil without TLS or when not known.
  public var tlsProtocol: String?
  /// Redirects followed before this attempt.
  public var redirectCount: Int = 0

  /// A record of zeros.
  public init() {}
}
