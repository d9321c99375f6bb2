/// How a manager's loads use the service's sign-in.
public enum SignInRule: Sendable, Hashable {
  /// They carry the credential when there is one, and are sent without when there is none. The default.
  case asAvailable
  /// They wait until the user has signed in. When the sign-in fails or is abandoned, they land as failed or
  /// cancelled.
  case required
  /// They never carry the credential and never wait for it; for the managers that sign in and renew.
  case exempt
}

/// A change of a service's sign-in.
public enum SignInChange: Sendable, Hashable {
  /// The user has signed in.
  case signedIn
  /// The credential was renewed.
  case refreshed
  /// There is no credential any more: the user signed out, or a renewal failed for good.
  case signedOut
  /// A load waits for a sign-in. Sent for each, and first to an observer that begins while loads wait.
  case signInNeeded
}
