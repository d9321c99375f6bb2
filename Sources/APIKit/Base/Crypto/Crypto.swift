/// Digests, a cipher and random bytes, from the library of each platform.
///
/// One file per platform adds `md5`, `sha1`, `sha256`, `sha512`, `HMACKey`, `seal`, `open` and `random`.
package enum Crypto {
  /// The length of an AES-GCM nonce in bytes.
  package static let nonceLength = 12
  /// The length of an AES-GCM tag in bytes.
  package static let tagLength = 16

  /// Whether two byte sequences are equal, in a time that depends only on their lengths.
  package static func constantTimeEquals(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>)
    -> Bool
  {
    guard left.count == right.count else { return false }
    var difference: UInt8 = 0
    for (a, b) in zip(left, right) { difference |= a ^ b }
    return difference == 0
  }

  /// The SHA-256 of several texts in hexadecimal digits; nil differs from an empty text.
  package static func digest(of texts: [String?]) -> String {
    var bytes: [UInt8] = []
    for text in texts {
      let utf8 = text.map { Array($0.utf8) }
      // Each text has its length before it, so that different texts never make the same bytes.
      withUnsafeBytes(of: (utf8?.count ?? -1).littleEndian) { bytes.append(contentsOf: $0) }
      bytes += utf8 ?? []
    }
    return Hex.encode(sha256(bytes))
  }

  /// Encrypts under a new nonce, which precedes the ciphertext; nil for a key that is not 32 bytes long.
  package static func seal(_ plain: [UInt8], key: [UInt8], authenticating context: some Sequence<UInt8>)
    -> [UInt8]?
  {
    // A nonce must never be used twice with one key, so it is not left to the caller.
    let nonce = random(nonceLength)
    return seal(plain, key: key, nonce: nonce, authenticating: Array(context)).map { nonce + $0 }
  }

  /// Decrypts what this `seal` made; nil when key, context or bytes differ.
  package static func open(_ sealed: [UInt8], key: [UInt8], authenticating context: some Sequence<UInt8>)
    -> [UInt8]?
  {
    guard sealed.count >= nonceLength else { return nil }
    return open(
      Array(sealed[nonceLength...]), key: key, nonce: Array(sealed[..<nonceLength]),
      authenticating: Array(context))
  }
}
