// Apple platforms only: type-checked by Scripts/apple, never run here.
#if canImport(Security)
  import Foundation
  import Security

  /// Verifies the chain of a server by the system; ``ServerTrust`` decides.
  struct SystemTrust: Sendable {
    let policy: TLSPolicy
    private let anchors: TrustAnchors

    /// Reads the authorities. Throws ``APIError/Reason/trustStoreUnreadable`` when there are none.
    init(_ policy: TLSPolicy) throws(APIError) {
      self.policy = policy
      anchors = try TrustAnchors(policy.trust)
    }

    /// The chain of a challenge, and why the policy refuses the server; nil for one without a chain. May take long, and
    /// blocks no thread of the cooperative pool: the system may fetch intermediate certificates.
    func verdict(on place: URLProtectionSpace) async -> (chain: [[UInt8]], fault: APIError?)? {
      await BlockingWork.run { [self] in
        guard let trust = place.serverTrust else { return nil }
        let verdict = ChainVerifier.verify(trust, anchors)
        do throws(APIError) {
          try ServerTrust(policy: policy).check(verdict.chain, fault: verdict.fault, host: place.host)
          return (verdict.chain, nil)
        } catch {
          return (verdict.chain, error)
        }
      }
    }

    /// Why the system has refused a server by itself, as far as the certificates show it, which its error keeps.
    static func fault(in error: any Error, host: String) -> APIError? {
      guard let error = error as? URLError, let trust = error.failureURLPeerTrust,
        URLSessionTransport.reason(of: error) == .certificateUntrusted
      else { return nil }
      return ServerTrust.fault(of: ChainVerifier.chain(of: trust), host: host)
    }
  }
#endif
