extension Crypto {
  /// What a pair of keys signs with.
  package enum KeyKind: Sendable, Hashable {
    case ed25519
    /// Curve P-256 with SHA-256; the signature is r and s, 32 bytes each.
    case ecdsaP256
    /// Curve P-384 with SHA-384; the signature is r and s, 48 bytes each.
    case ecdsaP384
    /// RSA with the padding PSS, SHA-512 and a salt of 64 bytes.
    case rsaPSS
    /// RSA with the padding of PKCS#1 1.5 and SHA-256.
    case rsaPKCS1

    var isRSA: Bool { self == .rsaPSS || self == .rsaPKCS1 }

    /// The bytes of r and of s; nil where the signature is one number.
    var halfLength: Int? {
      switch self {
      case .ecdsaP256: 32
      case .ecdsaP384: 48
      case .ed25519, .rsaPSS, .rsaPKCS1: nil
      }
    }

    /// The fewest bits of an RSA key.
    static let leastRSABits = 2048
  }
}
