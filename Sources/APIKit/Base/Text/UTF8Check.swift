/// Checks UTF-8 as it comes, in pieces of any size: a malformed sequence is found at its first wrong byte.
///
/// Overlong forms, surrogates and values above U+10FFFF are malformed (RFC 3629, section 4).
package struct UTF8Check {
  /// How many bytes of the present sequence are missing.
  private var missing = 0
  /// The range of the next byte.
  private var lower: UInt8 = 0x80
  private var upper: UInt8 = 0xBF

  package init() {}

  /// Whether the bytes so far end with a whole sequence.
  package var isComplete: Bool { missing == 0 }

  /// Takes the next bytes; false when they cannot be part of UTF-8. It must not be used afterwards.
  package mutating func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var index = 0
    while index < bytes.count {
      if missing == 0 {
        // Mostly ASCII: eight bytes at a time.
        while index + 8 <= bytes.count,
          bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
        {
          index += 8
        }
        guard index < bytes.count else { return true }
        let byte = bytes[index]
        index += 1
        if byte < 0x80 { continue }
        guard begin(byte) else { return false }
      } else {
        let byte = bytes[index]
        guard byte >= lower, byte <= upper else { return false }
        (lower, upper) = (0x80, 0xBF)
        missing -= 1
        index += 1
      }
    }
    return true
  }

  /// The first byte of a longer sequence.
  private mutating func begin(_ byte: UInt8) -> Bool {
    switch byte {
    case 0xC2...0xDF: missing = 1
    case 0xE0...0xEF:
      missing = 2
      if byte == 0xE0 { lower = 0xA0 }
      if byte == 0xED { upper = 0x9F }
    case 0xF0...0xF4:
      missing = 3
      if byte == 0xF0 { lower = 0x90 }
      if byte == 0xF4 { upper = 0x8F }
    default: return false
    }
    return true
  }
}
