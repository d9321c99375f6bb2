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
}
