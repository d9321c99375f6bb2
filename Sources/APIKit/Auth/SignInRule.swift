/// What a manager's loads have to do with the service's sign-in.
public enum SignInRule: Sendable, Hashable {
  /// They carry the credential when there is one, and go without when there is none. The default.
  case asAvailable
  /// They wait until the user is signed in. They are resumed, failed or cancelled by the outcome.
  case required
  /// They never carry the credential and never wait for it: the managers that sign in and renew.
  case exempt
}

/// What has happened to the sign-in of a service.
public enum SignInChange: Sendable, Hashable {
  /// A credential is there, by a sign-in.
  case signedIn
  /// A new access token has taken the place of the one before.
  case refreshed
  /// There is no credential any more, because the user signed out or the server refused to renew it.
  case signedOut
  /// Loads wait for a sign-in. Told once until it has an outcome.
  case signInNeeded
}
