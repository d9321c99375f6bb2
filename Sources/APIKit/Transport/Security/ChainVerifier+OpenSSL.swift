#if os(Linux)
  import CAPIKit
  import Foundation

  /// Verifies chains by OpenSSL, and reads its verdict.
  enum ChainVerifier {
    /// The verified chain, or the one that was given and why it is not trusted.
    ///
    /// With the purpose, the level of strength and the partial chains of libcurl's connections.
    static func verify(
      _ chain: [[UInt8]], _ anchors: TrustAnchors, at now: Date
    ) -> (chain: [[UInt8]], fault: APIError?) {
      let untrusted = capikit_x509_stack_new()
      defer { capikit_x509_stack_free(untrusted) }
      for der in chain.dropFirst() { _ = parse(der).map { capikit_x509_push(untrusted, $0) } }
      guard let own = chain.first.flatMap(parse), let context = SSL_CTX_new(TLS_client_method()),
        let check = X509_STORE_CTX_new()
      else { return (chain, APIError(.transport, .certificateUntrusted, "there is no readable certificate")) }
      defer {
        X509_free(own)
        X509_STORE_CTX_free(check)
        SSL_CTX_free(context)
      }
      if anchors.includesSystem { SSL_CTX_set_default_verify_paths(context) }
      trust(anchors.roots, context)
      X509_STORE_CTX_init(check, SSL_CTX_get_cert_store(context), own, untrusted)
      X509_STORE_CTX_set_default(check, "ssl_server")
      let parameters = X509_STORE_CTX_get0_param(check)
      X509_VERIFY_PARAM_set_auth_level(parameters, SSL_CTX_get_security_level(context))
      X509_VERIFY_PARAM_set_flags(parameters, UInt(X509_V_FLAG_PARTIAL_CHAIN))
      X509_VERIFY_PARAM_set_time(parameters, time_t(now.timeIntervalSince1970))
      guard X509_verify_cert(check) == 1 else {
        return (chain, fault(Int(X509_STORE_CTX_get_error(check))))
      }
      return (X509_STORE_CTX_get0_chain(check).map(certificates) ?? chain, nil)
    }

    /// Adds authorities to those that a context trusts.
    static func trust(_ roots: [[UInt8]], _ context: OpaquePointer) {
      let store = SSL_CTX_get_cert_store(context)
      for root in roots.compactMap(parse) {
        // One that is there already is no error.
        X509_STORE_add_cert(store, root)
        X509_free(root)
      }
    }

    /// A certificate in DER.
    static func bytes(of certificate: OpaquePointer) -> [UInt8] {
      Crypto.der { i2d_X509(certificate, $0) }
    }

    /// The certificates of OpenSSL's list, in DER.
    static func certificates(_ list: OpaquePointer) -> [[UInt8]] {
      (0..<capikit_x509_count(list)).compactMap { capikit_x509_at(list, $0).map(bytes) }
    }

    /// A distinguished name in DER.
    static func bytes(ofName name: OpaquePointer?) -> [UInt8] { Crypto.der { i2d_X509_NAME(name, $0) } }

    private static func parse(_ der: [UInt8]) -> OpaquePointer? {
      der.withUnsafeBufferPointer { bytes in
        var start = bytes.baseAddress
        return d2i_X509(nil, &start, bytes.count)
      }
    }

    /// Why a chain is not trusted; nil for `X509_V_OK`.
    static func fault(_ verdict: Int) -> APIError? {
      guard verdict != 0 else { return nil }
      let text = X509_verify_cert_error_string(verdict).map { String(cString: $0) } ?? "error \(verdict)"
      return APIError(.transport, reason(verdict), "\(reason(verdict).text): \(text)")
    }

    /// The reason of an `X509_V_ERR_…`.
    static func reason(_ verdict: Int) -> APIError.Reason {
      switch verdict {
      case 9: .certificateNotYetValid  // X509_V_ERR_CERT_NOT_YET_VALID
      case 10: .certificateExpired  // X509_V_ERR_CERT_HAS_EXPIRED
      case 18: .certificateSelfSigned  // X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT
      case 23: .certificateRevoked  // X509_V_ERR_CERT_REVOKED
      // X509_V_ERR_PATH_LENGTH_EXCEEDED, …INVALID_PURPOSE, …CERT_REJECTED, …KEYUSAGE_NO_CERTSIGN, …INVALID_NON_CA, name
      // constraints (…PERMITTED_VIOLATION to …UNSUPPORTED_NAME_SYNTAX), …INVALID_CA (24 before OpenSSL 3).
      case 24, 25, 26, 28, 32, 37, 47...53, 79: .certificateUnsuitable
      // X509_V_ERR_EE_KEY_TOO_SMALL, …CA_KEY_TOO_SMALL, …CA_MD_TOO_WEAK
      case 66, 67, 68: .certificateTooWeak
      case 62, 64: .certificateHostMismatch  // X509_V_ERR_HOSTNAME_MISMATCH, …IP_ADDRESS_MISMATCH
      default: .certificateUntrusted  // 19, 20, 21: the chain ends at no trusted authority
      }
    }
  }
#endif
