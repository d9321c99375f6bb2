/// One sequence of bytes in a charset of several bytes, cut as the decoders of the WHATWG encoding standard cut it: where
/// a sequence ends decides how many U+FFFD stand for bytes that cannot be read, and that an ASCII character after a
/// lone lead byte (a quote, a `<`) is kept.
///
/// The characters come from the system's library; here stand only the lengths, and the few characters that the standard
/// reads otherwise.
enum CharsetSequence: Equatable {
  /// A sequence of this length, which the library converts.
  case whole(Int)
  /// A sequence of this length that the standard reads as this character.
  case known(Int, Unicode.Scalar)
  /// This many bytes are no sequence.
  case broken(Int)

  /// The sequence at an index, which is in bounds.
  ///
  /// - SeeAlso: <https://encoding.spec.whatwg.org/#legacy-multi-byte-chinese-(simplified)-encodings>
  init(in bytes: ArraySlice<UInt8>, at index: Int, of name: String) {
    let lead = bytes[index]
    guard lead >= 0x80 else {
      self = .whole(1)
      return
    }
    func next(_ distance: Int) -> UInt8? {
      index + distance < bytes.endIndex ? bytes[index + distance] : nil
    }
    switch name {
    case "CP932": self = Self.shiftJIS(lead, next(1))
    case "EUC-JP-MS": self = Self.eucJP(lead, next(1), third: next(2))
    case "GB18030": self = Self.gb18030(lead, next(1), third: next(2), fourth: next(3))
    case "BIG5-HKSCS": self = Self.big5(lead, next(1))
    default: self = Self.pair(lead, next(1)) { $0 > 0x40 && $0 < 0xFF }
    }
  }

  /// Whether there are sequences of several bytes in a charset.
  static func exist(in name: String) -> Bool {
    ["CP932", "EUC-JP-MS", "GB18030", "BIG5-HKSCS", "CP949"].contains(name)
  }

  private static func pair(_ lead: UInt8, _ trail: UInt8?, isTrail: (UInt8) -> Bool) -> CharsetSequence {
    guard lead > 0x80, lead < 0xFF, let trail else { return .broken(1) }
    // An ASCII character is read for itself.
    return isTrail(trail) ? .whole(2) : .broken(trail < 0x80 ? 1 : 2)
  }

  private static func big5(_ lead: UInt8, _ trail: UInt8?) -> CharsetSequence {
    if lead == 0xA1 || lead == 0xA2, let trail, let character = big5[UInt16(lead) << 8 | UInt16(trail)] {
      return .known(2, character)
    }
    return pair(lead, trail) { $0 >= 0x40 && $0 < 0x7F || $0 > 0xA0 && $0 < 0xFF }
  }

  /// Characters of Big5 that the library reads nothing for.
  private static let big5: [UInt16: Unicode.Scalar] = [
    0xA15A: "\u{2574}", 0xA1C3: "\u{FFE3}", 0xA1C5: "\u{2CD}", 0xA1FE: "\u{FF0F}", 0xA240: "\u{FF3C}",
    0xA2CC: "\u{5341}", 0xA2CE: "\u{5345}",
  ]

  private static func shiftJIS(_ lead: UInt8, _ trail: UInt8?) -> CharsetSequence {
    switch lead {
    case 0x80: .known(1, "\u{80}")
    case 0xA1...0xDF: .whole(1)
    case 0xA0, 0xFD...: .broken(1)
    default: pair(lead, trail) { $0 >= 0x40 && $0 != 0x7F && $0 < 0xFD }
    }
  }

  private static func eucJP(_ lead: UInt8, _ second: UInt8?, third: UInt8?) -> CharsetSequence {
    func isTrail(_ byte: UInt8) -> Bool { byte > 0xA0 && byte < 0xFF }
    switch lead {
    case 0x8E: return pair(lead, second) { $0 > 0xA0 && $0 < 0xE0 }
    case 0x8F:
      guard let second else { return .broken(1) }
      guard isTrail(second) else { return .broken(second < 0x80 ? 1 : 2) }
      guard let third else { return .broken(2) }
      guard isTrail(third) else { return .broken(third < 0x80 ? 2 : 3) }
      if second == 0xA2, third == 0xC3 { return .known(3, "\u{A6}") }
      // JIS X 0212 ends with row 77; the library reads letters of vendors beyond it.
      return second > 0xED ? .broken(3) : .whole(3)
    case 0xF5...0xFE:
      // The library reads these rows as private characters. The standard has 374 letters of IBM in four of them, which
      // stand in JIS X 0212 as well; here they are U+FFFD.
      guard case .whole(let count) = pair(lead, second, isTrail: isTrail) else {
        return pair(lead, second, isTrail: isTrail)
      }
      return .broken(count)
    case 0xA1...0xF4: return pair(lead, second, isTrail: isTrail)
    default: return .broken(1)
    }
  }

  private static func gb18030(
    _ lead: UInt8, _ second: UInt8?, third: UInt8?, fourth: UInt8?
  ) -> CharsetSequence {
    if lead == 0x80 { return .known(1, "\u{20AC}") }
    guard let second, lead != 0xFF, (0x30...0x39).contains(second) else {
      if let second, let known = gbCharacters[UInt16(lead) << 8 | UInt16(second)] { return .known(2, known) }
      return pair(lead, second) { $0 >= 0x40 && $0 != 0x7F && $0 < 0xFF }
    }
    // Four bytes. What cannot follow is read for itself, but the end breaks off one sequence.
    guard let third else { return .broken(2) }
    guard third > 0x80, third < 0xFF else { return .broken(1) }
    guard let fourth else { return .broken(3) }
    return (0x30...0x39).contains(fourth) ? .whole(4) : .broken(1)
  }

  /// What the standard keeps of older versions of GB 18030.
  private static let gbCharacters: [UInt16: Unicode.Scalar] = [
    0xA3A0: "\u{3000}", 0xFE51: "\u{E816}", 0xFE52: "\u{E817}", 0xFE53: "\u{E818}", 0xFE6C: "\u{E831}",
    0xFE76: "\u{E83B}", 0xFE91: "\u{E855}",
  ]
}
