#if os(Linux)
  import CAPIKit

  extension Crypto {
    // Finding an algorithm by name costs more than a short digest, so each is fetched once. An EVP_MD is
    // immutable and its count is atomic: OpenSSL documents that threads may share it.
    nonisolated(unsafe) private static let fetchedMD5 = EVP_MD_fetch(nil, "MD5", nil)
    nonisolated(unsafe) private static let fetchedSHA1 = EVP_MD_fetch(nil, "SHA1", nil)
    nonisolated(unsafe) static let fetchedSHA256 = EVP_MD_fetch(nil, "SHA256", nil)
    nonisolated(unsafe) static let fetchedSHA512 = EVP_MD_fetch(nil, "SHA512", nil)
    nonisolated(unsafe) private static let fetchedAES = EVP_CIPHER_fetch(nil, "AES-256-GCM", nil)

    /// The digest; nil where the machine's policy (FIPS) forbids it.
    package static func md5(_ bytes: [UInt8]) -> [UInt8]? { digest(bytes, fetchedMD5, count: 16) }

    /// The digest; nil where the machine's policy (FIPS) forbids it.
    package static func sha1(_ bytes: [UInt8]) -> [UInt8]? { digest(bytes, fetchedSHA1, count: 20) }

    package static func sha256(_ bytes: [UInt8]) -> [UInt8] {
      // Policies permit SHA-256, and a digest of bytes in memory fails for no other reason.
      guard let digest = digest(bytes, fetchedSHA256, count: 32) else { preconditionFailure("no SHA-256") }
      return digest
    }

    static func digest(_ bytes: [UInt8], _ kind: OpaquePointer?, count: Int) -> [UInt8]? {
      guard let kind else { return nil }
      var isDone = false
      let digest = [UInt8](unsafeUninitializedCapacity: count) { target, written in
        isDone = EVP_Digest(bytes, bytes.count, target.baseAddress, nil, kind, nil) == 1
        written = isDone ? count : 0
      }
      return isDone ? digest : nil
    }

    /// The digest of chunks from a closure; nil or an empty chunk is the end.
    package static func sha256(reading next: () throws -> [UInt8]?) rethrows -> [UInt8] {
      try digest(reading: next, fetchedSHA256, count: 32)
    }

    /// The digest of chunks from a closure; nil or an empty chunk is the end.
    package static func sha512(reading next: () throws -> [UInt8]?) rethrows -> [UInt8] {
      try digest(reading: next, fetchedSHA512, count: 64)
    }

    private static func digest(
      reading next: () throws -> [UInt8]?, _ kind: OpaquePointer?, count: Int
    ) rethrows -> [UInt8] {
      let digest = EVP_MD_CTX_new()
      defer { EVP_MD_CTX_free(digest) }
      var done = EVP_DigestInit_ex2(digest, kind, nil)
      while let chunk = try next(), !chunk.isEmpty { done &= EVP_DigestUpdate(digest, chunk, chunk.count) }
      return [UInt8](unsafeUninitializedCapacity: count) { target, written in
        done &= EVP_DigestFinal_ex(digest, target.baseAddress, nil)
        precondition(done == 1, "OpenSSL refuses SHA-2")
        written = count
      }
    }

    nonisolated(unsafe) private static let fetchedHMAC = EVP_MAC_fetch(nil, "HMAC", nil)

    /// A key for HMAC-SHA256, prepared once: its schedule is half of the work of signing a short text.
    package final class HMACKey: Sendable {
      /// Begins again with the same key for each code: a context made anew takes a dozen allocations.
      private let context: Mutex<UnsafeContext>
      private static let digest: StaticString = "digest"

      /// Freed with the key, and used under its lock.
      private struct UnsafeContext: @unchecked Sendable { let pointer: OpaquePointer? }

      package init(_ key: [UInt8]) {
        let context = EVP_MAC_CTX_new(Crypto.fetchedHMAC)
        var name = Array("SHA256".utf8CString)
        // OpenSSL accepts no empty key. HMAC pads keys with zeros, so one zero byte is the same key.
        let key = key.isEmpty ? [0] : key
        let done = name.withUnsafeMutableBufferPointer { name in
          // The parameter keeps the pointer to its name, and a String's would be invalid after the call.
          let digest = UnsafeRawPointer(Self.digest.utf8Start).assumingMemoryBound(to: CChar.self)
          let settings = [
            OSSL_PARAM_construct_utf8_string(digest, name.baseAddress, 0), OSSL_PARAM_construct_end(),
          ]
          return EVP_MAC_init(context, key, key.count, settings)
        }
        precondition(done == 1, "OpenSSL refuses HMAC-SHA256")
        self.context = Mutex(UnsafeContext(pointer: context))
      }

      deinit { context.withLock { EVP_MAC_CTX_free($0.pointer) } }

      /// The authentication code of a message: 32 bytes.
      package func code(_ message: [UInt8]) -> [UInt8] {
        context.withLock { context in
          [UInt8](unsafeUninitializedCapacity: 32) { target, written in
            let done =
              EVP_MAC_init(context.pointer, nil, 0, nil) == 1
              && EVP_MAC_update(context.pointer, message, message.count) == 1
              && EVP_MAC_final(context.pointer, target.baseAddress, &written, 32) == 1
            precondition(done, "OpenSSL refuses HMAC-SHA256")
          }
        }
      }
    }

    /// Random bytes from the system's generator.
    package static func random(_ count: Int) -> [UInt8] {
      [UInt8](unsafeUninitializedCapacity: count) { target, written in
        precondition(RAND_bytes(target.baseAddress, Int32(count)) == 1, "the system has no randomness")
        written = count
      }
    }

    /// Encrypts with AES-256-GCM: the ciphertext, then the tag; nil for a key or nonce of the wrong length, and for 2 GiB or
    /// more, which OpenSSL does not take at once.
    static func seal(
      _ plain: [UInt8], key: [UInt8], nonce: [UInt8], authenticating context: [UInt8] = []
    ) -> [UInt8]? {
      guard key.count == 32, nonce.count == nonceLength, Int32(exactly: plain.count) != nil,
        let cipher = EVP_CIPHER_CTX_new()
      else { return nil }
      defer { EVP_CIPHER_CTX_free(cipher) }
      guard EVP_EncryptInit_ex2(cipher, fetchedAES, key, nonce, nil) == 1 else { return nil }
      var length: Int32 = 0
      guard EVP_EncryptUpdate(cipher, nil, &length, context, Int32(context.count)) == 1 else { return nil }
      var isSealed = false
      let sealed = [UInt8](unsafeUninitializedCapacity: plain.count + tagLength) { target, written in
        guard let base = target.baseAddress,
          EVP_EncryptUpdate(cipher, base, &length, plain, Int32(plain.count)) == 1,
          EVP_EncryptFinal_ex(cipher, base + plain.count, &length) == 1,
          EVP_CIPHER_CTX_ctrl(
            cipher, EVP_CTRL_AEAD_GET_TAG, Int32(tagLength), base + plain.count) == 1
        else { return }
        written = plain.count + tagLength
        isSealed = true
      }
      return isSealed ? sealed : nil
    }

    /// Decrypts what `seal` made; nil when key, nonce, context or bytes differ.
    static func open(
      _ sealed: [UInt8], key: [UInt8], nonce: [UInt8], authenticating context: [UInt8] = []
    ) -> [UInt8]? {
      let count = sealed.count - tagLength
      guard count >= 0, Int32(exactly: count) != nil, key.count == 32, nonce.count == nonceLength,
        let cipher = EVP_CIPHER_CTX_new()
      else { return nil }
      defer { EVP_CIPHER_CTX_free(cipher) }
      guard EVP_DecryptInit_ex2(cipher, fetchedAES, key, nonce, nil) == 1 else { return nil }
      var length: Int32 = 0
      guard EVP_DecryptUpdate(cipher, nil, &length, context, Int32(context.count)) == 1 else { return nil }
      var tag = Array(sealed[count...])
      guard EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_TAG, Int32(tagLength), &tag) == 1 else {
        return nil
      }
      var isOpen = false
      // At least one byte, because the final block needs an address even when it is empty.
      let plain = [UInt8](unsafeUninitializedCapacity: max(count, 1)) { target, written in
        guard let base = target.baseAddress,
          EVP_DecryptUpdate(cipher, base, &length, sealed, Int32(count)) == 1,
          EVP_DecryptFinal_ex(cipher, base + count, &length) == 1
        else { return }
        written = count
        isOpen = true
      }
      return isOpen ? plain : nil
    }
  }
#endif
