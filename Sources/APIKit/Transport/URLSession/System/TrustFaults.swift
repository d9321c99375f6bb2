import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Why servers were refused, for as long as their session lives.
///
/// Apple's system remembers a refusal: later tasks of the host end as cancelled (-999) without a challenge, and so do those
/// that wait for the connection meanwhile. An attempt that its caller cancels has ended before its task does, so such an
/// end is a failure, for the reason that the host was refused for last.
final class TrustFaults: Sendable {
  private let faults = Mutex<[String: APIError]>([:])
  /// Whether the session has another delegate, which decides about servers.
  private let isGiven: Bool
  /// How many hosts are remembered; with more, all are forgotten.
  private static let most = 256
  private static let reasons: [APIError.Reason] = [
    .certificateExpired, .certificateNotYetValid, .certificateHostMismatch, .certificateSelfSigned,
    .certificateUntrusted, .certificateRevoked, .certificateUnsuitable, .certificateTooWeak,
  ]

  init(ofGivenSession isGiven: Bool = false) { self.isGiven = isGiven }

  /// Keeps the decision about a server's certificates. To be called before the system learns of it.
  func note(_ decision: ChallengeDecision, of host: String, port: Int) {
    let fault: APIError? = if case .fail(let error) = decision { error } else { nil }
    faults.withLock { faults in
      if faults.count >= Self.most { faults = [:] }
      faults[Self.name(host, port)] = fault
    }
  }

  /// Keeps the failure of a task whose server the system has refused by itself; any other says nothing of the server.
  func note(_ failure: APIError, of url: HTTPURL) {
    guard Self.reasons.contains(failure.reason) else { return }
    note(.fail(failure), of: url.host, port: url.effectivePort ?? 0)
  }

  /// The failure of a task that the system has ended as cancelled; nil for another error.
  func failure(for error: any Error, of url: HTTPURL) -> APIError? {
    guard (error as? URLError)?.code == .cancelled else { return nil }
    let name = Self.name(url.host, url.effectivePort ?? 0)
    if let fault = faults.withLock({ $0[name] }) { return fault }
    guard !isGiven else {
      return APIError(
        .transport, .transportFailed,
        "the session that the transport was given has ended the request as cancelled: its delegate refuses the server, or "
          + "the application has cancelled the session's tasks (URLSession: -999)", underlying: error)
    }
    return APIError(
      .transport, .transportFailed,
      "the system has ended the request as cancelled, which nobody here has asked for; servers that NSPinnedDomains of the "
        + "application's Info.plist does not name with this key end so (URLSession: -999)", underlying: error)
  }

  private static func name(_ host: String, _ port: Int) -> String { "\(URLHost.name(host)):\(port)" }
}
