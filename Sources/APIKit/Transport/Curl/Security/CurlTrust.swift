#if os(Linux)
  import CAPIKit
  import Foundation

  /// The checks of a server's certificate that OpenSSL does not make: pins, and names by subjectAltName only.
  ///
  /// Run when the connection is established and before the request is sent, on reused connections too,
  /// since a connection that failed may stay in libcurl's pool. A connection that passed is marked and not
  /// checked again.
  struct CurlTrust {
    private let trust: ServerTrust
    private let pins: PinSet?
    private let checksNames: Bool
    /// Whether the pins of any host replace its chain.
    private let mayReplaceChains: Bool

    /// The index of the mark in OpenSSL's data of a connection.
    private static let slot = capikit_ssl_new_index()
    /// The mark of a connection that passed: any pointer but null.
    private static var passed: UnsafeMutableRawPointer? { UnsafeMutableRawPointer(bitPattern: 1) }

    init(_ policy: TLSPolicy) {
      trust = ServerTrust(policy: policy)
      pins = policy.pinning.pins
      checksNames = !policy.skipsHostValidation
      mayReplaceChains = policy.pinning.pins?.hosts.contains(where: \.replacesChain) ?? false
    }

    /// Whether libcurl must not verify the chain of a host, because its pins replace the chain.
    func replacesChain(of host: String) -> Bool {
      mayReplaceChains && pins?.entry(for: host, at: Date())?.replacesChain == true
    }

    /// Whether a transfer may use the connection: it is new, or was accepted by the same authority, which is the policy or
    /// this handler.
    func mayUse(_ ssl: OpaquePointer, in context: CurlChallengeContext?) -> Bool {
      let mark = SSL_get_ex_data(ssl, Self.slot)
      guard let context else { return mark == nil || mark == Self.passed }
      return mark == context.mark
    }

    /// Verifies the chain of a handshake, and throws why the server is not accepted: the reason, or a
    /// ``RaisedChallenge`` when the handler has not decided yet. Marks the connection otherwise.
    func accept(
      _ store: OpaquePointer, _ ssl: OpaquePointer, in context: CurlChallengeContext
    ) throws(APIError) {
      X509_verify_cert(store)
      let verdict = ChainVerifier.fault(Int(X509_STORE_CTX_get_error(store)))
      let list = verdict == nil ? X509_STORE_CTX_get0_chain(store) : X509_STORE_CTX_get0_untrusted(store)
      let chain = list.map(ChainVerifier.certificates) ?? []
      var fault: APIError?
      do throws(APIError) { try trust.check(chain, fault: verdict, host: context.space.host) } catch {
        fault = error
      }
      guard let word = context.handler.word(on: RaisedChallenge.question(of: chain, context.space)) else {
        throw RaisedChallenge.server(chain: chain, fault: fault).error
      }
      let challenge = AuthenticationChallenge(.serverTrust(chain: chain, fault: fault), space: context.space)
      if case .fail(let error) = ChallengeDecision(challenge, word, identity: nil) { throw error }
      X509_STORE_CTX_set_error(store, X509_V_OK)
      SSL_set_ex_data(ssl, Self.slot, context.mark)
    }

    /// Makes the checks that OpenSSL does not make, once per connection.
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
      if pins != nil {
        // OpenSSL's verdict counts again: pins that replaced the chain may have expired in this moment.
        let fault = ChainVerifier.fault(SSL_get_verify_result(ssl))
        let chain = SSL_get0_verified_chain(ssl).map(ChainVerifier.certificates) ?? []
        try trust.check(
          chain.isEmpty ? [ChainVerifier.bytes(of: leaf)] : chain, fault: fault, host: host)
      }
      SSL_set_ex_data(ssl, Self.slot, Self.passed)
    }
  }
#endif
