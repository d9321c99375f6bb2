// Apple platforms only: type-checked by Scripts/apple, never run here.
#if canImport(Security)
  import Foundation
  import Security

  /// Has the system verify chains.
  enum ChainVerifier {
    /// The verified chain, or the one that was given and why it is not trusted.
    static func verify(
      _ chain: [[UInt8]], _ anchors: TrustAnchors, at now: Date
    ) -> (chain: [[UInt8]], fault: APIError?) {
      let certificates = chain.compactMap { SecCertificateCreateWithData(nil, Data($0) as CFData) }
      var trust: SecTrust?
      let status = SecTrustCreateWithCertificates(
        certificates as CFArray, SecPolicyCreateSSL(true, nil), &trust)
      guard status == errSecSuccess, let trust, !certificates.isEmpty else {
        return (chain, APIError(.transport, .certificateUntrusted, "there is no readable certificate"))
      }
      SecTrustSetVerifyDate(trust, now as CFDate)
      return verify(trust, anchors, at: now)
    }

    /// The same for the chain of a connection.
    static func verify(
      _ trust: SecTrust, _ anchors: TrustAnchors, at now: Date = Date()
    ) -> (chain: [[UInt8]], fault: APIError?) {
      // Without a name: ``ServerTrust`` compares it, after the chain, as OpenSSL does.
      SecTrustSetPolicies(trust, SecPolicyCreateSSL(true, nil))
      if !anchors.roots.isEmpty {
        let roots = anchors.roots.compactMap { SecCertificateCreateWithData(nil, Data($0) as CFData) }
        SecTrustSetAnchorCertificates(trust, roots as CFArray)
        SecTrustSetAnchorCertificatesOnly(trust, !anchors.includesSystem)
      }
      let isTrusted = SecTrustEvaluateWithError(trust, nil)
      let chain = chain(of: trust)
      return (chain, isTrusted ? nil : ServerTrust.fault(of: chain, at: now))
    }

    /// The certificates of an evaluation, in DER, the server's own first.
    static func chain(of trust: SecTrust) -> [[UInt8]] {
      let found = (SecTrustCopyCertificateChain(trust) as? [SecCertificate]) ?? []
      return found.map { [UInt8](SecCertificateCopyData($0) as Data) }
    }
  }
#endif
