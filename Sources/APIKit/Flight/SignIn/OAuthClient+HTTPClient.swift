extension OAuthClient {
  /// Makes a client that sends over an HTTP client, without its cookies and without following redirects.
  public init(_ configuration: OAuthConfiguration, client: HTTPClient) {
    var client = client
    client.redirects = .refuse
    client.cookies = nil
    let plain = client
    self.init(configuration) { (request) throws(APIError) in try await plain.send(HTTPExchange(request)) }
  }

  /// An authenticator that renews its credential at this authorization server.
  public func authenticator(
    store: any CredentialStore = MemoryCredentialStore(), rules: Authenticator.Rules = .init(),
    signIn: Authenticator.SignIn? = nil
  ) -> Authenticator {
    Authenticator(store: store, rules: rules, renewal: { old in try await renew(old) }, signIn: signIn)
  }
}
