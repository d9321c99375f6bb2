public import APIKit

extension OAuthClient {
  /// Makes a client that sends over an HTTP client, without its cookies and without following redirects.
  public init(_ configuration: OAuthConfiguration, client: HTTPClient) {
    self.init(configuration, send: Self.send(over: client))
  }

  fileprivate static func send(over client: HTTPClient) -> Send {
    var client = client
    client.redirects = .refuse
    client.cookies = nil
    let plain = client
    return { (request) throws(APIError) in try await plain.send(HTTPExchange(request)) }
  }

  /// An authenticator that renews its credential at this authorization server.
  public func authenticator(
    store: any CredentialStore = MemoryCredentialStore(), rules: Authenticator.Rules = .init(),
    signIn: Authenticator.SignIn? = nil
  ) -> Authenticator {
    Authenticator(store: store, rules: rules, renewal: { old in try await renew(old) }, signIn: signIn)
  }

  /// An authenticator of the client itself, without a user: for services that call services (RFC 6749, 4.4).
  ///
  /// Loads that require a sign-in get a credential by the client's own proof, which also renews it: there is
  /// no refresh token, and none is needed.
  public func clientAuthenticator(
    store: any CredentialStore = MemoryCredentialStore(), rules: Authenticator.Rules = .init()
  ) -> Authenticator {
    var rules = rules
    rules.needsRefreshToken = false
    return Authenticator(
      store: store, rules: rules, renewal: { _ in try await clientCredential() },
      signIn: { try await clientCredential() })
  }
}

extension OAuthServerMetadata {
  /// Loads the metadata of a server over an HTTP client, without its cookies and without
  /// following redirects.
  ///
  /// - Parameters:
  ///   - issuer: The server's name, exactly as it writes it: `https://id.example.com/tenant`.
  ///   - client: Sends the request.
  /// - Throws: `APIError.Reason.issuerMismatch` for the document of another server,
  ///   `APIError.Reason.malformedOAuthResponse` for another document,
  ///   `APIError.Reason.misconfigured` for an address that is neither `https` nor on loopback and for a
  ///   server without PKCE by S256, or why there is no response.
  public static func discover(
    _ issuer: String, client: HTTPClient
  ) async throws(APIError) -> OAuthServerMetadata {
    try await discover(issuer, send: OAuthClient.send(over: client))
  }
}
