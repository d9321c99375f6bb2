// Apple platforms only; not compiled on Linux, where the project is tested.
#if canImport(CryptoKit)
  import CryptoKit
  import Foundation
  import Security

  extension Crypto {
    package static func sha512(_ bytes: [UInt8]) -> [UInt8] { Array(SHA512.hash(data: bytes)) }

    /// A private or a public key.
    package final class AsymmetricKey: Sendable {
      private enum Secret: Sendable {
        case ed25519(Curve25519.Signing.PrivateKey?, Curve25519.Signing.PublicKey)
        case p256(P256.Signing.PrivateKey?, P256.Signing.PublicKey)
        case p384(P384.Signing.PrivateKey?, P384.Signing.PublicKey)
        // A `SecKey` is immutable.
        case rsa(RSAKey)
      }

      /// A `SecKey`, which is immutable and may be used on any thread.
      private struct RSAKey: @unchecked Sendable {
        let key: SecKey
        let isPrivate: Bool
      }

      private let secret: Secret
      private let kind: KeyKind

      /// Nil when the bytes are no key of this kind. A private key is PKCS#8, PKCS#1 (RSA) or SEC 1 (curves); a public
      /// one is SubjectPublicKeyInfo or PKCS#1 (RSA).
      package init?(_ der: [UInt8], isPrivate: Bool, kind: KeyKind) {
        guard let secret = Self.secret(der, isPrivate: isPrivate, kind: kind) else { return nil }
        self.secret = secret
        self.kind = kind
      }

      private static func secret(_ der: [UInt8], isPrivate: Bool, kind: KeyKind) -> Secret? {
        switch kind {
        case .ed25519:
          let raw = isPrivate ? DERReader.innerKey(ofPKCS8: der) : DERReader.key(ofInfo: der)
          guard let raw else { return nil }
          guard isPrivate else {
            return (try? Curve25519.Signing.PublicKey(rawRepresentation: raw)).map { .ed25519(nil, $0) }
          }
          var inner = DERReader(raw[...])
          guard let seed = inner.read(0x04).map(Array.init) else { return nil }
          return (try? Curve25519.Signing.PrivateKey(rawRepresentation: seed)).map {
            .ed25519($0, $0.publicKey)
          }
        case .ecdsaP256:
          guard isPrivate else {
            return (try? P256.Signing.PublicKey(derRepresentation: der)).map { .p256(nil, $0) }
          }
          return (try? P256.Signing.PrivateKey(derRepresentation: der)).map { .p256($0, $0.publicKey) }
        case .ecdsaP384:
          guard isPrivate else {
            return (try? P384.Signing.PublicKey(derRepresentation: der)).map { .p384(nil, $0) }
          }
          return (try? P384.Signing.PrivateKey(derRepresentation: der)).map { .p384($0, $0.publicKey) }
        case .rsaPSS, .rsaPKCS1:
          // The system reads PKCS#1 only, which is inside of the other forms.
          let inner = isPrivate ? DERReader.innerKey(ofPKCS8: der) : DERReader.key(ofInfo: der)
          let attributes: [String: Any] = [
            kSecAttrKeyType as String: kSecAttrKeyTypeRSA,
            kSecAttrKeyClass as String: isPrivate ? kSecAttrKeyClassPrivate : kSecAttrKeyClassPublic,
          ]
          guard
            let key = SecKeyCreateWithData(Data(inner ?? der) as CFData, attributes as CFDictionary, nil),
            SecKeyGetBlockSize(key) * 8 >= KeyKind.leastRSABits
          else { return nil }
          return .rsa(RSAKey(key: key, isPrivate: isPrivate))
        }
      }

      private var algorithm: SecKeyAlgorithm {
        kind == .rsaPSS ? .rsaSignatureMessagePSSSHA512 : .rsaSignatureMessagePKCS1v15SHA256
      }

      /// The signature of a message; nil when the key is public or the operation fails.
      package func sign(_ message: [UInt8]) -> [UInt8]? {
        switch secret {
        case .ed25519(let key, _): return (try? key?.signature(for: message)).map { Array($0) }
        case .p256(let key, _): return (try? key?.signature(for: message)).map { Array($0.rawRepresentation) }
        case .p384(let key, _): return (try? key?.signature(for: message)).map { Array($0.rawRepresentation) }
        case .rsa(let key):
          guard key.isPrivate,
            let signature = SecKeyCreateSignature(key.key, algorithm, Data(message) as CFData, nil)
          else { return nil }
          return [UInt8](signature as Data)
        }
      }

      /// Whether a signature is that of the message by this key.
      package func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        switch secret {
        case .ed25519(_, let key): return key.isValidSignature(signature, for: message)
        case .p256(_, let key):
          guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else {
            return false
          }
          return key.isValidSignature(signature, for: message)
        case .p384(_, let key):
          guard let signature = try? P384.Signing.ECDSASignature(rawRepresentation: signature) else {
            return false
          }
          return key.isValidSignature(signature, for: message)
        case .rsa(let key):
          let publicKey = key.isPrivate ? SecKeyCopyPublicKey(key.key) : key.key
          guard let publicKey else { return false }
          return SecKeyVerifySignature(
            publicKey, algorithm, Data(message) as CFData, Data(signature) as CFData, nil)
        }
      }
    }
  }

  extension DERReader {
    /// The key inside of a PKCS#8 document; nil when it is none.
    fileprivate static func innerKey(ofPKCS8 der: [UInt8]) -> [UInt8]? {
      var outer = DERReader(der[...])
      guard var fields = outer.read(0x30).map(DERReader.init), fields.read(0x02) != nil,
        fields.read(0x30) != nil
      else { return nil }
      return fields.read(0x04).map { Array($0) }
    }

    /// The key inside of a SubjectPublicKeyInfo; nil when it is none.
    fileprivate static func key(ofInfo der: [UInt8]) -> [UInt8]? {
      var outer = DERReader(der[...])
      guard var fields = outer.read(0x30).map(DERReader.init), fields.read(0x30) != nil,
        let bits = fields.read(0x03), bits.first == 0
      else { return nil }
      return Array(bits.dropFirst())
    }
  }
#endif
