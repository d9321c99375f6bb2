extension Charset {
  /// The charsets by the labels of the standard in lower case. Those of its "replacement" and of `x-user-defined` are not
  /// known.
  /// - SeeAlso: <https://encoding.spec.whatwg.org/encodings.json>
  static let byLabel: [String: Charset] = {
    var rows = unicode + legacy.map { (.other($0.key), $0.value) }
    for page in 1250...1258 { rows.append((.other("CP\(page)"), "cp\(page) windows-\(page) x-cp\(page)")) }
    // There is no part 12, and part 11 has no label of the last kind.
    for part in [1...10, 13...16].joined() {
      let name = part == 1 ? "CP1252" : part == 9 ? "CP1254" : "ISO-8859-\(part)"
      rows.append((.other(name), "iso-8859-\(part) iso8859-\(part) iso8859\(part) iso_8859-\(part)"))
    }
    var charsets: [String: Charset] = [:]
    for (charset, labels) in rows {
      for label in labels.split(separator: " ") { charsets[String(label)] = charset }
    }
    return charsets
  }()

  private static let unicode: [(charset: Charset, labels: String)] = [
    (.utf8, "utf-8 utf8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8"),
    (.utf16(isBigEndian: false), "utf-16 utf-16le ucs-2 unicode iso-10646-ucs-2 csunicode unicodefeff"),
    (.utf16(isBigEndian: true), "utf-16be unicodefffe"), (.utf32(isBigEndian: false), "utf-32 utf-32le"),
    (.utf32(isBigEndian: true), "utf-32be"),
  ]

  /// The names of legacy charsets in the system's library, with the labels that do not follow from a number.
  private static let legacy = [
    "BIG5-HKSCS": "big5 big5-hkscs cn-big5 csbig5 x-x-big5",
    "CP1252": "ansi_x3.4-1968 ascii cp819 csisolatin1 ibm819 iso-ir-100 iso_8859-1:1987 l1 latin1 us-ascii",
    "CP1254": "csisolatin5 iso-ir-148 iso_8859-9:1989 l5 latin5",
    "CP874": "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874",
    "CP932": "csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis",
    "CP949": "cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 "
      + "windows-949",
    "EUC-JP-MS": "cseucpkdfmtjapanese euc-jp x-euc-jp",
    "GB18030": "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk gb18030",
    "IBM866": "866 cp866 csibm866 ibm866",
    "ISO-2022-JP": "csiso2022jp iso-2022-jp",
    "ISO-8859-10": "csisolatin6 iso-ir-157 l6 latin6",
    "ISO-8859-15": "csisolatin9 l9 latin9",
    "ISO-8859-2": "csisolatin2 iso-ir-101 iso_8859-2:1987 l2 latin2",
    "ISO-8859-3": "csisolatin3 iso-ir-109 iso_8859-3:1988 l3 latin3",
    "ISO-8859-4": "csisolatin4 iso-ir-110 iso_8859-4:1988 l4 latin4",
    "ISO-8859-5": "csisolatincyrillic cyrillic iso-ir-144 iso_8859-5:1988",
    "ISO-8859-6":
      "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6-e iso-8859-6-i "
      + "iso-ir-127 iso_8859-6:1987",
    "ISO-8859-7": "csisolatingreek ecma-118 elot_928 greek greek8 iso-ir-126 iso_8859-7:1987 sun_eu_greek",
    "ISO-8859-8": "csiso88598e csisolatinhebrew hebrew iso-8859-8-e iso-ir-138 iso_8859-8:1988 visual "
      + "csiso88598i iso-8859-8-i logical",
    "KOI8-R": "cskoi8r koi koi8 koi8-r koi8_r",
    "KOI8-U": "koi8-ru koi8-u",
    "MAC-UK": "x-mac-cyrillic x-mac-ukrainian",
    "MACINTOSH": "csmacintosh mac macintosh x-mac-roman",
  ]
}
