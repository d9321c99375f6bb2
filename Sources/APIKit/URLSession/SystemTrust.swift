// Apple platforms only: type-checked by Scripts/apple, never run here.
#if canImport(Security)
  import Foundation
  import Security

  /// Has the system verify the chain of a server, and ``ServerTrust`` decide.
  struct SystemTrust: Sendable {
    private let policy: TLSPolicy
    private let anchors: TrustAnchors

    /// Reads the authorities. Throws ``APIError/Reason/trustStoreUnreadable`` when there are none.
    init(_ policy: TLSPolicy) throws(APIError) {
      self.policy = policy
      anchors = try TrustAnchors(policy.trust)
    }

    /// Throws the reason why the server of a challenge is refused. May take long: the system may fetch
    /// intermediate certificates.
    func check(_ trust: SecTrust, host: String) throws(APIError) {
      let verdict = ChainVerifier.verify(trust, anchors)
      try ServerTrust(policy: policy).check(verdict.chain, fault: verdict.fault, host: host)
    }
  }
#endif
