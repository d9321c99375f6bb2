/// What a transport can do, so that a setting it cannot honour is an error and never dropped.
public struct TransportCapabilities: OptionSet, Sendable, Hashable {
  /// The bits.
  public let rawValue: UInt64

  /// Makes a set of its bits.
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// HTTP/2 over TLS.
  public static let http2 = Self(rawValue: 1 << 0)
  /// Request bodies from a file.
  public static let fileUpload = Self(rawValue: 1 << 1)
  /// Request bodies from a stream.
  public static let streamUpload = Self(rawValue: 1 << 2)
  /// Responses straight to a file.
  public static let fileDownload = Self(rawValue: 1 << 3)
  /// Responses in chunks with back-pressure.
  public static let streamDownload = Self(rawValue: 1 << 4)
  /// Progress in both directions.
  public static let progress = Self(rawValue: 1 << 5)
  /// A limit for the connection alone.
  public static let connectTimeout = Self(rawValue: 1 << 6)
  /// A limit between two bytes.
  public static let idleTimeout = Self(rawValue: 1 << 7)
  /// A limit for the whole attempt.
  public static let totalTimeout = Self(rawValue: 1 << 8)
  /// Public-key and certificate pinning.
  public static let pinning = Self(rawValue: 1 << 9)
  /// An own CA bundle.
  public static let customTrust = Self(rawValue: 1 << 10)
  /// A client certificate.
  public static let clientIdentity = Self(rawValue: 1 << 11)
  /// A minimum TLS version.
  public static let minimumTLS = Self(rawValue: 1 << 12)
  /// Connecting to a given address under the URL's name.
  public static let connectTo = Self(rawValue: 1 << 13)
  /// HTTP, CONNECT and SOCKS5 proxies.
  public static let proxy = Self(rawValue: 1 << 14)
  /// Basic and Digest logins.
  public static let login = Self(rawValue: 1 << 15)
  /// The full record of metrics, not only the total.
  public static let metrics = Self(rawValue: 1 << 16)
  /// Unix-domain sockets.
  public static let unixSocket = Self(rawValue: 1 << 17)
  /// `ftp` and `ftps` URLs.
  public static let ftp = Self(rawValue: 1 << 18)
  /// Limits of connections per host and in all.
  public static let connectionLimits = Self(rawValue: 1 << 19)
  /// Refusing a response at its headers.
  public static let headInspection = Self(rawValue: 1 << 20)
  /// Skipping certificate or host checks on request.
  public static let insecureTLS = Self(rawValue: 1 << 21)
  /// Choosing the interface kind: cellular, expensive, constrained, service type.
  public static let interfaceControl = Self(rawValue: 1 << 22)
  /// Connections opened ahead of the first request.
  public static let prewarming = Self(rawValue: 1 << 23)
  /// Brotli content coding.
  public static let brotli = Self(rawValue: 1 << 24)
  /// Zstandard content coding.
  public static let zstd = Self(rawValue: 1 << 25)
  /// Choosing which versions of HTTP are spoken.
  public static let versionChoice = Self(rawValue: 1 << 26)

  /// Throws ``APIError/Reason/unsupportedCapability`` naming `feature` when `needed` is not all there.
  public func require(_ needed: TransportCapabilities, _ feature: String) throws(APIError) {
    guard isSuperset(of: needed) else {
      throw APIError(
        .transport, .unsupportedCapability,
        "the transport does not support \(feature); choose one that does or leave the setting out")
    }
  }
}
