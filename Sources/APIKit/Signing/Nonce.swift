import Synchronization

/// Texts that no two attempts share: 128 random bits each, in hexadecimal.
///
/// Random bits are taken from the system for many nonces at once: asking for each alone costs more than the
/// digest it goes into.
enum Nonce {
  private static let pool = Mutex<[UInt8]>([])

  static func make() -> String {
    let bytes = pool.withLock { pool in
      if pool.isEmpty { pool = Crypto.random(16 * 128) }
      defer { pool.removeLast(16) }
      return Array(pool.suffix(16))
    }
    return Hex.encode(bytes)
  }
}
