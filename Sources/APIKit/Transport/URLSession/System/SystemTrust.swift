// Apple platforms only: type-checked by Scripts/apple, never run here.
#if canImport(Security)
  import Foundation
  import Security

  /// Verifies the chain of a server by the system; ``ServerTrust`` decides.
  struct SystemTrust: Sendable {
    private let policy: TLSPolicy
    private let anchors: TrustAnchors

    /// Reads the authorities. Throws ``APIError/Reason/trustStoreUnreadable`` when there are none.
    init(_ policy: TLSPolicy) throws(APIError) {
      self.policy = policy
      anchors = try TrustAnchors(policy.trust)
    }

    /// The chain of a challenge, and why the policy refuses the server. May take long: the system may fetch
    /// intermediate certificates.
    func verdict(on trust: SecTrust, host: String) -> (chain: [[UInt8]], fault: APIError?) {
      let verdict = ChainVerifier.verify(trust, anchors)
      do throws(APIError) {
        try ServerTrust(policy: policy).check(verdict.chain, fault: verdict.fault, host: host)
        return (verdict.chain, nil)
      } catch {
        return (verdict.chain, error)
      }
    }
  }
#endif
