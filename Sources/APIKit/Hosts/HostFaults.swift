extension APIError {
  /// Whether a server's certificate was not accepted, so that its address does not belong to the name or is in other
  /// hands.
  var refusesServer: Bool { Self.refusals.contains(reason) }

  private static let refusals: Set<Reason> = [
    .certificateExpired, .certificateNotYetValid, .certificateHostMismatch, .certificateSelfSigned,
    .certificateUntrusted, .certificateRevoked, .certificateRejected, .certificateUnsuitable,
    .certificateTooWeak, .pinMismatch,
  ]

  /// Whether the attempt ended before the first byte of its request was sent, for a reason that lies with the server
  /// that was asked: then another one may be asked, whatever the method is.
  var endedUnsent: Bool { refusesServer || Self.unsent.contains(reason) }

  private static let unsent: Set<Reason> = [
    .connectionRefused, .connectTimeout, .unknownHost, .tlsHandshakeFailed, .tlsVersionTooOld,
  ]
}

extension HostTable.Outcome {
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
