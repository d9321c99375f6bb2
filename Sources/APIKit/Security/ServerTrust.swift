import Foundation

/// Whether a server is trusted, from the certificates it has shown and what the system says of their chain.
///
/// A function over bytes: transports that ask the system to verify a chain, without a name, leave the rest to it.
/// The order of the checks is that of OpenSSL and libcurl, so a server with several faults fails alike everywhere.
struct ServerTrust: Sendable {
  let policy: TLSPolicy

  /// Throws the reason why the server is refused.
  ///
  /// - Parameters:
  ///   - chain: The certificates in DER, the server's own first: the verified chain when the system trusts it.
  ///   - isTrusted: Whether the system trusts the chain, whatever the host.
  ///   - host: The host of the URL.
  ///   - now: The time at which certificates and pins must be valid.
  func check(
    _ chain: [[UInt8]], isTrusted: Bool, host: String, at now: Date = Date()
  ) throws(APIError) {
    guard let own = chain.first, let certificate = Certificate(der: own) else {
      throw APIError(.transport, .certificateUntrusted, "the server showed no readable certificate")
    }
    if !isTrusted, !policy.allowsInvalidCertificates {
      throw fault(of: certificate, chain, at: now.timeIntervalSince1970)
    }
    if !policy.skipsHostValidation, !certificate.isFor(host) {
      throw APIError(
        .transport, .certificateHostMismatch,
        certificate.dnsNames.isEmpty && certificate.addresses.isEmpty
          ? "the certificate names no host by subjectAltName; a common name does not count"
          : "the certificate is not for \(host)")
    }
    guard let pins = policy.pinning.pins, let entry = pins.entry(for: host, at: now) else { return }
    // Without a verified chain a server may append any certificate to its own.
    let proved = policy.allowsInvalidCertificates || !isTrusted ? [own] : chain
    try pins.check(proved.compactMap(digest), entry, host: host)
  }

  /// Why the system does not trust a chain.
  private func fault(of own: Certificate, _ chain: [[UInt8]], at now: Double) -> APIError {
    let all = [own] + chain.dropFirst().compactMap { Certificate(der: $0) }
    if all.count == 1, own.isSelfIssued {
      return APIError(.transport, .certificateSelfSigned, "the certificate is signed by itself")
    }
    if all.contains(where: { now > $0.validUntil }) {
      return APIError(.transport, .certificateExpired, "a certificate has expired")
    }
    if all.contains(where: { now < $0.validFrom }) {
      return APIError(.transport, .certificateNotYetValid, "a certificate is not valid yet")
    }
    return APIError(.transport, .certificateUntrusted, "no trusted authority has signed the certificate")
  }

  private func digest(_ der: [UInt8]) -> PinSet.Pin? {
    let pinned: [UInt8]? =
      if case .publicKey = policy.pinning { Certificate(der: der)?.publicKeyInfo } else { der }
    return pinned.flatMap { try? PinSet.Pin(digest: Crypto.sha256($0)) }
  }
}

extension PinSet {
  /// Throws when none of the digests that a server has shown is a pin of its host, and reports it.
  func check(_ shown: [Pin], _ entry: Host, host: String) throws(APIError) {
    guard !shown.contains(where: entry.pins.contains) else { return }
    onMismatch?(PinMismatch(host: host, shown: shown, expected: entry.pins, isEnforced: !isReportOnly))
    guard !isReportOnly else { return }
    let own = shown.first.map { "it shows \($0)" } ?? "it shows nothing readable"
    throw APIError(
      .transport, .pinMismatch, "none of the \(entry.pins.count) pins of \(host) matches; \(own)")
  }
}
