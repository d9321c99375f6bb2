import XCTest

@testable import APIKit

/// Text in legacy charsets against the tables of the WHATWG encoding standard.
/// - SeeAlso: <https://encoding.spec.whatwg.org/indexes.json>
final class CharsetTableTests: XCTestCase {
  private func text(_ bytes: [UInt8], _ label: String) -> String? {
    Charset(label: label)?.text(of: bytes[...], isStrict: false).map { String(decoding: $0, as: UTF8.self) }
  }

  private func digest(_ text: String) -> String { Hex.encode(Crypto.sha256(Array(text.utf8))) }

  /// The SHA-256 of the 128 characters of the standard for the bytes from 0x80, U+FFFD where it has none.
  private static let pages: [(label: String, digest: String)] = [
    ("ibm866", "2e3f89d51df1d1b9a5e9f2a21d0919780249a470f82aa3dc34382afc64afe935"),
    ("iso-8859-2", "da4d3b2f8f06435d745a9ba3986ec349ffd4f0b3d76b8bbf2a294ab1766bb092"),
    ("iso-8859-3", "c1d9ce25d3762a523ff6a4402163f0cbc3eb1ebc245cee23eaa53a2c879def1f"),
    ("iso-8859-4", "54140e6e75ba62ce8fb842e58cc83ab75e497e6170afeb31d20c956065aedec8"),
    ("iso-8859-5", "53729815669580510f43b8ae03c822b3a28d00a48a120d5bf3c400b71b5ec9fb"),
    ("iso-8859-6", "2b716bc800e7bfe3e6e298d9082a1350b042d2193041601d9842fc788f3f6a85"),
    ("iso-8859-7", "8d94b0308cf418c9f8deb0130c318a9fb505c057edd156ede5ccd4f5058cb00b"),
    ("iso-8859-8", "ade2c0790e86ddc87ca4da98f52e49426b75f8724018e58b553e3777000c2d6c"),
    ("iso-8859-10", "129e084c5bc4da60e25ee6f6dc7d2dee790415dbb158cf231b4e1d3b34cb691a"),
    ("iso-8859-13", "20a9bcd406361c31a5cdaaaa1df8cdb03ffb7b07a06a123776a6cf6353575804"),
    ("iso-8859-14", "80050213abdb4257a88284b88a42448e6c8d44af5773c99260f4ed404814929a"),
    ("iso-8859-15", "b9a4a2394ee585527d5f38c21d3801da923c0b26b9e2caf9d6c5f443e283cdaa"),
    ("iso-8859-16", "c2bb18a77fe0cd9028a06b913b3fe549d7518f4bd87e5f486c7dd05de403adbe"),
    ("koi8-r", "25a9da95cf2db39e6391a15e1a2f8a117d3ca574c71da3e8ba76d55ebb8321f4"),
    ("koi8-u", "79b0a6e96024f61a8bffaacc3d4bb6c48f18973e435b5ea07dcdf68598cd3ed2"),
    ("macintosh", "94dcdcc19412eb4810dbe4b212c44329c25f980a8d29e8280a8acdaee5f39ff3"),
    ("windows-874", "4bb5efdc1a2832ec9edcb8e6546db6359bafa56506adfca2b43c834fed03bb66"),
    ("windows-1250", "52665a0c49e77322078adee42a1ae0be89476bc8df0cd26f14d28628d103642e"),
    ("windows-1251", "153baf169d84e2698c2bd4d34a0b0edd382fa0dfe4d0e43d04ac3e75b2b3510e"),
    ("windows-1252", "9ba654722668eee979b3e1b274ff8bcbb1f6b48bb85cbec5ec71309a7da35477"),
    ("windows-1253", "fa630499b7db169e86f0f5723e94756cb38f34137222543ddd9ba92253bbbb2d"),
    ("windows-1254", "612d01246f4b510671212ba0f18fb619b703f7881e0a37b5023ce67818d4f661"),
    ("windows-1255", "16925d6a9d5cff62868784ff2d6b1a8d41f62e4dccf20a9cf78ee6591404085d"),
    ("windows-1256", "ae636a90722c9d75b8b82e9c5b4b6fb89d8a3a2883ab0a1da24e967db888811f"),
    ("windows-1257", "abd51531663d43f8706b93f5add4915e33fa111e6f23acc7bd0cc61be571c34c"),
    ("windows-1258", "ded84db6d51e31439d41415d9b673258f1ec3a3a3cb0554bf73b1349d1dcb981"),
    ("x-mac-cyrillic", "ab39a8a69bbbd008a940cbf904616a8574608c0c3d752d3fbb856fe45821b6f6"),
  ]

  func testEveryByteOfACharsetOfSingleBytesIsWhatTheStandardHas() {
    for (label, digest) in Self.pages {
      let read = text([UInt8](0x80...0xFF), label) ?? ""
      XCTAssertEqual(self.digest(read), digest, "\(label): \(read)")
    }
  }

  func testABadByteMovesNoLetter() {
    for (label, bytes, expected) in [
      // The library holds the letter back, for a mark that may follow.
      ("windows-1258", [0x41, 0xCC, 0x61], "A\u{300}a"), ("windows-1258", [0x61, 0x81, 0x62], "a\u{81}b"),
      ("windows-1258", [0x6F, 0xD2, 0x8A, 0x6F], "o\u{309}\u{8A}o"),
      ("windows-1255", [0xE0, 0xD9, 0xE1], "א\u{FFFD}ב"),
      ("windows-1255", [0xF9, 0xD1, 0xCC], "ש\u{5C1}\u{5BC}"),
      ("windows-874", [0xDB, 0x81, 0xA1], "\u{FFFD}\u{81}ก"),
      ("windows-1257", [0xA1, 0xE0], "\u{FFFD}ą"), ("windows-1253", [0xAA, 0xC1, 0xFF], "\u{FFFD}Α\u{FFFD}"),
    ] as [(String, [UInt8], String)] {
      XCTAssertEqual(
        text(bytes, label).map { Array($0.unicodeScalars) }, Array(expected.unicodeScalars),
        "\(label) \(bytes)")
    }
  }

  /// The SHA-256 of the text of all pairs of a lead and a trail byte, each with a line end after it.
  private static let pairs:
    [(label: String, leads: [ClosedRange<UInt8>], trails: [ClosedRange<UInt8>], digest: String)] = [
      (
        "shift_jis", [0x81...0x9F, 0xE0...0xFC], [0x40...0x7E, 0x80...0xFC],
        "188c26076b1a39dc69fb40d2e3e5741e73fb599754ca5c6fb3bfda29f923a694"
      ),
      (
        "euc-jp", [0xA1...0xF8], [0xA1...0xFE],
        "cf1c54f70fa07016317415c2a35e851b4874850b335766de3bec9f3093be9829"
      ),
      (
        "euc-kr", [0x81...0xFE], [0x41...0x7E, 0x80...0xFE],
        "d599c653a71e47db416c047ac8611cdcb7c85e39df1b739c0e603493900a30a1"
      ),
      (
        "gb18030", [0x81...0xFE], [0x40...0x7E, 0x80...0xFE],
        "15e545f4b91e0eaf41cdae5cc7b70dd4bf6767f035ccf6938e02b478d6445267"
      ),
    ]

  func testEveryPairOfBytesIsWhatTheStandardHas() {
    for (label, leads, trails, digest) in Self.pairs {
      let bytes: [UInt8] = leads.joined().flatMap { lead in
        trails.joined().flatMap { trail -> [UInt8] in [lead, trail, 0x0A] }
      }
      XCTAssertEqual(self.digest(text(bytes, label) ?? ""), digest, label)
    }
  }

  func testBytesThatAreNoSequenceAreReplacedAsTheStandardSays() {
    let bad = "\u{FFFD}"
    for (label, bytes, expected) in [
      ("shift_jis", [0x41, 0x81, 0xFF, 0x42], "A\(bad)B"),
      ("shift_jis", [0x81, 0x22, 0x81], "\(bad)\"\(bad)"),
      ("shift_jis", [0x80, 0xA0, 0xFD, 0xB1], "\u{80}\(bad)\(bad)ｱ"),
      ("euc-kr", [0xC7, 0xD1, 0xC7, 0x3C, 0xFF, 0x80], "한\(bad)<\(bad)\(bad)"),
      ("euc-kr", [0xC9, 0x41], "\(bad)A"),
      ("euc-jp", [0xC6, 0xFC, 0x80, 0xC6, 0x20], "日\(bad)\(bad) "),
      ("euc-jp", [0x8F, 0xB0, 0xA1, 0x8E, 0xB1], "丂ｱ"),
      ("euc-jp", [0x8F, 0xA1, 0x41, 0x8F, 0x42, 0x8E, 0xE0], "\(bad)A\(bad)B\(bad)"),
      ("euc-jp", [0x8F, 0xA2, 0xC3, 0x8F, 0xF3, 0xF3, 0xF5, 0xA1], "¦\(bad)\(bad)"),
      ("big5", [0xA4, 0xA4, 0x80, 0xA4, 0x22, 0xA4], "中\(bad)\(bad)\"\(bad)"),
      ("big5", [0x88, 0x62], "\u{CA}\u{304}"),
      ("big5", [0xA4, 0xA4, 0xA1, 0xFE, 0xA4, 0xA4, 0xA2, 0x40, 0xA1], "中／中＼\(bad)"),
      ("big5", [0xA1, 0x5A, 0xA1, 0xC3, 0xA1, 0xC5, 0xA2, 0xCC, 0xA2, 0xCE], "╴￣ˍ十卅"),
      ("gbk", [0x80, 0xA3, 0xA0, 0xFF], "€\u{3000}\(bad)"), ("gbk", [0xCB, 0x22, 0xCB, 0xD5], "\(bad)\"苏"),
      ("gb18030", [0x81, 0x30, 0x41], "\(bad)0A"), ("gb18030", [0x81, 0x30, 0x81, 0x41], "\(bad)0丄"),
      ("gb18030", [0x81, 0x30], bad), ("gb18030", [0x81, 0x30, 0x81], bad),
      ("gb18030", [0x94, 0x39, 0xDA, 0x33], "💩"), ("gb18030", [0xFE, 0x39, 0xFE, 0x39, 0x41], "\(bad)A"),
    ] as [(String, [UInt8], String)] {
      let read = text(bytes, label).map { Array($0.unicodeScalars) }
      XCTAssertEqual(read, Array(expected.unicodeScalars), "\(label) \(bytes)")
      guard expected.contains(bad) else { continue }
      XCTAssertNil(Charset(label: label)?.text(of: bytes[...], isStrict: true), "\(label) \(bytes)")
    }
  }

  func testLettersAreNotLostWhereThePiecesOfALongTextMeet() {
    for shift in 0..<4 {
      let bytes =
        [UInt8](repeating: 0x41, count: shift) + [UInt8]((0..<9000).flatMap { _ in [0xCB, 0xD5] as [UInt8] })
      XCTAssertEqual(
        text(bytes, "gbk"), String(repeating: "A", count: shift) + String(repeating: "苏", count: 9000))
      XCTAssertEqual(
        text(bytes + [0xFF], "gbk"),
        String(repeating: "A", count: shift) + String(repeating: "苏", count: 9000) + "\u{FFFD}")
    }
  }

  func testTheLabelsOfTheStandardAreKnown() {
    let labels = """
      unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8 866 cp866 csibm866 ibm866
      csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2
      csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3
      csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4
      csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988
      arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6 iso-8859-6-e
      iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987 csisolatingreek ecma-118
      elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7 iso88597 iso_8859-7 iso_8859-7:1987
      sun_eu_greek csiso88598e csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-ir-138 iso8859-8
      iso88598 iso_8859-8 iso_8859-8:1988 visual csiso88598i iso-8859-8-i logical csisolatin6 iso-8859-10
      iso-ir-157 iso8859-10 iso885910 l6 latin6 iso-8859-13 iso8859-13 iso885913 iso-8859-14 iso8859-14
      iso885914 csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9 iso-8859-16 cskoi8r koi koi8
      koi8-r koi8_r koi8-ru koi8-u csmacintosh mac macintosh x-mac-roman dos-874 iso-8859-11 iso8859-11
      iso885911 tis-620 windows-874 cp1250 windows-1250 x-cp1250 cp1251 windows-1251 x-cp1251
      ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591
      iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252 cp1253 windows-1253 x-cp1253
      cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 latin5
      windows-1254 x-cp1254 cp1255 windows-1255 x-cp1255 cp1256 windows-1256 x-cp1256 cp1257 windows-1257
      x-cp1257 cp1258 windows-1258 x-cp1258 x-mac-cyrillic x-mac-ukrainian chinese csgb2312
      csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk gb18030 big5 big5-hkscs cn-big5 csbig5
      x-x-big5 cseucpkdfmtjapanese euc-jp x-euc-jp csiso2022jp iso-2022-jp csshiftjis ms932 ms_kanji
      shift-jis shift_jis sjis windows-31j x-sjis cseuckr csksc56011987 euc-kr iso-ir-149 korean
      ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949 unicodefffe utf-16be csunicode
      iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le
      """
    for label in labels.split(whereSeparator: \.isWhitespace) {
      XCTAssertNotNil(text([], String(label)), "\(label)")
    }
    XCTAssertNil(Charset(label: "replacement"))
    let all = Charset.byLabel.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    XCTAssertEqual(
      digest(all.joined(separator: "\n")), "fa8d2d4c481d182c1f355f43f850225e696e9f5bf8236fa80463ca0a4845d8f4",
      "each label names its charset, and \(all.count) of 231 are known")
    XCTAssertEqual(text([0x83], "ibm866"), "Г")
  }
}
