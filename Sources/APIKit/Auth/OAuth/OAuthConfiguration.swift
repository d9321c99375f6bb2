/// One client of one authorization server: addresses, names, and how the client proves itself.
///
/// Endpoints must be `https`, except on loopback; ``OAuthClient`` refuses others.
/// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc6749>, <https://www.rfc-editor.org/rfc/rfc9700>
public struct OAuthConfiguration: Sendable {
  /// How the client proves itself to the token endpoint (RFC 6749, 2.3).
  public enum ClientProof: Sendable {
    /// By nothing but its name: an application on a user's device keeps no secret.
    case none
    /// By its secret in the `Authorization` field.
    case basic(secret: String)
    /// By its secret in the body, for servers that do not know the field.
    case post(secret: String)
  }

  /// The name the server knows the client by.
  public var clientID: String
  /// How the client proves itself; the default is ``ClientProof/none``.
  public var proof = ClientProof.none
  /// Where users authorize; nil where no user does.
  public var authorizationEndpoint: HTTPURL?
  /// Where tokens are given.
  public var tokenEndpoint: HTTPURL
  /// Where devices without a browser begin (RFC 8628); nil by default.
  public var deviceEndpoint: HTTPURL?
  /// Where tokens are revoked (RFC 7009); nil by default.
  public var revocationEndpoint: HTTPURL?
  /// The server's name for itself. When set, a redirect that names another is refused (RFC 9207).
  public var issuer: String?
  /// Whether a redirect that names no issuer is refused as well; for servers that promise to name it
  /// (`authorization_response_iss_parameter_supported`). The default is false.
  public var requiresIssuer = false
  /// What is asked for; none by default, which leaves it to the server.
  public var scopes: [String] = []
  /// Parameters that this server wants besides, such as `audience`; sent with every token request.
  public var extraParameters = Parameters()

  /// Describes a client.
  public init(
    clientID: String, authorizationEndpoint: HTTPURL? = nil, tokenEndpoint: HTTPURL, scopes: [String] = []
  ) {
    self.clientID = clientID
    self.authorizationEndpoint = authorizationEndpoint
    self.tokenEndpoint = tokenEndpoint
    self.scopes = scopes
  }

  /// Throws ``APIError/Reason/misconfigured`` for an endpoint that is neither `https` nor on loopback.
  static func check(_ endpoint: HTTPURL) throws(APIError) {
    let isLoopback = ["127.0.0.1", "::1", "[::1]", "localhost"].contains(endpoint.host)
    guard endpoint.scheme == "https" || isLoopback else {
      throw APIError(.auth, .misconfigured, "\(endpoint.location) must be https: tokens pass there")
    }
  }
}
