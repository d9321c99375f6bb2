/// What all requests of one transport have in common: headers, limits, proxy, trust.
///
/// Fixed when the transport is made. Start from a ready-made one (``standard``, ``production``, ``debug``,
/// ``background``, ``ephemeral``) or from the initialiser, and change what differs. A setting that the
/// transport cannot honour makes its initialiser throw: see ``validate(for:)``.
public struct TransportConfiguration: Sendable {
  /// Header fields of every request. A request's own field of the same name takes precedence. None by default.
  public var headers = HTTPHeaders()
  /// The limits in time of an attempt whose request names none; see ``HTTPTimeouts/standard``.
  public var timeouts = HTTPTimeouts.standard
  /// How many connections may be open.
  public var connections = ConnectionLimits()
  /// The proxy; none by default, whatever the environment says.
  public var proxy: HTTPProxy?
  /// What servers must prove, and the client's own certificate.
  public var tls = TLSPolicy()
  /// Which network interfaces may be used, and for what.
  public var interfaces = InterfacePolicy()
  /// A Unix-domain socket to connect to instead of the URL's host and port. None by default.
  public var unixSocketPath: String?
  /// The most bytes a compressed body may decode to, wherever it goes; the default is 1 GiB.
  ///
  /// Protects against small bodies that decode to huge ones. More fails with
  /// ``APIError/Reason/responseTooLarge``.
  public var maximumDecodedBytes: Int64 = 1 << 30
  /// Which protocols may be spoken; HTTP/2 where the server offers it over TLS, by default.
  public var versions = HTTPVersionPolicy.upToHTTP2
  /// Where the layers above the transport keep cookies and stored answers; on disk by default.
  ///
  /// ``HTTPClient/init(configuration:redirects:)`` and ``ResponseCache/init(for:disk:)`` go by it.
  public var persistence = Persistence.disk

  /// The default configuration.
  public init() {}

  /// Where cookies and stored answers are kept.
  public enum Persistence: Sendable, Hashable {
    /// On disk: they outlive the process.
    case disk
    /// In memory: they end with it.
    case memory
  }

  /// Throws when a value cannot be right, or names the first capability that a setting needs and
  /// `capabilities` lacks.
  ///
  /// ``APIError/Reason/misconfigured`` or ``APIError/Reason/unsupportedCapability``.
  public func validate(for capabilities: TransportCapabilities) throws(APIError) {
    do { try headers.validate() } catch { throw Self.misconfigured(error.detail) }
    try timeouts.validate()
    try connections.validate()
    try proxy?.validate()
    try tls.validate()
    if let unixSocketPath, !(1...107).contains(unixSocketPath.utf8.count) {
      throw Self.misconfigured("the path of a Unix-domain socket has 1 to 107 bytes")
    }
    guard maximumDecodedBytes > 0 else { throw Self.misconfigured("maximumDecodedBytes must be positive") }
    try requireTransport(capabilities)
    try requireTLS(capabilities)
  }

  private func requireTransport(_ capabilities: TransportCapabilities) throws(APIError) {
    let standard = HTTPTimeouts.standard
    if timeouts.connect != standard.connect { try capabilities.require(.connectTimeout, "connect timeouts") }
    if timeouts.idle != standard.idle { try capabilities.require(.idleTimeout, "idle timeouts") }
    if timeouts.total != standard.total { try capabilities.require(.totalTimeout, "total timeouts") }
    if connections != ConnectionLimits() {
      try capabilities.require(.connectionLimits, "connection limits")
    }
    if proxy != nil { try capabilities.require(.proxy, "proxies") }
    if unixSocketPath != nil { try capabilities.require(.unixSocket, "Unix-domain sockets") }
    switch versions {
    case .upToHTTP2: break
    case .http1Only: try capabilities.require(.versionChoice, "a choice of HTTP versions")
    case .http2PriorKnowledge:
      try capabilities.require([.versionChoice, .http2], "a choice of HTTP versions, or not HTTP/2")
    }
    if interfaces != InterfacePolicy() {
      try capabilities.require(
        .interfaceControl, "a choice of interfaces (cellular, expensive, service type)")
    }
  }

  private func requireTLS(_ capabilities: TransportCapabilities) throws(APIError) {
    if tls.minimumVersion != TLSPolicy().minimumVersion {
      try capabilities.require(.minimumTLS, "a minimum TLS version")
    }
    if tls.trust != .system { try capabilities.require(.customTrust, "trust of its own") }
    if tls.pinning.pins != nil { try capabilities.require(.pinning, "pinning") }
    if tls.identity != nil { try capabilities.require(.clientIdentity, "client certificates") }
    if tls.allowsInvalidCertificates || tls.skipsHostValidation {
      try capabilities.require(.insecureTLS, "skipping certificate checks")
    }
  }

  static func misconfigured(_ detail: String) -> APIError { APIError(.transport, .misconfigured, detail) }
}

/// How many connections a transport may have open.
public struct ConnectionLimits: Sendable, Hashable {
  /// Connections to one host; more requests wait in the transport's queue, first come first served.
  /// The default is 64.
  public var perHost: Int
  /// Connections in all; nil, the default, means no limit.
  public var total: Int?

  /// Makes limits.
  public init(perHost: Int = 64, total: Int? = nil) {
    self.perHost = perHost
    self.total = total
  }

  func validate() throws(APIError) {
    guard perHost > 0, total ?? 1 > 0 else {
      throw TransportConfiguration.misconfigured("connection limits are at least 1")
    }
  }
}

/// Which protocol versions may be spoken.
public enum HTTPVersionPolicy: Sendable, Hashable {
  /// HTTP/1.1 alone.
  case http1Only
  /// HTTP/2 when a TLS server offers it, else HTTP/1.1.
  case upToHTTP2
  /// HTTP/2 at once, over plain connections too, with a server known to speak it.
  case http2PriorKnowledge
}

/// Which interfaces may be used. Only Apple systems can tell them apart: elsewhere any change of the
/// defaults is refused with ``APIError/Reason/unsupportedCapability``.
public struct InterfacePolicy: Sendable, Hashable {
  /// Whether cellular interfaces may be used; the default is true.
  public var allowsCellular = true
  /// Whether interfaces the system calls expensive may be used; the default is true.
  public var allowsExpensive = true
  /// Whether interfaces in Low Data Mode may be used; the default is true.
  public var allowsConstrained = true
  /// Whether the system may put transfers off to a better time; the default is false.
  public var isDiscretionary = false
  /// What the traffic is for, so that the system can weigh it.
  public var serviceType = ServiceType.standard

  /// The defaults.
  public init() {}

  /// What traffic is for.
  public enum ServiceType: Sendable, Hashable {
    /// Ordinary requests.
    case standard
    /// Nobody waits for it.
    case background
    /// Somebody waits for it.
    case responsiveData
    /// A video call or stream.
    case video
    /// A voice call.
    case voice
  }
}
