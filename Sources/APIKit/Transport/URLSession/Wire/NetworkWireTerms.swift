import Foundation

/// What a connection of Apple's Network framework is opened with: a value, so that what the system is told is tested
/// everywhere.
struct NetworkWireTerms: Equatable, Sendable {
  /// Which way the bytes go.
  enum ProxyUse: Equatable, Sendable {
    /// As the system's settings say.
    case system
    /// To the server itself, whatever they say.
    case none
    /// By a tunnel of this proxy; both kinds of HTTP proxies make one.
    case through(HTTPProxy)
  }

  /// Without the brackets of an address.
  let host: String
  let port: UInt16
  let isSecure: Bool
  /// The protocol that TLS names (ALPN); nil for none.
  let applicationProtocol: String?
  let minimumTLS: TLSVersion
  /// Whether a session of TLS may be resumed. It shows no certificates, so that pins would not be compared.
  let resumesTLS: Bool
  /// The client's certificate, for a server that asks for one.
  let identity: ClientIdentity?
  let proxy: ProxyUse
  /// The interfaces that may be used, and the kind of traffic.
  let system: SystemRequestTerms

  /// Throws ``APIError/Reason/unsupportedCapability`` for what the Network framework cannot do.
  ///
  /// - Parameters:
  ///   - speaksHTTP: Whether HTTP/1.1 is named as the protocol in the TLS handshake.
  ///   - takesProxies: Whether the system takes a proxy for one connection, as it does from iOS 17 and macOS 14 on.
  ///   - plist: The application's Info.plist.
  init(
    _ exchange: HTTPExchange, _ configuration: TransportConfiguration, speaksHTTP: Bool, takesProxies: Bool,
    plist: [String: Any]?
  ) throws(APIError) {
    let url = exchange.request.url
    guard let port = url.effectivePort.flatMap(UInt16.init(exactly:)), port > 0 else {
      throw APIError(.transport, .invalidURL, "a connection needs a port from 1 to 65535", quote: url.string)
    }
    (host, self.port) = (url.host, port)
    isSecure = url.scheme == "https"
    applicationProtocol = isSecure && speaksHTTP ? "http/1.1" : nil
    minimumTLS = configuration.tls.minimumVersion
    let judge = configuration.tls.judge(of: url.host, at: Date())
    resumesTLS = judge == .system
    guard !isSecure || judge != .system || !PinnedDomains(plist).name(url.host) else {
      throw APIError(
        unsupported:
          "the pins of the Info.plist (NSPinnedDomains) for streams of bytes, which count for URLSession "
          + "alone; state pins for the host in the transport's TLSPolicy")
    }
    identity = isSecure && !exchange.crossesOrigin ? configuration.tls.identity : nil
    switch configuration.proxy {
    case .none: proxy = .none
    case .system: proxy = .system
    case .through(let stated) where stated.isException(url.host): proxy = .none
    case .through(var stated):
      guard takesProxies else {
        throw APIError(
          unsupported:
            "a proxy of its own (proxy) for streams of bytes before iOS 17, macOS 14, tvOS 17 and watchOS 10")
      }
      stated.login = exchange.proxyLogin ?? stated.login
      proxy = .through(stated)
    }
    system = SystemRequestTerms(exchange.request, configuration)
  }

  /// How a connection on these terms begins.
  var machine: NetworkWireMachine {
    let isThroughProxy = if case .through = proxy { true } else { false }
    return NetworkWireMachine(
      NetworkFault.Circumstances(isThroughProxy: isThroughProxy, hasIdentity: identity != nil),
      forbidsProxies: proxy == .none)
  }
}

/// The hosts that an application pins in its Info.plist.
///
/// App Transport Security compares them for `URLSession`, and does not apply to the Network framework.
/// - SeeAlso: <https://developer.apple.com/documentation/security/preventing-insecure-network-connections>
struct PinnedDomains {
  /// The names, in lower case, and whether those below them are pinned as well.
  private let domains: [String: Bool]

  init(_ plist: [String: Any]?) {
    let security = plist?["NSAppTransportSecurity"] as? [String: Any]
    let pinned = security?["NSPinnedDomains"] as? [String: Any] ?? [:]
    domains = pinned.reduce(into: [:]) { domains, pair in
      let entry = pair.value as? [String: Any]
      domains[URLHost.name(pair.key)] = entry?["NSIncludesSubdomains"] as? Bool ?? false
    }
  }

  /// Whether a host is among them.
  func name(_ host: String) -> Bool {
    let host = URLHost.name(host)
    return domains.contains { name, includesSubdomains in
      host == name || includesSubdomains && host.hasSuffix("." + name)
    }
  }
}
