#if os(Linux)
  import CAPIKit

  /// The configuration in libcurl's options, computed once per transport.
  ///
  /// Used on the loop's thread only. Holds the TLS sessions that the handles share.
  final class CurlSession {
    let configuration: TransportConfiguration
    let proxies: ProxyTable
    /// Whether there is a proxy at all: asked by each request, for which the table would be copied.
    let hasProxies: Bool
    let tls: CurlTLS
    /// The version asked for, over TLS and without.
    let httpVersion: (tls: Int, plain: Int)
    /// Keeps TLS sessions when their easy handles are freed: a resumed handshake costs half.
    let share: UnsafeMutableRawPointer

    init(_ configuration: TransportConfiguration) throws(APIError) {
      self.configuration = configuration
      var configuration = configuration
      proxies = try configuration.readProxies()
      hasProxies = !proxies.isEmpty
      tls = try CurlTLS(configuration.tls)
      httpVersion = Self.version(configuration.versions)
      guard let share = curl_share_init() else {
        throw APIError(.transport, .transportFailed, "libcurl gave no share; is there memory left?")
      }
      self.share = share
      // One thread uses it, so it needs no lock functions.
      _ = capikit_curl_share_data(share, CURL_LOCK_DATA_SSL_SESSION)
    }

    deinit { curl_share_cleanup(share) }

    /// Sets what all handles have in common, on a new or reset one.
    func prepare(
      _ handle: some CurlOptions, owner: UnsafeMutableRawPointer, errorText: UnsafeMutablePointer<CChar>,
      share: UnsafeMutableRawPointer
    ) throws(APIError) {
      try handle.set(CURLOPT_PRIVATE, pointer: owner)
      try handle.set(CURLOPT_ERRORBUFFER, pointer: errorText)
      try handle.set(CURLOPT_SHARE, pointer: share)
      try handle.set(CURLOPT_NOSIGNAL, 1)
      // A resolver thread that hangs must not hang the loop when its transfer is cancelled.
      try handle.set(CURLOPT_QUICK_EXIT, 1)
      // The loop limits connecting; libcurl's default of 5 minutes would apply as well.
      try handle.set(CURLOPT_CONNECTTIMEOUT_MS, Int(Int32.max))
      try handle.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
      // libcurl asks a resolver with the trust of the handle.
      if let url = configuration.dnsOverHTTPS { try handle.set(CURLOPT_DOH_URL, url.string) }
      try tls.apply(to: handle)
    }

    /// Sets proxy or socket. What is empty keeps libcurl from reading the environment for each request, which also is not
    /// safe beside a thread that changes it. Exceptions are applied per request.
    func applyProxy(to handle: some CurlOptions) throws(APIError) {
      try handle.set(CURLOPT_NOPROXY, "")
      if let path = configuration.unixSocketPath { try handle.set(CURLOPT_UNIX_SOCKET_PATH, path) }
      guard let proxy = proxies.single else { return try handle.set(CURLOPT_PROXY, "") }
      try apply(proxy, to: handle)
    }

    func apply(_ proxy: HTTPProxy, to handle: some CurlOptions) throws(APIError) {
      try handle.set(CURLOPT_PROXY, proxy.host.contains(":") ? "[\(proxy.host)]" : proxy.host)
      try handle.set(CURLOPT_PROXYPORT, proxy.port)
      let kind = proxy.kind == .socks5 ? CURLPROXY_SOCKS5_HOSTNAME : CURLPROXY_HTTP
      try handle.set(CURLOPT_PROXYTYPE, Int(kind.rawValue))
      if proxy.kind == .connect { try handle.set(CURLOPT_HTTPPROXYTUNNEL, 1) }
      if let login = proxy.login { try applyProxyLogin(login, to: handle) }
    }

    func applyProxyLogin(_ login: HTTPLogin, to handle: some CurlOptions) throws(APIError) {
      try handle.set(CURLOPT_PROXYUSERNAME, login.user)
      try handle.set(CURLOPT_PROXYPASSWORD, login.password)
      try handle.set(CURLOPT_PROXYAUTH, Int(truncatingIfNeeded: Self.authentication(login.scheme)))
    }

    /// The bits of CURLAUTH_…, whose macros cast and so are not imported.
    ///
    /// - Parameter asksFirst: Whether the first request of a digest goes without its body, to be challenged. What it is
    ///   sent to acts on that request where it wants no login.
    static func authentication(_ scheme: HTTPLogin.Scheme, asksFirst: Bool = false) -> UInt {
      let basic: UInt = 1 << 0
      let digest: UInt = 1 << 1
      let only: UInt = 1 << 31
      return switch scheme {
      case .basic: basic
      case .digest: asksFirst ? digest : digest | only
      // Not CURLAUTH_ANY: its NTLM and Negotiate would authenticate connections, which are shared here.
      case .any: basic | digest
      }
    }

    /// Whether this libcurl was built with HTTP/2.
    static let speaksHTTP2 = capikit_curl_has(CURL_VERSION_HTTP2) != 0

    /// Whether a connection on which bytes wait unread, such as TLS 1.3 session tickets, is used again.
    static let reusesUnreadConnections = capikit_curl_version() < 0x080000

    private static func version(_ policy: HTTPVersionPolicy) -> (tls: Int, plain: Int) {
      switch policy {
      case .http1Only: (CURL_HTTP_VERSION_1_1, CURL_HTTP_VERSION_1_1)
      // Without TLS both mean the same; but from 8.13.0 on, libcurl waits for HTTP/2 there as well, and does not use a
      // connection on which no response has been seen.
      case .upToHTTP2: (speaksHTTP2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1, CURL_HTTP_VERSION_1_1)
      case .upToHTTP3: version(.upToHTTP2)  // refused before
      case .http2PriorKnowledge: (CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE, CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE)
      }
    }
  }
#endif
