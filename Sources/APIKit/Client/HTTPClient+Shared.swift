extension HTTPClient {
  /// The client of services that state no other: ``DefaultTransport/shared``, redirects followed, cookies
  /// kept on disk in ``CookieStore/standard``.
  public static let shared = HTTPClient(
    transport: DefaultTransport.shared, cookies: CookieJar(store: .standard))

  /// Makes a client with a transport of its own: the platform's default one with this configuration.
  ///
  /// Cookies are kept where ``TransportConfiguration/persistence`` says. Throws
  /// ``APIError/Reason/misconfigured`` or ``APIError/Reason/unsupportedCapability`` when the configuration
  /// is not valid or needs what the transport cannot do.
  public init(
    configuration: TransportConfiguration, redirects: RedirectPolicy = .follow
  ) throws(APIError) {
    let jar = configuration.persistence == .disk ? CookieJar(store: .standard) : CookieJar()
    self.init(transport: try DefaultTransport.make(configuration), redirects: redirects, cookies: jar)
  }
}
