extension RawParser {
  /// The bytes of a document. What does not change stands apart from the tape: each call of a method that does not change
  /// its value would otherwise keep a copy of the whole parser.
  struct Source {
    /// Every read is of `base[i]` with `0 <= i < end`, after a check of `i` against `end`; reads of 4 or 8
    /// bytes follow a check that as many remain.
    let base: UnsafePointer<UInt8>
    let end: Int
  }
}

extension RawParser.Source {
  @inline(__always)
  func literal(_ i: Int, _ word: UInt32) -> Bool {
    i + 4 <= end
      && UInt32(littleEndian: UnsafeRawPointer(base + i).loadUnaligned(as: UInt32.self)) == word
  }

  /// Skips spaces, tabs and line ends. Usually there are none; indentation comes in runs.
  @inline(__always)
  func skipSpace(_ i: inout Int) {
    if i < end, base[i] > 0x20 { return }
    i = spaceEnd(i)
  }

  /// What is not inlined takes and returns an index: one whose address is passed would have no register in the loop.
  @inline(never)
  private func spaceEnd(_ start: Int) -> Int {
    var i = start
    while i < end {
      let byte = base[i]
      guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { break }
      i += 1
      while i + 8 <= end,
        UnsafeRawPointer(base + i).loadUnaligned(as: UInt64.self) == 0x2020_2020_2020_2020
      { i += 8 }
    }
    return i
  }

  @inline(__always)
  func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

  @inline(__always)
  func skipDigits(_ i: inout Int) {
    while i < end, isDigit(base[i]) { i += 1 }
  }

  /// Skips plain ASCII: stops at a quote, a backslash, a control character, a byte above 0x7F, or the end.
  @inline(__always)
  func skipPlain(_ i: inout Int) {
    while i + 8 <= end {
      let stops = Self.attention(UnsafeRawPointer(base + i).loadUnaligned(as: UInt64.self))
      if stops != 0 {
        i += stops.trailingZeroBitCount / 8
        return
      }
      i += 8
    }
    while i < end {
      let byte = base[i]
      guard byte >= 0x20, byte < 0x80, byte != 0x22, byte != 0x5C else { return }
      i += 1
    }
  }

  /// Sets the high bit of the lanes that contain a quote, a backslash, a control character or a byte above
  /// 0x7F.
  ///
  /// A subtraction sets it in lanes below the subtrahend, and in some above 0x7F, which are searched for
  /// anyway. A borrow can reach the next lane only from a lane whose own bit is set, so the lowest set bit
  /// is exact, and no other is used. The code uses words with explicit lanes instead of SIMD types, because
  /// those of the standard library are compiled here to operations on single bytes, at a twentieth of the
  /// speed.
  @inline(__always)
  private static func attention(_ word: UInt64) -> UInt64 {
    let word = UInt64(littleEndian: word)
    let ones: UInt64 = 0x0101_0101_0101_0101
    let control = word &- ones &* 0x20
    let quote = (word ^ ones &* 0x22) &- ones
    let backslash = (word ^ ones &* 0x5C) &- ones
    return (control | quote | backslash | word) & (ones &* 0x80)
  }

  /// The index after an escape; that of the fault, negative, for none. Surrogates need not be paired: the reader decides
  /// what an unpaired one becomes.
  @inline(never)
  func escapeEnd(_ i: Int) -> Int {
    guard i + 1 < end else { return -end }
    switch base[i + 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return i + 2
    case UInt8(ascii: "u"):
      guard i + 6 <= end else { return -i }
      for offset in 2..<6 where Hex.value(of: base[i + offset]) == nil { return -i }
      return i + 6
    default: return -i
    }
  }

  /// The index after a run of sequences of two to four bytes, as table 3-7 of the Unicode Standard allows them: no
  /// overlong forms, no surrogates, nothing above U+10FFFF. That of the first other one, negative.
  @inline(never)
  func nonASCIIEnd(_ start: Int) -> Int {
    var i = start
    while i < end {
      let first = base[i]
      switch first {
      case ..<0x80: return i
      case 0xE1...0xEC, 0xEE...0xEF:
        guard i + 3 <= end, isTrail(base[i + 1]), isTrail(base[i + 2]) else { return -i }
        i += 3
      case 0xC2...0xDF:
        guard i + 2 <= end, isTrail(base[i + 1]) else { return -i }
        i += 2
      case 0xE0:
        guard i + 3 <= end, base[i + 1] & 0xE0 == 0xA0, isTrail(base[i + 2]) else { return -i }
        i += 3
      case 0xED:
        guard i + 3 <= end, base[i + 1] & 0xE0 == 0x80, isTrail(base[i + 2]) else { return -i }
        i += 3
      case 0xF0...0xF4:
        guard i + 4 <= end, isTrail(base[i + 1]), isTrail(base[i + 2]), isTrail(base[i + 3]) else {
          return -i
        }
        if first == 0xF0, base[i + 1] < 0x90 { return -i }
        if first == 0xF4, base[i + 1] > 0x8F { return -i }
        i += 4
      default: return -i
      }
    }
    return i
  }

  @inline(__always)
  private func isTrail(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }
}
