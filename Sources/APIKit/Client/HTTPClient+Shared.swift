extension HTTPClient {
  /// The client of services that state no other: ``DefaultTransport/shared``, redirects followed, cookies
  /// kept on disk under ``SecretKey/keychain``; in memory where there is no keychain. Those of every server are kept
  /// (``CookieJar/AcceptPolicy/always``).
  public static let shared = HTTPClient(
    transport: DefaultTransport.shared,
    cookies: .underKeychain())

  /// Makes a client with a transport of its own: the platform's default one with this configuration.
  ///
  /// Cookies are kept where ``TransportConfiguration/persistence`` and ``TransportConfiguration/storageKey`` say; those of
  /// every server (``CookieJar/AcceptPolicy/always``). Throws ``APIError/Reason/misconfigured`` or
  /// ``APIError/Reason/unsupportedCapability`` when the configuration is not valid or needs a missing capability.
  public init(
    configuration: TransportConfiguration, redirects: RedirectPolicy = .follow
  ) throws(APIError) {
    let cookies: CookieJar
    switch configuration.persistence {
    case .memory: cookies = CookieJar()
    case .disk where !configuration.statesStorageKey: cookies = .underKeychain()
    case .disk:
      let store = try configuration.storageKey.map { key throws(APIError) in
        try CookieStore.standard(key: key)
      }
      cookies = CookieJar(store: store)
    }
    self.init(
      transport: try DefaultTransport.make(configuration), redirects: redirects, cookies: cookies)
  }
}

extension CookieJar {
  /// A jar with the program's own file under ``SecretKey/keychain``: in memory where there is no keychain, and until it is
  /// unlocked for the first time.
  static func underKeychain() -> CookieJar {
    #if canImport(Security)
      CookieJar(finding: { SecretKey.keychain.flatMap { try? .standard(key: $0) } })
    #else
      CookieJar()
    #endif
  }
}
