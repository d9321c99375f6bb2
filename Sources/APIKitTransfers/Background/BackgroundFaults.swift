import APIKit

/// What errors mean that only the tasks of a background session have.
enum BackgroundFaults {
  /// - Parameters:
  ///   - code: That of `NSURLErrorDomain`.
  ///   - reason: Why the system has cancelled the task by itself (`NSURLErrorBackgroundTaskCancelledReasonKey`).
  /// - Returns: Nil for an error that other sessions have, too.
  /// - SeeAlso: <https://developer.apple.com/documentation/foundation/nsurlerrorbackgroundtaskcancelledreasonkey>,
  ///   <https://developer.apple.com/documentation/foundation/urlsessionconfiguration/timeoutintervalforrequest>
  static func error(_ code: Int, because reason: Int?) -> APIError? {
    switch (code, reason) {
    case (-999, let reason?):
      let why =
        switch reason {
        case 0: "the user has quit the application"
        case 1: "the user does not let the application work in the background"
        case 2: "the system had too little left for it"
        default: "its reason has the number \(reason)"
        }
      // No cancellation of ours, after which it would be made again at once.
      return APIError(.transport, .connectionLost, "the system has ended the task: \(why)")
    case (-1001, _):
      // After an idle time the system tries again by itself; only the limit of the session ends a task. The request may have
      // been sent, so it is no timeout of a connection.
      return APIError(.transport, .totalTimeout, "it took longer than the limit of the background session")
    case (-995, _):
      return APIError(
        .transport, .misconfigured,
        "an extension's background session needs the sharedContainerIdentifier of an app group")
    case (-996, _):
      return APIError(
        .transport, .misconfigured,
        "another process has a background session with this sessionIdentifier; an application and its extensions have one each"
      )
    default: return nil
    }
  }
}
