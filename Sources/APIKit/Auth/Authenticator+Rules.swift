extension Authenticator {
  /// Renews a credential. Called once for all loads that need it, off the main actor.
  ///
  /// If the returned credential has no refresh token, the authenticator keeps the old one. A manager that
  /// the closure uses must be ``SignInRule/exempt``.
  public typealias Renewal = @Sendable (Credential) async throws -> Credential
  /// Signs the user in. Called once while loads that require it wait, off the main actor. When it throws
  /// ``APIError/Reason/cancelled`` or ``APIError/Reason/signInCancelled`` the loads land as cancelled; any other error
  /// fails them.
  public typealias SignIn = @Sendable () async throws -> Credential

  /// The rules of an authenticator, each with a default.
  public struct Rules: Sendable {
    /// The account under which the credential is stored. The default is `default`.
    public var account = "default"
    /// How long before its expiry a token is renewed, so that it does not expire on its way to the server; at most
    /// a quarter of its lifetime, where ``Credential/issuedAt`` tells it. The default is 60 seconds.
    public var leeway: Duration = .seconds(60)
    /// The longest time that loads wait for a renewal. Then they continue with the old credential if it has
    /// not expired and was not refused, and otherwise fail with ``APIError/Reason/refreshFailed``. A token endpoint
    /// that responds with 503 or 429 and a `Retry-After` within it is asked again then. The default is 30 seconds.
    public var renewalLimit: Duration = .seconds(30)
    /// Whether a credential can be renewed only with a refresh token. The default is true; set false where
    /// something else renews it, such as the client's secret.
    public var needsRefreshToken = true
    /// Whether a failure means that the server refuses the credential. The default is true for status 401.
    public var isRefusal: @Sendable (APIError) -> Bool {
      get { stated.isRefusal ?? { $0.status == 401 } }
      set { stated.isRefusal = newValue }
    }
    /// Whether a failed renewal ends the credential, which is then removed. The default is true for the
    /// OAuth reason `invalid_grant` and the statuses 400, 401 and 403; but not when the server reports a
    /// failure of its own, nor when the response is not one of OAuth, because a proxy may have sent it.
    public var endsCredential: @Sendable (APIError) -> Bool {
      get { stated.endsCredential ?? Self.isFinal }
      set { stated.endsCredential = newValue }
    }
    /// The user of a credential; nil if it names none. The default is its note `user` (``Credential/notes``).
    ///
    /// Loads belong to the user who was signed in when they were called. A new sign-in whose credential names the same user
    /// leaves them alone; where a credential names none, each sign-in counts as that of another user, and the loads of the
    /// one before end with ``APIError/Reason/signedOut``.
    public var user: @Sendable (Credential) -> String? {
      get { stated.user ?? { $0.notes["user"] } }
      set { stated.user = newValue }
    }
    /// Adds the credential to a request. The default sets `Authorization` to its type and token.
    public var attach: @Sendable (Credential, inout HTTPRequest) -> Void {
      get {
        stated.attach ?? { credential, request in
          request.headers["Authorization"] = credential.tokenType + " " + credential.accessToken
        }
      }
      set { stated.attach = newValue }
    }

    /// What the application has set; nil where the default counts.
    package struct Stated: Sendable {
      package var isRefusal: (@Sendable (APIError) -> Bool)?
      package var endsCredential: (@Sendable (APIError) -> Bool)?
      package var attach: (@Sendable (Credential, inout HTTPRequest) -> Void)?
      var user: (@Sendable (Credential) -> String?)?
    }
    package private(set) var stated = Stated()

    /// Makes the default rules.
    public init() {}

    private static func isFinal(_ error: APIError) -> Bool {
      // A manager that renews knows the status alone, and leaves the response.
      let isByStatus = error.reason == .unacceptableStatus
      if isByStatus, let type = error.response?.mediaType,
        type.hasSuffix("html") || type.hasSuffix("xhtml+xml")
      {
        return false
      }
      switch isByStatus ? error.raw.error.string.map(APIError.Reason.oauth) ?? error.reason : error.reason {
      case .invalidGrant: return true
      case .malformedOAuthResponse, .authorizationServerFailed, .temporarilyUnavailable, .slowDown:
        return false
      default: return error.status == 400 || error.status == 401 || error.status == 403
      }
    }

    /// Whether a credential has what a renewal needs.
    func canRenew(_ credential: Credential) -> Bool { credential.refreshToken != nil || !needsRefreshToken }
  }
}
