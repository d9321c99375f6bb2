/// The capabilities of a transport. A setting that needs another one is an error and is never ignored.
public struct TransportCapabilities: OptionSet, Sendable, Hashable {
  /// The bits.
  public let rawValue: UInt64

  /// Makes a set from its bits.
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// HTTP/2 over TLS.
  public static let http2 = Self(rawValue: 1 << 0)
  /// Request bodies from a file.
  public static let fileUpload = Self(rawValue: 1 << 1)
  /// Request bodies from a stream.
  public static let streamUpload = Self(rawValue: 1 << 2)
  /// Responses written to a file.
  public static let fileDownload = Self(rawValue: 1 << 3)
  /// Responses in chunks with back-pressure.
  public static let streamDownload = Self(rawValue: 1 << 4)
  /// Progress in both directions.
  public static let progress = Self(rawValue: 1 << 5)
  /// A time limit for connecting.
  public static let connectTimeout = Self(rawValue: 1 << 6)
  /// A time limit between two bytes.
  public static let idleTimeout = Self(rawValue: 1 << 7)
  /// A time limit for the whole attempt.
  public static let totalTimeout = Self(rawValue: 1 << 8)
  /// Public-key and certificate pinning.
  public static let pinning = Self(rawValue: 1 << 9)
  /// A CA bundle or certificates of the application to trust.
  public static let customTrust = Self(rawValue: 1 << 10)
  /// A client certificate.
  public static let clientIdentity = Self(rawValue: 1 << 11)
  /// A minimum TLS version.
  public static let minimumTLS = Self(rawValue: 1 << 12)
  /// Connecting to a given address, with the name of the URL.
  public static let connectTo = Self(rawValue: 1 << 13)
  /// HTTP, CONNECT and SOCKS5 proxies.
  public static let proxy = Self(rawValue: 1 << 14)
  /// Basic and Digest logins.
  public static let login = Self(rawValue: 1 << 15)
  /// All metrics of an attempt, not only the total time.
  public static let metrics = Self(rawValue: 1 << 16)
  /// Unix-domain sockets.
  public static let unixSocket = Self(rawValue: 1 << 17)
  /// `ftp` and `ftps` URLs.
  public static let ftp = Self(rawValue: 1 << 18)
  /// A limit of connections per host; `URLSessionTransport` refuses one in all.
  public static let connectionLimits = Self(rawValue: 1 << 19)
  /// Refusing a response at its header fields.
  public static let headInspection = Self(rawValue: 1 << 20)
  /// Skipping the check of the certificate or of its host name.
  public static let insecureTLS = Self(rawValue: 1 << 21)
  /// Choosing network interfaces (cellular, expensive, constrained) and the service type.
  public static let interfaceControl = Self(rawValue: 1 << 22)
  /// Opening connections before the first request.
  public static let prewarming = Self(rawValue: 1 << 23)
  /// Decoding Brotli (`br`).
  public static let brotli = Self(rawValue: 1 << 24)
  /// Decoding Zstandard (`zstd`).
  public static let zstd = Self(rawValue: 1 << 25)
  /// Choosing the versions of HTTP.
  public static let versionChoice = Self(rawValue: 1 << 26)
  /// Decoding gzip and deflate. A transport that cannot tell a truncated compressed body from a complete one
  /// lacks it: it requests none, and fails with ``APIError/Reason/undecodableContent`` when it gets one.
  public static let gzip = Self(rawValue: 1 << 27)

  /// Suspending and resuming an exchange: ``HTTPTransport/start(_:completion:)`` returns a
  /// ``SuspendableOperation``.
  public static let suspension = Self(rawValue: 1 << 28)
  /// Asking the application about authentication challenges.
  public static let challenges = Self(rawValue: 1 << 29)

  /// HTTP/3.
  public static let http3 = Self(rawValue: 1 << 32)
  /// Transfers that the system may delay.
  public static let discretionary = Self(rawValue: 1 << 30)
  /// Asking the server before a body is sent (`Expect: 100-continue`).
  public static let expectContinue = Self(rawValue: 1 << 33)
  /// Beginning TLS on an open connection of bytes, as `ByteStream.startTLS` of APIKitSockets does.
  ///
  /// `CurlTransport` has it. The Network framework, with which `URLSessionTransport` opens streams of bytes on Apple
  /// platforms, begins TLS with the connection or not at all.
  public static let startTLS = Self(rawValue: 1 << 34)

  /// Looking names up over HTTPS.
  public static let dnsOverHTTPS = Self(rawValue: 1 << 31)

  /// Throws ``APIError/Reason/unsupportedCapability``, naming `feature`, when the set lacks a part of
  /// `needed`.
  public func require(_ needed: TransportCapabilities, _ feature: String) throws(APIError) {
    guard isSuperset(of: needed) else {
      throw APIError(unsupported: "\(feature); choose one that does or leave the setting out")
    }
  }
}

extension APIError {
  /// The error of what a transport cannot do.
  package init(unsupported feature: String) {
    self.init(.transport, .unsupportedCapability, "the transport does not support \(feature)")
  }
}
