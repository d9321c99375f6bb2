public import APIKit

/// One client of one authorization server: endpoints, names, and how the client authenticates itself.
///
/// Endpoints must be `https`, except on loopback; ``OAuthClient`` refuses others.
/// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc6749>, <https://www.rfc-editor.org/rfc/rfc9700>
public struct OAuthConfiguration: Sendable {
  /// How the client authenticates itself to the server (RFC 6749, 2.3).
  public enum ClientProof: Sendable, Redacted {
    /// Only by its ID: an application on a user's device cannot keep a secret.
    case none
    /// By its secret in the `Authorization` field.
    case basic(secret: String)
    /// By its secret in the body, for servers that do not support the field.
    case post(secret: String)

    /// The name of the method, without the secret.
    public var description: String {
      switch self {
      case .none: "none"
      case .basic: "basic •••"
      case .post: "post •••"
      }
    }
  }

  /// The client's ID at the server.
  public var clientID: String
  /// How the client authenticates itself; the default is ``ClientProof/none``.
  public var proof = ClientProof.none
  /// The endpoint at which users authorize in a browser; nil by default.
  public var authorizationEndpoint: HTTPURL?
  /// The endpoint that issues tokens.
  public var tokenEndpoint: HTTPURL
  /// The endpoint for devices without a browser (RFC 8628); nil by default.
  public var deviceEndpoint: HTTPURL?
  /// The endpoint that revokes tokens (RFC 7009); nil by default.
  public var revocationEndpoint: HTTPURL?
  /// The server's identifier. When set, a redirect that names another is refused (RFC 9207). Nil by
  /// default.
  public var issuer: String?
  /// Whether a redirect that names no issuer is refused too; for servers that announce to name it
  /// (`authorization_response_iss_parameter_supported`). It needs an ``issuer``. The default is false.
  public var requiresIssuer = false
  /// The scopes to request; none by default, which leaves them to the server.
  public var scopes: [String] = []
  /// Further parameters for this server, such as `audience`; sent with every request to the token endpoint.
  /// None by default.
  public var extraParameters = Parameters()

  /// Makes a configuration for a client.
  public init(
    clientID: String, authorizationEndpoint: HTTPURL? = nil, tokenEndpoint: HTTPURL, scopes: [String] = []
  ) {
    self.clientID = clientID
    self.authorizationEndpoint = authorizationEndpoint
    self.tokenEndpoint = tokenEndpoint
    self.scopes = scopes
  }

  /// Throws `APIError.Reason.misconfigured` for an endpoint that is neither `https` nor on loopback.
  static func check(_ endpoint: HTTPURL) throws(APIError) {
    let isLoopback = ["127.0.0.1", "::1", "[::1]", "localhost"].contains(endpoint.host)
    guard endpoint.scheme == "https" || isLoopback else {
      throw APIError(.auth, .misconfigured, "\(endpoint.location) must be https: tokens pass there")
    }
  }
}
