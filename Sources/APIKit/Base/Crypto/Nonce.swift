/// Makes unique texts of 128 random bits, in hexadecimal digits.
///
/// Random bits for many nonces are read from the system at once, because a separate call for each takes
/// longer than the digest that the nonce is part of.
package enum Nonce {
  private static let pool = Mutex<[UInt8]>([])

  package static func make() -> String {
    pool.withLock { pool in
      if pool.isEmpty { pool = Crypto.random(16 * 128) }
      defer { pool.removeLast(16) }
      return Hex.encode(pool.suffix(16))
    }
  }
}
