extension HTTPClient {
  /// The client of services that state none of their own: the platform's transport with the standard
  /// configuration, redirects followed, cookies kept on disk.
  public static let shared = HTTPClient(
    transport: DefaultTransport.shared, cookies: CookieJar(store: .standard))

  /// Makes a client with a transport of its own, the platform's default, under a configuration.
  ///
  /// Cookies are kept where ``TransportConfiguration/persistence`` says. Throws when the configuration is not
  /// valid, or asks for what the transport cannot do.
  public init(
    configuration: TransportConfiguration, redirects: RedirectPolicy = .follow
  ) throws(APIError) {
    let jar = configuration.persistence == .disk ? CookieJar(store: .standard) : CookieJar()
    self.init(transport: try DefaultTransport.make(configuration), redirects: redirects, cookies: jar)
  }
}
