// For a session that carries the requests of transports in their place.
#if !canImport(FoundationNetworking)
  package import Foundation
#endif

extension URLSessionTransport: ConfiguredTransport {
  package var isDescribedByConfiguration: Bool { !isGiven }
}

// Apple platforms only: type-checked by Scripts/apple, never run here.
#if !canImport(FoundationNetworking)
  /// Meets the challenges of such a session, by the code that meets those of a transport's own.
  package struct CarriedChallenges: Sendable {
    private let faults = TrustFaults()

    package init() {}

    /// The session's disposition. Throws why the server is refused, why an identity cannot be read, or
    /// ``APIError/Reason/trustStoreUnreadable``.
    package func answer(
      _ challenge: URLAuthenticationChallenge, of exchange: HTTPExchange,
      under configuration: TransportConfiguration
    ) async throws(APIError) -> (URLSession.AuthChallengeDisposition, URLCredential?) {
      // What was refused is not shown again.
      guard challenge.previousFailureCount == 0 else { return (.rejectProtectionSpace, nil) }
      let proxy: HTTPProxy? = if case .through(let proxy) = configuration.proxy { proxy } else { nil }
      let challenges = SystemChallenges(
        trust: try SystemTrust(configuration.tls), identity: configuration.tls.identity,
        proxyLogin: proxy?.login, handler: nil, logins: MemoryLoginStore(), faults: faults)
      let (decision, _) = try await challenges.decide(challenge, exchange, refused: nil)
      return try await challenges.answer(decision, challenge)
    }

    /// The failure of a task that the system has ended as cancelled; nil for another error.
    package func failure(for error: any Error, of url: HTTPURL) -> APIError? {
      faults.failure(for: error, of: url)
    }
  }
#endif
