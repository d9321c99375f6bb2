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
  /// What the failure of a connection says about the server.
  init(connecting error: APIError) {
    self =
      switch error.reason {
      case _ where error.refusesServer: .wrong
      // It is not wanted any more, or nothing can be asked at all.
      case .cancelled, .transportStopped, .misconfigured, .unsupportedCapability, .cleartextRefused: .unknown
      default: .bad
      }
  }
}
