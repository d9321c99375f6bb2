// Apple platforms only; not compiled on Linux, where the project is tested.
#if canImport(CryptoKit)
  import CryptoKit
  import Foundation

  extension Crypto {
    package static func md5(_ bytes: [UInt8]) -> [UInt8]? { Array(Insecure.MD5.hash(data: bytes)) }

    package static func sha1(_ bytes: [UInt8]) -> [UInt8]? { Array(Insecure.SHA1.hash(data: bytes)) }

    package static func sha256(_ bytes: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: bytes)) }

    /// The digest of chunks from a closure; nil or an empty chunk is the end.
    package static func sha256(reading next: () throws -> [UInt8]?) rethrows -> [UInt8] {
      var digest = SHA256()
      while let chunk = try next(), !chunk.isEmpty { digest.update(data: chunk) }
      return Array(digest.finalize())
    }

    /// The digest of chunks from a closure; nil or an empty chunk is the end.
    package static func sha512(reading next: () throws -> [UInt8]?) rethrows -> [UInt8] {
      var digest = SHA512()
      while let chunk = try next(), !chunk.isEmpty { digest.update(data: chunk) }
      return Array(digest.finalize())
    }

    /// A key for HMAC-SHA256.
    package final class HMACKey: Sendable {
      private let key: SymmetricKey

      package init(_ key: [UInt8]) { self.key = SymmetricKey(data: key) }

      /// The authentication code of a message: 32 bytes.
      package func code(_ message: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: message, using: key))
      }
    }

    /// Random bytes from the system's generator.
    package static func random(_ count: Int) -> [UInt8] {
      var generator = SystemRandomNumberGenerator()
      return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// Encrypts with AES-256-GCM: the ciphertext, then the tag; nil for a key or nonce of the wrong length.
    static func seal(
      _ plain: [UInt8], key: [UInt8], nonce: [UInt8], authenticating context: [UInt8] = []
    ) -> [UInt8]? {
      guard key.count == 32, nonce.count == nonceLength, let nonce = try? AES.GCM.Nonce(data: nonce),
        let box = try? AES.GCM.seal(
          plain, using: SymmetricKey(data: key), nonce: nonce, authenticating: context)
      else { return nil }
      return Array(box.ciphertext) + Array(box.tag)
    }

    /// Decrypts what `seal` made; nil when key, nonce, context or bytes differ.
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
