/// Reasons of the sign-in.
extension APIError.Reason {
  /// The credential store cannot be read or written.
  public static let credentialStoreFailed = Self(
    "credential-store-failed", "the stored credential cannot be read or written")
  /// The server refuses the credential, and it cannot be renewed.
  public static let credentialRefused = Self("credential-refused", "the credential is refused")
  /// The credential could not be renewed; ``APIError/underlying`` has the cause.
  public static let refreshFailed = Self("refresh-failed", "the credential could not be renewed")
  /// The user signed out while the load was waiting for a renewal.
  public static let signedOut = Self("signed-out", "the user has signed out")
  /// The sign-in was abandoned, also by closing the system's page for it; loads that waited for it land as cancelled.
  public static let signInCancelled = Self("sign-in-cancelled", "the sign-in was given up")
  /// The sign-in that the load waited for has failed.
  public static let signInFailed = Self("sign-in-failed", "the sign-in has failed")
  /// The system's page for the sign-in cannot be shown.
  public static let signInPageFailed = Self(
    "sign-in-page-failed", "the system does not show the page for the sign-in")
  /// A load that is part of a renewal or sign-in would have to wait for it; its manager must be
  /// ``SignInRule/exempt``.
  public static let signInCycle = Self("sign-in-cycle", "a load that renews a credential needs it itself")
}

extension APIError {
  /// The end of a load whose user has left.
  static func signedOut(_ detail: String) -> APIError { APIError(.auth, .signedOut, detail) }

  /// The end of a sign-in with what the application's work threw.
  static func signInFailed(_ error: any Error) -> APIError {
    APIError(
      .auth, .signInFailed,
      "the sign-in has failed: \((error as? APIError)?.detail ?? "\(type(of: error))")",
      quote: (error as? APIError)?.quote, underlying: error)
  }
}
