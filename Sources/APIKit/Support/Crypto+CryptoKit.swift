// Apple platforms only; the machines used for this project cannot compile it.
#if canImport(CryptoKit)
  import CryptoKit
  import Foundation

  extension Crypto {
    static func md5(_ bytes: [UInt8]) -> [UInt8]? { Array(Insecure.MD5.hash(data: bytes)) }

    static func sha1(_ bytes: [UInt8]) -> [UInt8]? { Array(Insecure.SHA1.hash(data: bytes)) }

    static func sha256(_ bytes: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: bytes)) }

    /// The digest of chunks that a closure gives; nil or an empty one ends them.
    static func sha256(reading next: () throws -> [UInt8]?) rethrows -> [UInt8] {
      var digest = SHA256()
      while let chunk = try next(), !chunk.isEmpty { digest.update(data: chunk) }
      return Array(digest.finalize())
    }

    /// A key of HMAC-SHA256.
    final class HMACKey: Sendable {
      private let key: SymmetricKey

      init(_ key: [UInt8]) { self.key = SymmetricKey(data: key) }

      /// The code of a message: 32 bytes.
      func code(_ message: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: message, using: key))
      }
    }

    /// Fills an array from the system's generator.
    static func random(_ count: Int) -> [UInt8] {
      var generator = SystemRandomNumberGenerator()
      return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// Encrypts with AES-256-GCM: the ciphertext and after it the tag; nil for a key or nonce of wrong length.
    static func seal(
      _ plain: [UInt8], key: [UInt8], nonce: [UInt8], authenticating context: [UInt8] = []
    ) -> [UInt8]? {
      guard key.count == 32, nonce.count == nonceLength, let nonce = try? AES.GCM.Nonce(data: nonce),
        let box = try? AES.GCM.seal(
          plain, using: SymmetricKey(data: key), nonce: nonce, authenticating: context)
      else { return nil }
      return Array(box.ciphertext) + Array(box.tag)
    }

    /// Decrypts what `seal` made; nil when key, nonce, context or bytes are not the same.
    static func open(
      _ sealed: [UInt8], key: [UInt8], nonce: [UInt8], authenticating context: [UInt8] = []
    ) -> [UInt8]? {
      guard key.count == 32, nonce.count == nonceLength, sealed.count >= tagLength,
        let nonce = try? AES.GCM.Nonce(data: nonce),
        let box = try? AES.GCM.SealedBox(
          nonce: nonce, ciphertext: sealed.dropLast(tagLength), tag: sealed.suffix(tagLength)),
        let plain = try? AES.GCM.open(box, using: SymmetricKey(data: key), authenticating: context)
      else { return nil }
      return Array(plain)
    }
  }
#endif
