/// Encrypts what is sensitive before it goes to disk: AES-256-GCM, a fresh nonce each time.
///
/// What is sealed is bound to its place: a row or file moved to another key does not open.
struct CacheCipher: Sendable {
  private let key: SigningKey

  /// Nil when the key is not 32 bytes long.
  init?(_ key: SigningKey) {
    guard key.bytes.count == 32 else { return nil }
    self.key = key
  }

  /// What sealing adds to the length.
  static let overhead = Crypto.nonceLength + Crypto.tagLength

  /// Nonce, ciphertext and tag.
  func seal(_ plain: [UInt8], for place: CacheKey, part: String) -> [UInt8]? {
    Crypto.seal(plain, key: key.bytes, authenticating: place.bytes + Array(part.utf8))
  }

  /// What was sealed; nil when key, place or bytes are not the same.
  func open(_ sealed: [UInt8], for place: CacheKey, part: String) -> [UInt8]? {
    Crypto.open(sealed, key: key.bytes, authenticating: place.bytes + Array(part.utf8))
  }
}
