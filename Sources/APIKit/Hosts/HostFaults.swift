extension APIError {
  /// Whether a server's certificate was not accepted, so that its address does not belong to the name or is in other
  /// hands.
  var refusesServer: Bool { Self.refusals.contains(reason) }

  private static let refusals: Set<Reason> = [
    .certificateExpired, .certificateNotYetValid, .certificateHostMismatch, .certificateSelfSigned,
    .certificateUntrusted, .certificateRevoked, .certificateRejected, .certificateUnsuitable,
    .certificateTooWeak, .pinMismatch,
  ]

  /// Whether it lies with the server that was asked, and no connection to it stood: another one may do better. Whether
  /// the request may go there, ``ResendOccasion`` says.
  var liesWithServer: Bool { refusesServer || Self.unreached.contains(reason) }

  private static let unreached: Set<Reason> = [
    .connectionRefused, .connectTimeout, .unknownHost, .tlsHandshakeFailed, .tlsVersionTooOld,
  ]
}

extension ServerSelector.Outcome {
  /// The outcome of a connection that failed.
  init(connecting error: APIError) {
    self =
      switch error.reason {
      case _ where error.refusesServer: .wrong
      // The connection is not wanted any more, the load's own time was over before the limit for connecting, or the
      // transport takes no exchange at all.
      case .cancelled, .totalTimeout, .transportStopped, .misconfigured, .unsupportedCapability,
        .cleartextRefused:
        .unknown
      default: .bad
      }
  }
}
