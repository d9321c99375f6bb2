// Apple platforms only: type-checked by Scripts/apple, never run here. Older systems take no proxy for one connection;
// ``NetworkWireTerms`` refuses it there.
#if canImport(Network)
  import Network

  extension SystemLink {
    /// Whether the system takes a proxy for one connection.
    static var takesProxies: Bool {
      if #available(macOS 14, iOS 17, tvOS 17, watchOS 10, *) { true } else { false }
    }
  }

  extension NWParameters {
    /// Has the connection use a tunnel of a proxy, and nothing beside it: one that the proxy refuses fails.
    func go(through proxy: HTTPProxy) {
      guard #available(macOS 14, iOS 17, tvOS 17, watchOS 10, *) else {
        // No terms have a proxy where `takesProxies` is false.
        fatalError("a proxy for a system that takes none")
      }
      let endpoint = SystemLink.endpoint(proxy.host, UInt16(proxy.port))
      var configuration =
        switch proxy.kind {
        case .http, .connect: ProxyConfiguration(httpCONNECTProxy: endpoint)
        case .socks5: ProxyConfiguration(socksv5Proxy: endpoint)
        }
      configuration.allowFailover = false
      if let login = proxy.login {
        configuration.applyCredential(username: login.user, password: login.password)
      }
      let context = PrivacyContext(description: "APIKit")
      context.proxyConfigurations = [configuration]
      setPrivacyContext(context)
    }
  }
#endif
