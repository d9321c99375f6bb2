/// The settings of all requests of one transport: header fields, limits, proxy, trust.
///
/// It cannot be changed after the transport is made. Start from a ready-made one (``standard``,
/// ``production``, ``debug``, ``background``, ``ephemeral``) or from the initialiser, and change what
/// differs. The transport's initialiser throws when it cannot honour a setting: see ``validate(for:)``.
public struct TransportConfiguration: Sendable {
  /// Header fields of every request. A request's own field of the same name takes precedence. The default is
  /// ``HTTPHeaders/standard``, `User-Agent` and `Accept-Language`: `headers["User-Agent"] = "…"` replaces one, nil
  /// removes it, and assigning other fields removes both. `URLSession` puts a `User-Agent` of its own in the place of
  /// one that is removed.
  ///
  /// Of a request that a redirect leads to another origin, it gets only those that ``RedirectPolicy`` lets cross.
  public var headers = HTTPHeaders.standard
  /// The time limits of an attempt, as far as its request has none of its own; the default is
  /// ``HTTPTimeouts/standard``.
  public var timeouts = HTTPTimeouts.standard
  /// The limits of open connections; the default is 64 per host.
  public var connections = ConnectionLimits()
  /// The proxies; the default is ``ProxyChoice/standard``: those of the system on Apple platforms, none on Linux.
  public var proxy = ProxyChoice.standard { didSet { proxyTable = nil } }
  /// What ``proxy`` comes to; nil until it was read.
  var proxyTable: ProxyTable?
  /// The verification of servers, and the client's certificate; see ``TLSPolicy``.
  public var tls = TLSPolicy()
  /// The servers that may be used without TLS; the default is those of this machine. With a ``unixSocketPath`` all
  /// may.
  public var cleartext = CleartextPolicy.loopback
  /// The handler of authentication challenges: servers, client certificates, logins. None by default: the
  /// ``TLSPolicy`` decides about servers, and a response with status 401 lands. With a handler, sockets and
  /// streams of bytes are refused with ``APIError/Reason/unsupportedCapability``.
  public var challenges: ChallengeHandler?
  /// The store of the logins that ``challenges`` stores and proposes.
  ///
  /// The default, nil, follows ``persistence``: in memory, or on disk under ``storageKey`` and in memory where that is
  /// nil.
  public var logins: (any LoginStore)?
  /// The network interfaces that may be used, and the kind of traffic; all interfaces by default.
  public var interfaces = InterfacePolicy()
  /// Options of loads over the transport that neither they nor their manager nor their service state; none by
  /// default.
  public var loadOptions = LoadOptions.none
  /// A resolver that looks names up over HTTPS (RFC 8484), as `https://1.1.1.1/dns-query`; nil, the default, asks the
  /// system. Its certificate is verified against the authorities of ``tls``. It does not fall back to the system.
  ///
  /// libcurl uses its own connections to the resolver, which no record shows. `URLSessionTransport` refuses
  /// it.
  /// - SeeAlso: <https://curl.se/libcurl/c/CURLOPT_DOH_URL.html>
  public var dnsOverHTTPS: HTTPURL?
  /// A Unix-domain socket to connect to instead of the URL's host and port. None by default. With one, no name is looked up,
  /// ``ProxyChoice/system`` has no effect, and a proxy that is stated is refused with ``APIError/Reason/misconfigured``. A
  /// request with ``HTTPRequestOptions/connectTo`` fails with ``APIError/Reason/unsupportedCapability``.
  public var unixSocketPath: String?
  /// The largest decoded size of a compressed body in bytes, for every destination; the default is 1 GiB.
  ///
  /// Protects against small bodies that decode to huge ones. A larger body fails with
  /// ``APIError/Reason/responseTooLarge``.
  public var maximumDecodedBytes: Int64 = 1 << 30
  /// The versions of HTTP to use; the default is HTTP/2 where the server offers it over TLS, otherwise
  /// HTTP/1.1.
  public var versions = HTTPVersionPolicy.upToHTTP2
  /// The place where the layers above the transport keep cookies and stored responses; the disk by
  /// default.
  ///
  /// ``HTTPClient/init(configuration:redirects:)`` and ``ResponseCache/init(for:disk:)`` use it.
  public var persistence = Persistence.disk
  /// Whether loads over the transport use no cache, neither the service's nor caches between this machine and the
  /// server; the default is false.
  ///
  /// A load that does not say otherwise is then one with ``CacheUse/ignoringAllCaches``.
  public var ignoresCaches = false
  /// Whether the cache that ``ResponseCache/init(for:disk:)`` makes follows the network's condition by
  /// ``CacheConditionTable/standard``: on Wi-Fi or a cable the policy decides, on an expensive network stored responses
  /// are preferred, and offline only stored responses are used. The default is false; ``production`` and ``background``
  /// have it.
  public var cacheFollowsNetwork = false
  /// The key, of 32 bytes, that encrypts secrets on disk: cookies, and stored responses that are sensitive.
  ///
  /// The default is ``SecretKey/keychain``, read at its first use; it is nil on platforms without a keychain (Linux).
  /// With nil, secrets stay in memory.
  public var storageKey: SecretKey? {
    get { statedStorageKey ?? .keychain }
    set { statedStorageKey = .some(newValue) }
  }
  /// Nil until a key is set; the default is read at each use, because the keychain may be locked at first.
  private var statedStorageKey: SecretKey??
  /// Whether ``storageKey`` was set, to a key or to nil.
  var statesStorageKey: Bool { statedStorageKey != nil }

  /// Whether it comes from ``debug``, where ``TLSPolicy/allowsInvalidCertificates`` and
  /// ``TLSPolicy/skipsHostValidation`` may be set. Others refuse them with ``APIError/Reason/misconfigured``.
  public internal(set) var isForDebugging = false

  /// Makes the default configuration.
  public init() {}

  /// The place where cookies and stored responses are kept.
  public enum Persistence: Sendable, Hashable {
    /// On disk: they outlive the process. Secrets only with a ``storageKey``.
    case disk
    /// In memory: they end with it.
    case memory
  }

  /// Throws when a value is not valid, or when a setting needs a capability that `capabilities` lacks.
  ///
  /// The reason is ``APIError/Reason/misconfigured`` or ``APIError/Reason/unsupportedCapability``; the
  /// error names the first such setting.
  public func validate(for capabilities: TransportCapabilities) throws(APIError) {
    do throws(APIError) {
      try headers.validate()
      try headers.refuseFraming()
    } catch {
      throw Self.misconfigured(error.detail)
    }
    try timeouts.validate()
    try connections.validate()
    if case .through(let proxy) = proxy { try proxy.validate() }
    try tls.validate()
    if let unixSocketPath, !(1...107).contains(unixSocketPath.utf8.count) {
      throw Self.misconfigured("the path of a Unix-domain socket has 1 to 107 bytes")
    }
    if unixSocketPath != nil, case .through = proxy {
      throw Self.misconfigured("a Unix-domain socket (unixSocketPath) has no proxy; state one of them")
    }
    if let dnsOverHTTPS, dnsOverHTTPS.scheme != "https" {
      throw Self.misconfigured("dnsOverHTTPS is a URL with the scheme https")
    }
    guard maximumDecodedBytes > 0 else { throw Self.misconfigured("maximumDecodedBytes must be positive") }
    try requireTransport(capabilities)
    try requireTLS(capabilities)
    try loadOptions.validate(for: capabilities)
  }

  private func requireTransport(_ capabilities: TransportCapabilities) throws(APIError) {
    let standard = HTTPTimeouts.standard
    if timeouts.connect != standard.connect { try capabilities.require(.connectTimeout, "connect timeouts") }
    if timeouts.idle != standard.idle { try capabilities.require(.idleTimeout, "idle timeouts") }
    if timeouts.total != standard.total { try capabilities.require(.totalTimeout, "total timeouts") }
    if connections != ConnectionLimits() {
      try capabilities.require(.connectionLimits, "connection limits")
    }
    if case .through = proxy { try capabilities.require(.proxy, "proxies") }
    if challenges != nil {
      try capabilities.require(.challenges, "asking the application about authentication challenges")
    }
    if dnsOverHTTPS != nil { try capabilities.require(.dnsOverHTTPS, "look-ups over HTTPS (dnsOverHTTPS)") }
    if unixSocketPath != nil { try capabilities.require(.unixSocket, "Unix-domain sockets") }
    switch versions {
    case .upToHTTP2: break
    case .http1Only: try capabilities.require(.versionChoice, "a choice of HTTP versions")
    case .http2PriorKnowledge:
      try capabilities.require([.versionChoice, .http2], "a choice of HTTP versions, or not HTTP/2")
    case .upToHTTP3: try capabilities.require(.http3, "HTTP/3")
    }
    if interfaces.isDiscretionary {
      try capabilities.require(.discretionary, "transfers that the system may delay")
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
      guard isForDebugging else {
        throw Self.misconfigured(
          "allowsInvalidCertificates and skipsHostValidation open every host to forgery; start from "
            + "TransportConfiguration.debug, or state pins that replace the chain of one host (replacesChain)"
        )
      }
    }
    if tls.pinning.pins?.hosts.contains(where: \.replacesChain) == true {
      try capabilities.require([.pinning, .insecureTLS], "pins that replace the chain")
    }
  }

  /// The policy in force: what goes to a socket of this machine does not leave it.
  var cleartextInForce: CleartextPolicy { unixSocketPath == nil ? cleartext : .allowed }

  /// On whose behalf requests with this configuration are sent: see ``HTTPTransport/caller``. What describes the
  /// client does not count: a new version of an application would find nothing of what it has stored.
  var caller: String {
    let fields = headers.fields.filter { !HTTPHeaders.describesClient($0.name) }
    guard !fields.isEmpty || tls.identity != nil else { return "" }
    var parts = fields.flatMap { [$0.name.lowercased(), $0.value] }
    switch tls.identity?.form {
    case .pem(let certificate, _): parts += ["certificate", certificate.text]
    case .pkcs12(let source): parts += ["container", source.text]
    case .keychain(let label): parts += ["keychain", label]
    case nil: break
    }
    return Crypto.digest(of: parts)
  }

  /// Where logins are kept.
  func loginStore() throws(APIError) -> any LoginStore {
    if let logins { return logins }
    guard persistence == .disk, let key = storageKey else { return MemoryLoginStore() }
    return try FileLoginStore(folder: StandardFolder.state.path + "/logins", key: key)
  }

  static func misconfigured(_ detail: String) -> APIError { APIError(.transport, .misconfigured, detail) }
}

/// The limits of the open connections of a transport.
public struct ConnectionLimits: Sendable, Hashable {
  /// Connections to one host; the default is 64. Further requests wait in the transport's queue, in order.
  ///
  /// `CurlTransport` counts those of requests with a body over TLS separately, and, where there is no limit in all, those of
  /// bodies that are files or streams, and those of event streams and line streams.
  public var perHost: Int
  /// Connections in all; nil, the default, means no limit. With one, `CurlTransport` does not use HTTP/2
  /// unless by ``HTTPVersionPolicy/http2PriorKnowledge``.
  ///
  /// It counts those of HTTP, event streams and line streams included. Those of FTP have the same limit for themselves, and
  /// open sockets (WebSocket, byte streams) have none.
  public var total: Int?

  /// Makes limits. Numbers below 1 are refused when the transport is made.
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

/// The versions of HTTP that a transport uses.
public enum HTTPVersionPolicy: Sendable, Hashable {
  /// HTTP/1.1 only.
  case http1Only
  /// HTTP/2 when a server offers it over TLS, otherwise HTTP/1.1. `CurlTransport` uses HTTP/1.1 for requests
  /// with a body, whose responses libcurl may lose, and for streamed responses, whose memory it does not limit.
  case upToHTTP2
  /// HTTP/2 without negotiation, also without TLS, for servers that are known to support it; for every
  /// request.
  case http2PriorKnowledge
  /// HTTP/3 at once for servers that are known to speak it; if that fails, and over proxies, the same as ``upToHTTP2``.
  /// Apple's session learns of HTTP/3 from a server's responses under ``upToHTTP2`` as well.
  case upToHTTP3
}

/// The network interfaces that a transport may use. Only `URLSessionTransport` on Apple systems supports it:
/// elsewhere any change of the defaults is refused with ``APIError/Reason/unsupportedCapability``. A load may say
/// otherwise: ``LoadOptions``.
public struct InterfacePolicy: Sendable, Hashable {
  /// Whether cellular interfaces may be used; the default is true.
  public var allowsCellular = true
  /// Whether interfaces that the system considers expensive may be used; the default is true.
  public var allowsExpensive = true
  /// Whether interfaces in Low Data Mode may be used; the default is true.
  public var allowsConstrained = true
  /// Whether the system may delay transfers; the default is false. It works for transfers that outlive the process alone, so
  /// transports for requests refuse it.
  public var isDiscretionary = false
  /// The kind of traffic, by which the system sets its priority; the default is
  /// ``NetworkServiceType/standard``.
  public var serviceType = NetworkServiceType.standard

  /// Makes the default policy.
  public init() {}
}
