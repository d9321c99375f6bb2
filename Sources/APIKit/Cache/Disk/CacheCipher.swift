/// Encrypts sensitive responses for the disk: AES-256-GCM with a new nonce each time.
///
/// What is sealed is bound to its key and part: it cannot be opened under another key.
struct CacheCipher: Sendable {
  private let key: SigningKey

  /// Nil when the key is not 32 bytes long.
  init?(_ key: SigningKey) {
    guard key.bytes.count == 32 else { return nil }
    self.key = key
  }

  /// The bytes that sealing adds.
  static let overhead = Crypto.nonceLength + Crypto.tagLength

  /// Returns nonce, ciphertext and tag; nil when the encryption fails.
  func seal(_ plain: [UInt8], for place: CacheKey, part: String) -> [UInt8]? {
    Crypto.seal(plain, key: key.bytes, authenticating: place.bytes + Array(part.utf8))
  }

  /// The plain bytes; nil when the key or the place differs or the bytes were changed.
  func open(_ sealed: [UInt8], for place: CacheKey, part: String) -> [UInt8]? {
    Crypto.open(sealed, key: key.bytes, authenticating: place.bytes + Array(part.utf8))
  }
}
