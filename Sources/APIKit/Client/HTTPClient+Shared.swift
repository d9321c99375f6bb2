extension HTTPClient {
  /// The client of services that state no other: ``DefaultTransport/shared``, redirects followed, cookies
  /// kept on disk under ``SigningKey/keychain``; in memory where there is no keychain. Those of every server are kept
  /// (``CookieJar/AcceptPolicy/always``).
  public static let shared = HTTPClient(
    transport: DefaultTransport.shared,
    cookies: CookieJar(store: SigningKey.keychain.flatMap { try? .standard(key: $0) }))

  /// Makes a client with a transport of its own: the platform's default one with this configuration.
  ///
  /// Cookies are kept where ``TransportConfiguration/persistence`` and ``TransportConfiguration/storageKey``
  /// say; those of every server (``CookieJar/AcceptPolicy/always``). Throws ``APIError/Reason/misconfigured`` or ``APIError/Reason/unsupportedCapability`` when the configuration
  /// is not valid or needs what the transport cannot do.
  public init(
    configuration: TransportConfiguration, redirects: RedirectPolicy = .follow
  ) throws(APIError) {
    let key = configuration.persistence == .disk ? configuration.storageKey : nil
    let store = try key.map { key throws(APIError) in try CookieStore.standard(key: key) }
    self.init(
      transport: try DefaultTransport.make(configuration), redirects: redirects,
      cookies: CookieJar(store: store))
  }
}
