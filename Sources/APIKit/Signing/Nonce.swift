import Synchronization

/// Texts that no two attempts share: 128 random bits each, in hexadecimal.
///
/// Random bits are taken from the system for many nonces at once: asking for each alone costs more than the
/// digest it goes into.
enum Nonce {
  private struct Pool {
    var bits: [UInt64] = []
  }

  private static let pool = Mutex(Pool())

  static func make() -> String {
    let (high, low) = pool.withLock { pool in
      if pool.bits.isEmpty {
        let bytes = Crypto.random(128 * 8)
        pool.bits = bytes.withUnsafeBytes { Array($0.bindMemory(to: UInt64.self)) }
      }
      return (pool.bits.removeLast(), pool.bits.removeLast())
    }
    return String(unsafeUninitializedCapacity: 32) { buffer in
      write(high, into: buffer, at: 0)
      write(low, into: buffer, at: 16)
      return 32
    }
  }

  private static func write(_ bits: UInt64, into buffer: UnsafeMutableBufferPointer<UInt8>, at start: Int) {
    for digit in 0..<16 {
      let nibble = UInt8(truncatingIfNeeded: bits >> UInt64(60 - 4 * digit)) & 0xF
      buffer[start + digit] = nibble < 10 ? nibble + 0x30 : nibble + 0x57
    }
  }
}
