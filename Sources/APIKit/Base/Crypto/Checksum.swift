/// A 64-bit checksum that finds damage, eight bytes at a time; several times faster than a digest.
///
/// It does not protect against intent: anyone who can change the bytes can also make the checksum fit. Inlinable, because the
/// rows of a queue are checked in another module.
@usableFromInline package enum Checksum {
  /// The checksum of bytes.
  @inlinable package static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    // Odd constants from the golden ratio and xxHash. Each step is a bijection, so one changed word always
    // changes the result.
    var sum = UInt64(bytes.count) &* 0x9E37_79B9_7F4A_7C15
    var index = 0
    while index + 8 <= bytes.count {
      sum = mix(sum, UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)))
      index += 8
    }
    var rest: UInt64 = 0
    while index < bytes.count {
      rest = rest << 8 | UInt64(bytes[index])
      index += 1
    }
    return mix(sum, rest)
  }

  /// The checksum of bytes.
  package static func of(_ bytes: [UInt8]) -> UInt64 { bytes.withUnsafeBytes { of($0) } }

  /// The checksum of a text's UTF-8.
  package static func of(_ text: String) -> UInt64 {
    var text = text
    return text.withUTF8 { of(UnsafeRawBufferPointer($0)) }
  }

  /// One checksum from several; it depends on their order.
  @inlinable package static func combined(_ sums: UInt64...) -> UInt64 { sums.reduce(0, mix) }

  @inlinable @inline(__always) static func mix(_ sum: UInt64, _ word: UInt64) -> UInt64 {
    var mixed = (sum ^ word) &* 0xC2B2_AE3D_27D4_EB4F
    mixed ^= mixed >> 29
    return mixed
  }
}
