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
        return verdict(on: trust, host: place.host)
      }
    }

    private func verdict(on trust: SecTrust, host: String) -> (chain: [[UInt8]], fault: APIError?) {
      let verdict = ChainVerifier.verify(trust, anchors)
      do throws(APIError) {
        try ServerTrust(policy: policy).check(verdict.chain, fault: verdict.fault, host: host)
        return (verdict.chain, nil)
      } catch {
        return (verdict.chain, error)
      }
    }

    /// Why a server is refused whose chain is to be evaluated here, as it is by no session; nil where it is trusted. May take
    /// long, as the verdict on a challenge.
    func refusal(of chain: SecTrust, host: String) async -> APIError? {
      nonisolated(unsafe) let trust = chain
      return await BlockingWork.run { [self] in
        let judge = policy.judge(of: host, at: Date())
        // As the system has set it up, with the server's name.
        if judge != .policy, !SecTrustEvaluateWithError(trust, nil) {
          return ServerTrust.fault(of: ChainVerifier.chain(of: trust), host: host)
            ?? APIError(.transport, .certificateUntrusted, "the system does not trust the server")
        }
        return judge == .system ? nil : verdict(on: trust, host: host).fault
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
