#if os(Linux)
  import CAPIKit
  import Foundation

  /// The checks of a server's certificate that OpenSSL does not make: pins, and names by subjectAltName only.
  ///
  /// Run when the connection is established and before the request is sent, on reused connections too,
  /// since a connection that failed may stay in libcurl's pool. A connection that passed is marked and not
  /// checked again.
  struct CurlPinning {
    private let pins: PinSet?
    private let pinsKeys: Bool
    private let provesChain: Bool
    private let checksNames: Bool

    /// The index of the mark in OpenSSL's data of a connection.
    private static let slot = capikit_ssl_new_index()
    /// The mark of a connection that passed: any pointer but null.
    private static var passed: UnsafeMutableRawPointer? { UnsafeMutableRawPointer(bitPattern: 1) }

    init(_ policy: TLSPolicy) {
      pins = policy.pinning.pins
      pinsKeys = if case .publicKey = policy.pinning { true } else { false }
      provesChain = !policy.allowsInvalidCertificates
      checksNames = !policy.skipsHostValidation
    }

    func check(_ ssl: OpaquePointer, host: String) throws(APIError) {
      guard SSL_get_ex_data(ssl, Self.slot) == nil else { return }
      guard let leaf = SSL_get1_peer_certificate(ssl) else {
        throw APIError(.transport, .certificateUntrusted, "the server showed no certificate")
      }
      defer { X509_free(leaf) }
      if checksNames, capikit_x509_names_hosts(leaf) == 0 {
        // libcurl falls back to the common name, which RFC 9525 (6.2) forbids.
        throw APIError(
          .transport, .certificateHostMismatch,
          "the certificate names no host by subjectAltName; a common name does not count")
      }
      if let pins, let entry = pins.entry(for: host, at: Date()) {
        try pins.check(shown(ssl, leaf), entry, host: host)
      }
      SSL_set_ex_data(ssl, Self.slot, Self.passed)
    }

    /// The digests of the verified chain, the server's own certificate first; of that alone when the chain
    /// is not verified.
    private func shown(_ ssl: OpaquePointer, _ leaf: OpaquePointer) -> [PinSet.Pin] {
      guard provesChain, let chain = SSL_get0_verified_chain(ssl) else {
        return [digest(leaf)].compactMap { $0 }
      }
      return (0..<capikit_x509_count(chain)).compactMap { index in
        capikit_x509_at(chain, index).flatMap(digest)
      }
    }

    private func digest(_ certificate: OpaquePointer) -> PinSet.Pin? {
      var bytes = [UInt8](repeating: 0, count: 32)
      guard capikit_x509_digest(certificate, pinsKeys ? 1 : 0, &bytes) == 1 else { return nil }
      return try? PinSet.Pin(digest: bytes)
    }
  }
#endif
