import Foundation

/// Whether a server is trusted, from the certificates it has shown and what is known of their chain.
///
/// A function over bytes, which every transport asks: the chain is verified by others, without a name. The order of
/// the checks is that of OpenSSL and libcurl, so a server with several faults fails alike everywhere.
struct ServerTrust: Sendable {
  let policy: TLSPolicy

  /// Throws the reason why the server is refused.
  ///
  /// - Parameters:
  ///   - chain: The certificates in DER, the server's own first: the verified chain when there is no fault.
  ///   - fault: Why the chain is not trusted, whatever the host; nil when it is.
  ///   - host: The host of the URL.
  ///   - now: The time at which pins must be in force.
  func check(
    _ chain: [[UInt8]], fault: APIError?, host: String, at now: Date = Date()
  ) throws(APIError) {
    guard let own = chain.first, let certificate = Certificate(der: own) else {
      throw APIError(.transport, .certificateUntrusted, "the server showed no readable certificate")
    }
    let pins = policy.pinning.pins
    let entry = pins?.entry(for: host, at: now)
    let isReplaced = policy.allowsInvalidCertificates || entry?.replacesChain == true
    if let fault, !isReplaced { throw fault }
    if !policy.skipsHostValidation, !certificate.isFor(host) { throw Self.mismatch(certificate, host) }
    guard let pins, let entry else { return }
    // Without a verified chain a server may append any certificate to its own.
    try pins.check((isReplaced ? [own] : chain).compactMap(digest), entry, host: host)
  }

  /// Why a chain is not trusted, as far as its certificates show it.
  static func fault(of chain: [[UInt8]], at now: Date = Date()) -> APIError {
    let (all, now) = (chain.compactMap { Certificate(der: $0) }, now.timeIntervalSince1970)
    if all.count == 1, all[0].isSelfIssued {
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

  /// Why a system that decides by itself has refused a server; nil where the certificates do not show it.
  static func fault(of chain: [[UInt8]], host: String, at now: Date = Date()) -> APIError? {
    guard let own = chain.first.flatMap(Certificate.init(der:)) else { return nil }
    let fault = fault(of: chain, at: now)
    guard fault.reason == .certificateUntrusted else { return fault }
    return own.isFor(host) ? nil : mismatch(own, host)
  }

  private static func mismatch(_ certificate: Certificate, _ host: String) -> APIError {
    APIError(
      .transport, .certificateHostMismatch,
      certificate.dnsNames.isEmpty && certificate.addresses.isEmpty
        ? "the certificate names no host by subjectAltName; a common name does not count"
        : "the certificate is not for \(host)")
  }

  private func digest(_ der: [UInt8]) -> PinSet.Pin? {
    if case .publicKey = policy.pinning { return try? PinSet.Pin(publicKeyOf: der) }
    return try? PinSet.Pin(certificate: der)
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
