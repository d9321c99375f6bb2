/// The digests, the cipher and the randomness that signatures need; the system's own on each platform.
///
/// Extended by one file per platform, with `md5`, `sha1`, `sha256`, `HMACKey`, `seal`, `open` and `random`.
enum Crypto {
  /// The bytes of a nonce of AES-GCM.
  static let nonceLength = 12
  /// The bytes of a tag of AES-GCM.
  static let tagLength = 16

  /// Whether two texts of bytes are the same, in a time that depends on their lengths alone.
  static func constantTimeEquals(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    var difference: UInt8 = 0
    for (a, b) in zip(left, right) { difference |= a ^ b }
    return difference == 0
  }

  /// Encrypts under a new nonce, which stands before the ciphertext; nil for a key that does not have 32 bytes.
  static func seal(_ plain: [UInt8], key: [UInt8], authenticating context: some Sequence<UInt8>) -> [UInt8]? {
    // A nonce of this cipher must never come twice under one key, so it is not left to the caller.
    let nonce = random(nonceLength)
    return seal(plain, key: key, nonce: nonce, authenticating: Array(context)).map { nonce + $0 }
  }

  /// Decrypts what such a `seal` made; nil when key, context or bytes are not the same.
  static func open(_ sealed: [UInt8], key: [UInt8], authenticating context: some Sequence<UInt8>) -> [UInt8]?
  {
    guard sealed.count >= nonceLength else { return nil }
    return open(
      Array(sealed[nonceLength...]), key: key, nonce: Array(sealed[..<nonceLength]),
      authenticating: Array(context))
  }
}
