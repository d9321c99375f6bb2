// Apple platforms only: type-checked by Scripts/apple, never run here.
#if canImport(Security)
  import Foundation
  import Security

  /// Has the system verify the chain of a server, and ``ServerTrust`` decide.
  struct SystemTrust: Sendable {
    private let policy: TLSPolicy
    /// The authorities of the policy in DER; nil for those of the system.
    private let roots: [[UInt8]]?

    /// Reads the authorities. Throws ``APIError/Reason/trustStoreUnreadable`` when there are none.
    init(_ policy: TLSPolicy) throws(APIError) {
      self.policy = policy
      let pem: [UInt8]
      switch policy.trust {
      case .system:
        roots = nil
        return
      case .certificates(let bytes): pem = bytes
      case .bundle(let path):
        guard let data = FileManager.default.contents(atPath: path) else {
          throw APIError(.transport, .trustStoreUnreadable, "the CA bundle \(path) cannot be read")
        }
        pem = [UInt8](data)
      }
      let found = Certificate.blocks(ofPEM: pem)
      guard !found.isEmpty else {
        throw APIError(.transport, .trustStoreUnreadable, "the trusted authorities hold no certificate")
      }
      roots = found
    }

    /// Throws the reason why the server of a challenge is refused. May take long: the system may fetch
    /// intermediate certificates.
    func check(_ trust: SecTrust, host: String) throws(APIError) {
      // Without a name: ``ServerTrust`` compares it, after the chain, as OpenSSL does.
      SecTrustSetPolicies(trust, SecPolicyCreateSSL(true, nil))
      if let roots {
        let anchors = roots.compactMap { SecCertificateCreateWithData(nil, Data($0) as CFData) }
        SecTrustSetAnchorCertificates(trust, anchors as CFArray)
        SecTrustSetAnchorCertificatesOnly(trust, true)
      }
      let isTrusted = SecTrustEvaluateWithError(trust, nil)
      let chain = (SecTrustCopyCertificateChain(trust) as? [SecCertificate]) ?? []
      try ServerTrust(policy: policy).check(
        chain.map { [UInt8](SecCertificateCopyData($0) as Data) }, isTrusted: isTrusted, host: host)
    }
  }
#endif
