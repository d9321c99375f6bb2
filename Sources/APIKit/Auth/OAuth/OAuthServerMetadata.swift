/// What an authorization server says about itself: its addresses, so that an application need know one alone.
///
/// ```swift
/// let server = try await OAuthServerMetadata.discover("https://id.example.com", client: .shared)
/// let oauth = OAuthClient(OAuthConfiguration(clientID: "app", server: server), client: .shared)
/// ```
/// Read from `/.well-known/oauth-authorization-server`, or where that is not found from
/// `/.well-known/openid-configuration`. Keep it for a run of the application; it hardly ever changes.
/// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc8414>
public struct OAuthServerMetadata: Sendable {
  /// The server's name for itself: the one it was asked for under.
  public let issuer: String
  /// Where users authorize; nil where no user does.
  public let authorizationEndpoint: HTTPURL?
  /// Where tokens are given.
  public let tokenEndpoint: HTTPURL
  /// Where devices without a browser begin (RFC 8628); nil when it has none.
  public let deviceEndpoint: HTTPURL?
  /// Where tokens are revoked (RFC 7009); nil when it has none.
  public let revocationEndpoint: HTTPURL?
  /// Whether it promises to name itself in every redirect (RFC 9207); one that does not is refused then.
  public let namesIssuer: Bool

  /// Reads a document.
  ///
  /// - Throws: ``APIError/Reason/issuerMismatch`` for the document of another server,
  ///   ``APIError/Reason/malformedOAuthResponse`` for what is no such document, and
  ///   ``APIError/Reason/misconfigured`` for a server that tokens must not pass to: an address that is neither
  ///   `https` nor on loopback, or authorizations without the method S256 of PKCE.
  init(_ raw: RawData, issuer: String) throws(APIError) {
    guard let named = raw.issuer.string else {
      throw APIError(.auth, .malformedOAuthResponse, "the server's metadata name no issuer")
    }
    // The names are compared as they are: that is the whole protection (RFC 8414, 3.3 and 6.2).
    guard named == issuer else {
      throw APIError(
        .auth, .issuerMismatch, "the metadata are those of \(named.prefix(200)), expected \(issuer)")
    }
    self.issuer = issuer
    guard let token = try Self.endpoint(raw.token_endpoint) else {
      throw APIError(.auth, .malformedOAuthResponse, "the metadata of \(issuer) have no token endpoint")
    }
    tokenEndpoint = token
    authorizationEndpoint = try Self.endpoint(raw.authorization_endpoint)
    deviceEndpoint = try Self.endpoint(raw.device_authorization_endpoint)
    revocationEndpoint = try Self.endpoint(raw.revocation_endpoint)
    namesIssuer = raw.authorization_response_iss_parameter_supported.bool ?? false
    // Servers that know PKCE may leave the member out; one that names its methods means it.
    let methods = raw.code_challenge_methods_supported
    guard
      authorizationEndpoint == nil || !methods.exists
        || methods.elements.contains(where: { $0.string == "S256" })
    else {
      throw APIError(
        .auth, .misconfigured, "\(issuer) does not take PKCE by S256, which every authorization uses")
    }
  }

  /// Asks a server for what it says about itself; see `discover(_:client:)` for the usual way.
  ///
  /// - Parameters:
  ///   - issuer: The server's name, exactly as it writes it: `https://id.example.com/tenant`.
  ///   - send: Carries one request; it must not follow redirects.
  /// - Throws: What `init` throws, or why there is no answer.
  public static func discover(
    _ issuer: String, send: OAuthClient.Send
  ) async throws(APIError) -> OAuthServerMetadata {
    let url = try HTTPURL(issuer)
    try OAuthConfiguration.check(url)
    var last: APIError?
    for address in try addresses(of: url) {
      let answer = try await send(HTTPRequest(url: address, headers: ["Accept": "application/json"]))
      let read = OAuthResponse(answer, address)
      if answer.status == 200, let raw = read.raw { return try OAuthServerMetadata(raw, issuer: issuer) }
      last = read.error
      guard answer.status == 404 else { break }
    }
    throw last ?? APIError(.auth, .malformedOAuthResponse)
  }

  /// The well-known path stands before the issuer's own in RFC 8414, and behind it in OpenID Connect.
  static func addresses(of issuer: HTTPURL) throws(APIError) -> [HTTPURL] {
    let authority = issuer.location.dropLast(issuer.path.count)
    let path = issuer.path.hasSuffix("/") ? issuer.path.dropLast() : issuer.path[...]
    return [
      try HTTPURL("\(authority)/.well-known/oauth-authorization-server\(path)"),
      try HTTPURL("\(authority)\(path)/.well-known/openid-configuration"),
    ]
  }

  private static func endpoint(_ raw: RawData) throws(APIError) -> HTTPURL? {
    guard let text = raw.string else { return nil }
    let url = try HTTPURL(text)
    try OAuthConfiguration.check(url)
    return url
  }
}

extension OAuthConfiguration {
  /// Describes a client of a server that has said where it is.
  public init(clientID: String, server: OAuthServerMetadata, scopes: [String] = []) {
    self.init(
      clientID: clientID, authorizationEndpoint: server.authorizationEndpoint,
      tokenEndpoint: server.tokenEndpoint, scopes: scopes)
    deviceEndpoint = server.deviceEndpoint
    revocationEndpoint = server.revocationEndpoint
    issuer = server.issuer
    requiresIssuer = server.namesIssuer
  }
}
