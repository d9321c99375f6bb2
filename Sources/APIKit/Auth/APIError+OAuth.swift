// The error codes of OAuth 2.0, as reasons.
extension APIError.Reason {
  /// The authorization server refuses the request as invalid: `invalid_request`.
  public static let invalidOAuthRequest = Self(
    "oauth-invalid-request", "the authorization request is not valid")
  /// The client is unknown, or did not authenticate itself: `invalid_client`.
  public static let invalidClient = Self(
    "oauth-invalid-client", "the client is not known or did not prove itself")
  /// The code or refresh token has expired, was used or revoked, or belongs to another client:
  /// `invalid_grant`.
  public static let invalidGrant = Self(
    "oauth-invalid-grant", "the code or refresh token is not valid any more")
  /// The client may not use this grant type: `unauthorized_client`.
  public static let unauthorizedClient = Self("oauth-unauthorized-client", "the client may not do this")
  /// The server does not support the grant type: `unsupported_grant_type`.
  public static let unsupportedGrantType = Self(
    "oauth-unsupported-grant-type", "the server does not know the grant")
  /// The server does not support the response type: `unsupported_response_type`.
  public static let unsupportedResponseType = Self(
    "oauth-unsupported-response-type", "the server does not know the response type")
  /// A scope is unknown, invalid or not permitted: `invalid_scope`.
  public static let invalidScope = Self("oauth-invalid-scope", "a scope is not valid")
  /// The user or the server denied access: `access_denied`.
  public static let accessDenied = Self("oauth-access-denied", "access was denied")
  /// The authorization server has failed: `server_error`.
  public static let authorizationServerFailed = Self(
    "oauth-server-error", "the authorization server has failed")
  /// The authorization server is overloaded or under maintenance: `temporarily_unavailable`.
  public static let temporarilyUnavailable = Self(
    "oauth-temporarily-unavailable", "the authorization server is not available for a while")
  /// The user has not completed the authorization yet: `authorization_pending` (RFC 8628).
  public static let authorizationPending = Self("oauth-authorization-pending", "the user has not acted yet")
  /// The server was polled too often: `slow_down` (RFC 8628).
  public static let slowDown = Self("oauth-slow-down", "the server was asked too often")
  /// The device code has expired: `expired_token` (RFC 8628).
  public static let deviceCodeExpired = Self("oauth-expired-token", "the device code has ended")
  /// An error code that has no reason of its own; the detail names it.
  public static let otherOAuthError = Self("oauth-error", "the authorization server reported an error")
  /// The returned state is not the one that was sent: the redirect belongs to another request, possibly an
  /// attacker's.
  public static let stateMismatch = Self(
    "oauth-state-mismatch", "the state that came back is not the one sent")
  /// The response comes from another authorization server than the expected one (RFC 9207; RFC 8414, 3.3).
  public static let issuerMismatch = Self(
    "oauth-issuer-mismatch", "the response comes from another authorization server")
  /// A response or redirect of the authorization server does not conform to OAuth.
  public static let malformedOAuthResponse = Self(
    "oauth-malformed-response", "the authorization server's response is not one of OAuth")

  /// The reason for an OAuth error code; ``otherOAuthError`` for an unknown one.
  package static func oauth(_ code: String) -> Self {
    let name = "oauth-" + code.replacing("_", with: "-")
    return oauthErrors.first { $0.name == name } ?? .otherOAuthError
  }

  private static let oauthErrors = [
    invalidOAuthRequest, invalidClient, invalidGrant, unauthorizedClient, unsupportedGrantType,
    unsupportedResponseType, invalidScope, accessDenied, authorizationServerFailed, temporarilyUnavailable,
    authorizationPending, slowDown, deviceCodeExpired,
  ]
}
