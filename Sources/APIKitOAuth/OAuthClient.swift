public import APIKit

/// Gets, renews and revokes tokens of an OAuth 2.0 authorization server.
///
/// ```swift
/// let oauth = OAuthClient(configuration, client: .shared)
/// let authorization = try oauth.authorization(redirectURI: "com.example.app:/signed-in")
/// // show authorization.url in a browser; when the user comes back:
/// let credential = try await oauth.credential(for: authorization, callback: callback)
/// ```
/// A value, safe on any thread. Its credentials are for an `Authenticator`, which renews them with
/// ``renew(_:)``. Errors of the server are an `APIError` with the stage `auth` and the RFC's code as its
/// reason.
public struct OAuthClient: Sendable {
  /// Sends one request. It must not follow redirects, so that codes and secrets reach only the named
  /// endpoint.
  public typealias Send = @Sendable (HTTPRequest) async throws(APIError) -> HTTPResponse

  /// The client's endpoints, names and authentication.
  public let configuration: OAuthConfiguration
  let send: Send
  let time: any TimeSource

  /// Makes a client that sends its requests with a closure; `init(_:client:)` is the usual way.
  public init(_ configuration: OAuthConfiguration, send: @escaping Send) {
    self.init(configuration, send: send, time: SystemTime())
  }

  init(_ configuration: OAuthConfiguration, send: @escaping Send, time: any TimeSource) {
    self.configuration = configuration
    self.send = send
    self.time = time
  }

  // MARK: By a user in a browser

  /// Begins an authorization by a user in a browser, with a random state and PKCE challenge.
  ///
  /// Throws `APIError.Reason.misconfigured` when the configuration has no authorization endpoint, or one
  /// that is neither `https` nor on loopback.
  /// - Parameters:
  ///   - redirectURI: Where the server redirects the user, as registered there.
  ///   - parameters: Further parameters for this server, such as `prompt`. None by default.
  public func authorization(
    redirectURI: String, parameters: Parameters = Parameters()
  ) throws(APIError) -> OAuthAuthorization {
    guard let endpoint = configuration.authorizationEndpoint else {
      throw APIError(.auth, .misconfigured, "the OAuth configuration has no authorization endpoint")
    }
    try OAuthConfiguration.check(endpoint)
    let state = Nonce.make()
    let verifier = ProofKey.makeVerifier()
    let fields = withScope([
      "response_type": "code", "client_id": configuration.clientID,
      "redirect_uri": redirectURI, "state": state,
      "code_challenge": ProofKey.challenge(of: verifier), "code_challenge_method": "S256",
    ])
    var request = HTTPRequest(url: endpoint)
    try ParameterEncoding.query.apply(parameters.merging(fields), to: &request)
    return OAuthAuthorization(
      url: request.url, redirectURI: redirectURI, state: state, verifier: verifier,
      issuer: configuration.issuer, requiresIssuer: configuration.requiresIssuer)
  }

  /// Exchanges the code in the redirect for a credential.
  ///
  /// - Parameters:
  ///   - authorization: The authorization whose URL the user has opened.
  ///   - callback: The URL that the server redirected to, unchanged. It is checked as described at
  ///     ``OAuthAuthorization/code(from:)``.
  public func credential(
    for authorization: OAuthAuthorization, callback: String
  ) async throws(APIError) -> Credential {
    let code = try authorization.code(from: callback)
    return try await token([
      "grant_type": "authorization_code", "code": code,
      "redirect_uri": authorization.redirectURI, "code_verifier": authorization.verifier,
    ])
  }

  // MARK: Without a browser

  /// Gets a credential for the client itself, without a user (RFC 6749, 4.4).
  public func clientCredential() async throws(APIError) -> Credential {
    try await token(withScope(["grant_type": "client_credentials"]))
  }

  /// Renews a credential by its refresh token. The old refresh token is kept where the server sends no new
  /// one.
  ///
  /// Throws `APIError.Reason.invalidGrant` when there is no refresh token or it is no longer valid: the
  /// user must sign in again.
  public func renew(_ credential: Credential) async throws(APIError) -> Credential {
    guard let refreshToken = credential.refreshToken else {
      throw APIError(.auth, .invalidGrant, "the credential has no refresh token")
    }
    return try await token(["grant_type": "refresh_token", "refresh_token": refreshToken])
      .renewing(credential)
  }

  /// Revokes a credential at the server (RFC 7009): its refresh token, which usually ends the access tokens
  /// too; otherwise the access token.
  ///
  /// Throws `APIError.Reason.misconfigured` when the configuration has no revocation endpoint.
  public func revoke(_ credential: Credential) async throws(APIError) {
    guard let endpoint = configuration.revocationEndpoint else {
      throw APIError(.auth, .misconfigured, "the OAuth configuration has no revocation endpoint")
    }
    let token = credential.refreshToken ?? credential.accessToken
    let hint = credential.refreshToken == nil ? "access_token" : "refresh_token"
    let response = try await post(["token": token, "token_type_hint": hint], to: endpoint)
    guard response.status == 200 else { throw OAuthResponse(response, endpoint).error }
  }

  // MARK: Insides

  func withScope(_ parameters: Parameters) -> Parameters {
    guard !configuration.scopes.isEmpty else { return parameters }
    return parameters.merging(["scope": configuration.scopes.joined(separator: " ")])
  }

  /// Requests a credential from the token endpoint.
  func token(_ parameters: Parameters) async throws(APIError) -> Credential {
    let endpoint = configuration.tokenEndpoint
    let response = try await post(configuration.extraParameters.merging(parameters), to: endpoint)
    return try OAuthResponse(response, endpoint).credential(at: time.wallClock)
  }

  /// Sends a form with the client's authentication.
  func post(_ parameters: Parameters, to endpoint: HTTPURL) async throws(APIError) -> HTTPResponse {
    try OAuthConfiguration.check(endpoint)
    var request = HTTPRequest(method: .post, url: endpoint, headers: ["Accept": "application/json"])
    var parameters = parameters
    switch configuration.proof {
    case .none: parameters["client_id"] = .string(configuration.clientID)
    case .post(let secret):
      parameters["client_id"] = .string(configuration.clientID)
      parameters["client_secret"] = .string(secret)
    case .basic(let secret):
      // ID and secret are each form-encoded before they are joined (RFC 6749, 2.3.1).
      let pair = [configuration.clientID, secret].map { PercentEncoding.form.encode($0) }
      request.headers["Authorization"] = "Basic " + Base64.encode(Array(pair.joined(separator: ":").utf8))
    }
    try ParameterEncoding.form.apply(parameters, to: &request)
    return try await send(request)
  }
}
