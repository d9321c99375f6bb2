#if os(Linux)
  import CAPIKit

  extension Crypto {
    nonisolated(unsafe) private static let fetchedSHA384 = EVP_MD_fetch(nil, "SHA384", nil)

    package static func sha512(_ bytes: [UInt8]) -> [UInt8] {
      guard let digest = digest(bytes, fetchedSHA512, count: 64) else { preconditionFailure("no SHA-512") }
      return digest
    }

    /// The output of an `i2d` function of OpenSSL, which returns the length when it is given no buffer; empty where it fails.
    static func der(_ encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32) -> [UInt8] {
      let length = encode(nil)
      guard length > 0 else { return [] }
      return [UInt8](unsafeUninitializedCapacity: Int(length)) { target, written in
        var end = target.baseAddress
        written = Int(max(0, encode(&end)))
      }
    }

    /// A private or a public key.
    package final class AsymmetricKey: @unchecked Sendable {
      // Unchecked because of the pointer: after init the key is only read, and each operation has a context of its
      // own. OpenSSL allows that on several threads (openssl-threads(7)).
      private let key: OpaquePointer
      private let kind: KeyKind

      /// Nil when the bytes are no key of this kind. A private key is PKCS#8, PKCS#1 (RSA) or SEC 1 (curves); a public
      /// one is SubjectPublicKeyInfo or PKCS#1 (RSA).
      package init?(_ der: [UInt8], isPrivate: Bool, kind: KeyKind) {
        let read = der.withUnsafeBufferPointer { bytes -> OpaquePointer? in
          var start = bytes.baseAddress
          if isPrivate { return d2i_AutoPrivateKey(nil, &start, bytes.count) }
          if let key = d2i_PUBKEY(nil, &start, bytes.count) { return key }
          start = bytes.baseAddress
          return kind.isRSA ? d2i_PublicKey(EVP_PKEY_RSA, nil, &start, bytes.count) : nil
        }
        // Others of this thread, libcurl among them, read the queue of errors.
        ERR_clear_error()
        guard let read else { return nil }
        guard Self.fits(read, kind) else {
          EVP_PKEY_free(read)
          return nil
        }
        key = read
        self.kind = kind
      }

      deinit { EVP_PKEY_free(key) }

      private static func fits(_ key: OpaquePointer, _ kind: KeyKind) -> Bool {
        let id = EVP_PKEY_get_base_id(key)
        switch kind {
        case .ed25519: return id == EVP_PKEY_ED25519
        case .ecdsaP256: return id == EVP_PKEY_EC && curve(of: key) == "prime256v1"
        case .ecdsaP384: return id == EVP_PKEY_EC && curve(of: key) == "secp384r1"
        case .rsaPSS, .rsaPKCS1:
          return (id == EVP_PKEY_RSA || (kind == .rsaPSS && id == EVP_PKEY_RSA_PSS))
            && EVP_PKEY_get_bits(key) >= KeyKind.leastRSABits
        }
      }

      private static func curve(of key: OpaquePointer) -> String? {
        var name = [CChar](repeating: 0, count: 64)
        var length = 0
        guard EVP_PKEY_get_group_name(key, &name, name.count, &length) == 1 else { return nil }
        return String(decoding: name.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
      }

      private var digest: OpaquePointer? {
        switch kind {
        case .ed25519: nil
        case .ecdsaP256, .rsaPKCS1: Crypto.fetchedSHA256
        case .ecdsaP384: Crypto.fetchedSHA384
        case .rsaPSS: Crypto.fetchedSHA512
        }
      }

      private func pads(_ options: OpaquePointer?) -> Bool {
        switch kind {
        case .rsaPSS:
          EVP_PKEY_CTX_set_rsa_padding(options, RSA_PKCS1_PSS_PADDING) == 1
            && EVP_PKEY_CTX_set_rsa_pss_saltlen(options, 64) == 1
        case .rsaPKCS1: EVP_PKEY_CTX_set_rsa_padding(options, RSA_PKCS1_PADDING) == 1
        case .ed25519, .ecdsaP256, .ecdsaP384: true
        }
      }

      /// The signature of a message; nil when the key is public or the operation fails.
      package func sign(_ message: [UInt8]) -> [UInt8]? {
        guard let context = EVP_MD_CTX_new() else { return nil }
        defer {
          EVP_MD_CTX_free(context)
          ERR_clear_error()
        }
        var options: OpaquePointer?
        var count = 0
        guard EVP_DigestSignInit(context, &options, digest, nil, key) == 1, pads(options),
          EVP_DigestSign(context, nil, &count, message, message.count) == 1
        else { return nil }
        var isDone = false
        let signature = [UInt8](unsafeUninitializedCapacity: count) { target, written in
          isDone = EVP_DigestSign(context, target.baseAddress, &count, message, message.count) == 1
          written = isDone ? count : 0
        }
        guard isDone else { return nil }
        guard let half = kind.halfLength else { return signature }
        return Self.halves(ofDER: signature, half)
      }

      /// Whether a signature is that of the message by this key.
      package func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        var signature = signature
        if let half = kind.halfLength {
          guard signature.count == 2 * half, let der = Self.der(ofHalves: signature, half) else {
            return false
          }
          signature = der
        }
        guard let context = EVP_MD_CTX_new() else { return false }
        defer {
          EVP_MD_CTX_free(context)
          ERR_clear_error()
        }
        var options: OpaquePointer?
        return EVP_DigestVerifyInit(context, &options, digest, nil, key) == 1 && pads(options)
          && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
      }

      /// r and s, which OpenSSL writes in DER, one after the other.
      private static func halves(ofDER der: [UInt8], _ half: Int) -> [UInt8]? {
        let pair = der.withUnsafeBufferPointer { bytes in
          var start = bytes.baseAddress
          return d2i_ECDSA_SIG(nil, &start, bytes.count)
        }
        guard let pair else { return nil }
        defer { ECDSA_SIG_free(pair) }
        var raw = [UInt8](repeating: 0, count: 2 * half)
        let isDone = raw.withUnsafeMutableBufferPointer { raw in
          BN_bn2binpad(ECDSA_SIG_get0_r(pair), raw.baseAddress, Int32(half)) == half
            && BN_bn2binpad(ECDSA_SIG_get0_s(pair), raw.baseAddress.map { $0 + half }, Int32(half)) == half
        }
        return isDone ? raw : nil
      }

      private static func der(ofHalves raw: [UInt8], _ half: Int) -> [UInt8]? {
        guard let pair = ECDSA_SIG_new() else { return nil }
        defer { ECDSA_SIG_free(pair) }
        let (r, s) = raw.withUnsafeBufferPointer { raw in
          (
            BN_bin2bn(raw.baseAddress, Int32(half), nil),
            BN_bin2bn(raw.baseAddress.map { $0 + half }, Int32(half), nil)
          )
        }
        // The pair owns both from here on.
        guard ECDSA_SIG_set0(pair, r, s) == 1 else {
          BN_free(r)
          BN_free(s)
          return nil
        }
        let der = Crypto.der { i2d_ECDSA_SIG(pair, $0) }
        return der.isEmpty ? nil : der
      }
    }
  }
#endif
