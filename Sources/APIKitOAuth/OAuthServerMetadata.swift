public import APIKit

/// The metadata of an authorization server, with its endpoints, so that an application needs only one
/// address.
///
/// ```swift
/// let server = try await OAuthServerMetadata.discover("https://id.example.com", client: .shared)
/// let oauth = OAuthClient(OAuthConfiguration(clientID: "app", server: server), client: .shared)
/// ```
/// It is read from `/.well-known/oauth-authorization-server`, or where that gives a 404 from
/// `/.well-known/openid-configuration`. Read it once for each run of the application, as it rarely changes.
/// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc8414>
public struct OAuthServerMetadata: Sendable {
  /// The server's identifier, equal to the one it was requested with.
  public let issuer: String
  /// The endpoint at which users authorize in a browser; nil when there is none.
  public let authorizationEndpoint: HTTPURL?
  /// The endpoint that issues tokens.
  public let tokenEndpoint: HTTPURL
  /// The endpoint for devices without a browser (RFC 8628); nil when there is none.
  public let deviceEndpoint: HTTPURL?
  /// The endpoint that revokes tokens (RFC 7009); nil when there is none.
  public let revocationEndpoint: HTTPURL?
  /// Whether the server announces that every redirect names its issuer (RFC 9207). A redirect without one
  /// is then refused.
  public let namesIssuer: Bool

  /// Reads a metadata document.
  ///
  /// - Throws: `APIError.Reason.issuerMismatch` for the document of another server,
  ///   `APIError.Reason.malformedOAuthResponse` for a document without an issuer or token endpoint, and
  ///   `APIError.Reason.misconfigured` for an endpoint that is neither `https` nor on loopback, or a
  ///   server that does not support the method S256 of PKCE.
  init(_ raw: RawData, issuer: String) throws(APIError) {
    guard let named = raw.issuer.string else {
      throw APIError(.auth, .malformedOAuthResponse, "the server's metadata name no issuer")
    }
    // The identifiers are compared unchanged; the protection depends on it (RFC 8414, 3.3 and 6.2).
    guard named.equalsExactly(issuer) else {
      throw APIError(
        .auth, .issuerMismatch, "the metadata are those of another server than \(issuer)",
        quote: String(named.prefix(200)))
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
    // Servers that support PKCE may omit the member; where it is present, it must contain S256.
    let methods = raw.code_challenge_methods_supported
    guard
      authorizationEndpoint == nil || !methods.exists
        || methods.elements.contains(where: { $0.string == "S256" })
    else {
      throw APIError(
        .auth, .misconfigured, "\(issuer) does not take PKCE by S256, which every authorization uses")
    }
  }

  /// Requests a server's metadata; `discover(_:client:)` is the usual way.
  ///
  /// - Parameters:
  ///   - issuer: The server's identifier, exactly as the server writes it: `https://id.example.com/tenant`.
  ///   - send: Sends one request; it must not follow redirects.
  /// - Throws: `APIError.Reason.issuerMismatch` for the document of another server,
  ///   `APIError.Reason.malformedOAuthResponse` for a response without metadata,
  ///   `APIError.Reason.misconfigured` for an address that is neither `https` nor on loopback, or a
  ///   server without the method S256 of PKCE.
  public static func discover(
    _ issuer: String, send: OAuthClient.Send
  ) async throws(APIError) -> OAuthServerMetadata {
    let url = try HTTPURL(issuer)
    try OAuthConfiguration.check(url)
    var last: APIError?
    for address in try addresses(of: url) {
      let response = try await send(HTTPRequest(url: address, headers: ["Accept": "application/json"]))
      let read = OAuthResponse(response, address)
      if response.status == 200, let raw = read.raw { return try OAuthServerMetadata(raw, issuer: issuer) }
      last = read.error
      guard response.status == 404 else { break }
    }
    throw last ?? APIError(.auth, .malformedOAuthResponse)
  }

  /// RFC 8414 puts the well-known path before the issuer's own path, OpenID Connect after it.
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
  /// Makes a configuration for a client of a server from its metadata.
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
