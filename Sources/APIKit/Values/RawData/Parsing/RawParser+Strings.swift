// Strings contain most of the bytes of a document, so this code decides the speed of parsing.
extension RawParser {
  /// Parses the string whose opening quote is at `i`, and moves `i` after its closing quote.
  @inline(__always)
  mutating func string(_ i: inout Int) -> RawFault? {
    i += 1
    let start = i
    var tag = RawNode.Tag.string
    while true {
      skipPlain(&i)
      guard i < end else { return .at(i, .unterminatedString) }
      let byte = base[i]
      if byte == UInt8(ascii: "\"") { break }
      if byte >= 0x80 {
        let next = nonASCIIEnd(i)
        guard next > 0 else { return .at(-next, .invalidUTF8) }
        i = next
      } else if byte == UInt8(ascii: "\\") {
        tag = .escapedString
        let next = escapeEnd(i)
        guard next > 0 else { return .at(-next, .invalidEscape) }
        i = next
      } else {
        return .at(i, .controlCharacter)
      }
    }
    guard i - start <= RawNode.lengthLimit else { return .at(start, .tooLong) }
    write(RawNode(tag, offset: start, length: i - start).word)
    i += 1
    return nil
  }

  /// Skips plain ASCII: stops at a quote, a backslash, a control character, a byte above 0x7F, or the end.
  @inline(__always)
  private func skipPlain(_ i: inout Int) {
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
  private func escapeEnd(_ i: Int) -> Int {
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
  private func nonASCIIEnd(_ start: Int) -> Int {
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
