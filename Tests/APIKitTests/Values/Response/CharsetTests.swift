import XCTest

@testable import APIKit

/// Text in the charsets of the field.
final class CharsetTests: XCTestCase {
  private func text(_ bytes: [UInt8], _ contentType: String? = nil) -> String? {
    try? TextBodyDecoder().decode(bytes, contentType: contentType, limits: .default).string
  }

  func testEveryCharsetOfTheFieldIsRead() {
    let samples: [(label: String, bytes: [UInt8], text: String)] = [
      ("utf-8", [0xC3, 0xA9], "é"), ("ISO-8859-1", [0x80, 0xE9], "€é"), ("us-ascii", [0x41, 0x93], "A“"),
      ("iso-8859-15", [0xA4], "€"), ("iso-8859-2", [0xB1], "ą"), ("windows-1250", [0x9A], "š"),
      ("windows-1251", [0xCF, 0xF0], "Пр"), ("windows-1253", [0xC1], "Α"), ("windows-1254", [0xF0], "ğ"),
      ("windows-1255", [0xE0], "א"), ("windows-1256", [0xC7], "ا"), ("windows-1257", [0xE0], "ą"),
      ("windows-1258", [0xD5], "Ơ"), ("koi8-r", [0xD2], "р"), ("koi8-u", [0xA4], "є"),
      ("gb2312", [0xCB, 0xD5, 0xD6, 0xDD], "苏州"), ("GBK", [0x81, 0x40], "丂"),
      ("gb18030", [0x94, 0x39, 0xDA, 0x33], "💩"), ("Big5", [0xA4, 0xA4], "中"),
      ("Shift_JIS", [0x93, 0xFA, 0x96, 0x7B], "日本"), ("EUC-JP", [0xC6, 0xFC], "日"),
      ("euc-kr", [0xC7, 0xD1], "한"),
      ("utf-16le", [0xCF, 0x82], "苏"), ("utf-16be", [0x82, 0xCF], "苏"),
      ("utf-32be", [0, 1, 0xF3, 0xE0], "🏠"),
    ]
    for sample in samples {
      XCTAssertEqual(text(sample.bytes, "text/plain; charset=\(sample.label)"), sample.text, sample.label)
      XCTAssertEqual(text(sample.bytes, "text/plain;format=flowed; Charset=\"\(sample.label)\""), sample.text)
    }
  }

  func testTheMarkComesBeforeTheContentTypeAndThatBeforeTheDeclaration() {
    XCTAssertEqual(text([0xEF, 0xBB, 0xBF, 0xC3, 0xA9], "text/plain; charset=iso-8859-1"), "é")
    XCTAssertEqual(text([0xFF, 0xFE, 0xCF, 0x82], "text/plain; charset=utf-8"), "苏")
    XCTAssertEqual(text([0xFE, 0xFF, 0x82, 0xCF]), "苏")
    let page = Array("<html><meta charset=\"gbk\">".utf8) + [0xCB, 0xD5]
    XCTAssertEqual(text(page)?.last, "苏")
    XCTAssertEqual(text(page, "text/html; charset=utf-8")?.last, "\u{FFFD}")
    XCTAssertEqual(text(Array("é".utf8)), "é")
    XCTAssertNil(text([0x41], "text/plain; charset=klingon"))
  }

  func testWhatCannotBeReadIsReplacedOrRefused() {
    XCTAssertEqual(text([0x41, 0xFF, 0x42]), "A\u{FFFD}B")
    XCTAssertEqual(text([0x41, 0x81, 0xFF, 0x42], "text/plain; charset=shift_jis"), "A\u{FFFD}B")
    XCTAssertEqual(text([0x41, 0xCB], "text/plain; charset=gbk"), "A\u{FFFD}", "cut off")
    XCTAssertEqual(text([0x81], "text/plain; charset=windows-1252"), "\u{81}", "undefined bytes are controls")
    let gbk = Charset(label: "gbk")
    XCTAssertNil(gbk?.text(of: [0x41, 0xCB], isStrict: true))
    XCTAssertNil(Charset(label: "utf-16le")?.text(of: [0x41], isStrict: true))
    XCTAssertNil(Charset(label: "utf-16le")?.text(of: [0x00, 0xD8], isStrict: true))
    XCTAssertEqual(gbk?.text(of: [], isStrict: true), [])
  }

  func testLongTextIsConvertedWhole() {
    let bytes = [UInt8]((0..<50_000).flatMap { _ in [0xCB, 0xD5, 0x41] as [UInt8] })
    XCTAssertEqual(text(bytes, "text/plain; charset=gbk"), String(repeating: "苏A", count: 50_000))
  }

  func testTextIsABodyWhereItIsRegistered() throws {
    var decoders = BodyDecoders.standard
    decoders.register(TextBodyDecoder(), for: "text/html")
    let raw = try decoders.decode([0xCB, 0xD5, 0x22], contentType: "text/html; charset=GBK")
    XCTAssertEqual(raw.string, "苏\"")
    XCTAssertThrowsError(try decoders.decode([0x41], contentType: "text/html; charset=klingon"))
  }

  func testJSONInWideCharsetsIsRead() throws {
    let json = #"{"city": "苏州"}"#
    func decode(_ bytes: [UInt8], _ contentType: String = "application/json") throws -> String? {
      try BodyDecoders.standard.decode(bytes, contentType: contentType).city.string
    }
    let little = json.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    let big = json.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    let widest = json.unicodeScalars.flatMap {
      [0, UInt8($0.value >> 16), UInt8($0.value >> 8 & 0xFF), UInt8($0.value & 0xFF)]
    }
    let widestLittle = json.unicodeScalars.flatMap {
      [UInt8($0.value & 0xFF), UInt8($0.value >> 8 & 0xFF), UInt8($0.value >> 16), 0]
    }
    for bytes in [
      little, big, widest, widestLittle, [0xFF, 0xFE] + little, [0xFE, 0xFF] + big,
      [0, 0, 0xFE, 0xFF] + widest,
      [0xFF, 0xFE, 0, 0] + widestLittle,
    ] {
      XCTAssertEqual(try decode(bytes), "苏州")
    }
    XCTAssertThrowsError(try decode(Array(little.dropLast()))) {
      XCTAssertEqual(($0 as? APIError)?.detail, "the body is not text in its charset")
    }
    let gbk = Array(#"{"city": ""#.utf8) + [0xCB, 0xD5, 0xD6, 0xDD] + Array(#""}"#.utf8)
    XCTAssertEqual(try decode(gbk, "application/json; charset=GBK"), "苏州")
    XCTAssertThrowsError(try decode(gbk), "nothing says what it is")
    // UTF-8 counts where the bytes are UTF-8, whatever the header says.
    XCTAssertEqual(try decode(Array(json.utf8), "application/json; charset=iso-8859-1"), "苏州")
    XCTAssertThrowsError(try decode([0, 0]))
    XCTAssertEqual(try BodyDecoders.standard.decode(Array("7".utf8), contentType: nil).int, 7)
  }

  func testTheWordCharsetInAScriptNamesNone() throws {
    func text(_ html: String) throws -> String? {
      try TextBodyDecoder().decode(Array(html.utf8)).string
    }
    let script = "<html><script>var charset = find(); /* charset */</script>"
    XCTAssertEqual(try text(script + "é"), script + "é")
    XCTAssertEqual(
      try text(script + "<meta charset=\"iso-8859-1\">é"), script + "<meta charset=\"iso-8859-1\">Ã©")
  }
}
