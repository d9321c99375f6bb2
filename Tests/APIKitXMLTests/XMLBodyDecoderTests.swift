import Foundation
import XCTest

@testable import APIKit
@testable import APIKitXML

/// XML read as raw data: its form, what is refused, and the charsets.
final class XMLBodyDecoderTests: XCTestCase {
  private func json(_ xml: String, _ decoder: XMLBodyDecoder = XMLBodyDecoder()) throws -> String {
    try decoder.decode(Array(xml.utf8)).jsonText()
  }

  private func detail(_ xml: String, _ decoder: XMLBodyDecoder = XMLBodyDecoder()) -> String {
    do {
      return "accepted: \(try json(xml, decoder))"
    } catch {
      return (error as? APIError)?.detail ?? "\(error)"
    }
  }

  // MARK: Form

  func testElementsAttributesAndTextHaveTheirPlaces() throws {
    XCTAssertEqual(try json("<a/>"), #"{"a":""}"#)
    XCTAssertEqual(try json("<a></a>"), #"{"a":""}"#)
    XCTAssertEqual(try json("<a> b </a>"), #"{"a":" b "}"#)
    XCTAssertEqual(try json(#"<a x="1" y='2'/>"#), #"{"a":{"@x":"1","@y":"2"}}"#)
    XCTAssertEqual(try json(#"<a x="1">t</a>"#), ##"{"a":{"#text":"t","@x":"1"}}"##)
    XCTAssertEqual(try json("<a>\n <b>1</b>\n <c/>\n</a>"), #"{"a":{"b":"1","c":""}}"#)
    XCTAssertEqual(try json("<a>x<b>1</b>y</a>"), ##"{"a":{"#text":"xy","b":"1"}}"##)
    XCTAssertEqual(
      try json("<a><b>1</b><c>2</c><b><d/><d>3</d></b><b x=''/></a>"),
      #"{"a":{"b":["1",{"d":["","3"]},{"@x":""}],"c":"2"}}"#)
    XCTAssertEqual(try json("<ns:a xmlns:ns='u'><ns:b/></ns:a>"), #"{"ns:a":{"@xmlns:ns":"u","ns:b":""}}"#)
    XCTAssertEqual(try json("<a x='1'><x>2</x></a>"), #"{"a":{"@x":"1","x":"2"}}"#, "two kinds of members")
  }

  func testReferencesSectionsAndLineEndsAreResolved() throws {
    XCTAssertEqual(try json("<a>&lt;&amp;&gt;&quot;&apos;&#65;&#x42;&#x1F3E0;</a>"), #"{"a":"<&>\"'AB🏠"}"#)
    XCTAssertEqual(try json("<a><![CDATA[<b>&amp;]]]]><![CDATA[>]]></a>"), #"{"a":"<b>&amp;]]>"}"#)
    XCTAssertEqual(try json("<a>1\r\n2\r3\n4</a>"), #"{"a":"1\n2\n3\n4"}"#)
    XCTAssertEqual(try json("<a x=' 1\t2\r\n3&#10;4 '/>"), #"{"a":{"@x":" 1 2 3\n4 "}}"#)
    XCTAssertEqual(try json("<a>1<!-- - c -->2<?p i?>3</a>"), #"{"a":"123"}"#)
    XCTAssertEqual(try json("<a><!-- c --> <b/> <!-- d --></a>"), #"{"a":{"b":""}}"#)
    XCTAssertEqual(
      try json("\u{FEFF}<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- x --><?p?><a/>\n<!-- y -->\n"),
      #"{"a":""}"#)
    XCTAssertEqual(try json("<ä ö='ü'>苏🏠</ä>"), ##"{"ä":{"#text":"苏🏠","@ö":"ü"}}"##)
  }

  func testOneOrManyAreReadAlike() throws {
    let decoder = XMLBodyDecoder()
    for (xml, count) in [("<r/>", 0), ("<r><i>1</i></r>", 1), ("<r><i>1</i><i>2</i></r>", 2)] {
      let raw = try decoder.decode(Array(xml.utf8))
      XCTAssertEqual(raw.r.i.elements.count, count, xml)
      XCTAssertEqual(raw.r.i.elements.compactMap(\.string), ["1", "2"].prefix(count).map { $0 }, xml)
      XCTAssertEqual(raw.r.i[0].string, count > 0 ? "1" : nil)
      XCTAssertEqual(raw.r.i[1].string, count > 1 ? "2" : nil)
    }
    struct Entry: Decodable, Equatable { var id: Int }
    let raw = try decoder.decode(Array("<r><e><id>7</id></e></r>".utf8))
    XCTAssertEqual(try raw.r.e.decode(as: [Entry].self), [Entry(id: 7)])
    XCTAssertEqual(raw.r.e.elements.map { $0.id.int }, [7])
    XCTAssertEqual(raw.r.elements.count, 1)
    // JSON is as before.
    let plain = try RawData(parsing: #"{"r": {"i": "1"}}"#)
    XCTAssertEqual(plain.r.i.elements.count, 0)
    XCTAssertFalse(plain.r.i[0].exists)
    XCTAssertNil(plain.r.i.int)
    let arrays = try XMLBodyDecoder(arrays: ["i"]).decode(Array("<r><i>1</i><j>2</j></r>".utf8))
    XCTAssertEqual(arrays.jsonText(), #"{"r":{"i":["1"],"j":"2"}}"#)
  }

  func testTheWordEncodingBehindTheDeclarationNamesNoCharset() throws {
    let soap =
      "<s:Envelope s:encodingStyle=\"http://schemas.xmlsoap.org/soap/encoding/\" xmlns:s=\"u\">é</s:Envelope>"
    for text in [
      "<?xml version=\"1.0\"?>" + soap, soap, "<?xml version='1.0'?>\n<media encoding='h264'>é</media>",
      "<media encoding='gbk'>é</media>",
    ] {
      let raw = try XMLBodyDecoder().decode(Array(text.utf8))
      XCTAssertTrue(raw.jsonText().contains("é"), text)
      XCTAssertEqual(SecretMask().body(Array(text.utf8), contentType: "text/xml"), Array(text.utf8))
    }
  }

  func testTextOnALineOfItsOwnIsReadAsNumbersBooleansAndDates() throws {
    struct Row: Decodable, Equatable {
      var n: Int
      var b: Bool
      var p: Decimal
      var t: Date
    }
    let text =
      "<r><n>\n  7\r\n</n><b>\n\ttrue\n</b><p c='EUR'>\n 12.50\n</p><t z='0'>\n 1970-01-01T00:00:09Z\n</t></r>"
    let raw = try XMLBodyDecoder().decode(Array(text.utf8)).r
    XCTAssertEqual(raw.n.int, 7)
    XCTAssertEqual(raw.p.double, 12.5)
    XCTAssertEqual(
      try raw.decode(as: Row.self),
      Row(n: 7, b: true, p: Decimal(25) / 2, t: Date(timeIntervalSince1970: 9)))
  }

  func testURLsAndDataAreReadWithItsAttributesAndWhiteSpace() throws {
    let text = """
      <r><u>
        https://homes.example/a?b=c
      </u><d type="image/jpeg">/9j/4AAQ</d><e>
        /9j/
        4AAQ
      </e></r>
      """
    let raw = try XMLBodyDecoder().decode(Array(text.utf8)).r
    let (url, data) = (URL(string: "https://homes.example/a?b=c"), Data([0xFF, 0xD8, 0xFF, 0xE0, 0, 0x10]))
    XCTAssertEqual(raw.u.url, url)
    XCTAssertEqual(raw.d.data, data)
    XCTAssertEqual(raw["e"].data, data)
    struct Row: Decodable, Equatable {
      var u: URL?
      var d: Data
      var e: Data
    }
    XCTAssertEqual(try raw.decode(as: Row.self), Row(u: url, d: data, e: data))
    XCTAssertTrue(raw.d.equals("/9j/4AAQ"))
    XCTAssertFalse(raw.equals("/9j/4AAQ"))
  }

  func testNumbersThatJSONWritesOtherwiseAreRead() throws {
    for (text, number) in [("+5", 5), ("007", 7), (".5", 0.5), ("5.", 5), ("-.5e1", -5), (" +0.25 ", 0.25)] {
      let raw = try XMLBodyDecoder().decode(Array("<r>\(text)</r>".utf8)).r
      XCTAssertEqual(raw.double, number, text)
      XCTAssertEqual(raw.decimal, Decimal(number), text)
      XCTAssertEqual(try raw.decode(as: Float.self), Float(number), text)
    }
    for text in ["INF", "NaN", "nan", "0x1p3", "1e400", "+-5", "e5", "1,5", "", "."] {
      let raw = try XMLBodyDecoder().decode(Array("<r>\(text)</r>".utf8)).r
      XCTAssertNil(raw.double, text)
      XCTAssertNil(raw.decimal, text)
    }
  }

  func testTextIsReadWithItsAttributesOrWithoutAndAsNumbers() throws {
    let raw = try XMLBodyDecoder().decode(
      Array("<r><p c='EUR'> 12.50 </p><n>-7</n><b>true</b><t>2026-03-01</t><e/></r>".utf8)
    ).r
    XCTAssertEqual(raw.p.string, " 12.50 ")
    XCTAssertEqual(raw.p.double, 12.5)
    XCTAssertEqual(raw.p.decimal, Decimal(string: "12.50"))
    XCTAssertEqual(raw.p["@c"].string, "EUR")
    XCTAssertEqual(raw.n.int, -7)
    XCTAssertEqual(raw.n.integer(UInt8.self), nil)
    XCTAssertEqual(try raw.n.require(Int.self), -7)
    XCTAssertEqual(raw.b.bool, true)
    XCTAssertNil(raw.n.bool)
    XCTAssertNil(raw.b.int)
    XCTAssertNotNil(raw.t.date)
    XCTAssertNil(raw.e.int)
    XCTAssertEqual(raw.e.string, "")
    struct Row: Decodable, Equatable {
      var n: Int
      var b: Bool
      var p: Double
    }
    XCTAssertEqual(try raw.decode(as: Row.self), Row(n: -7, b: true, p: 12.5))
  }

  func testTheApplicationsPrefixesStandForNamespaces() throws {
    let decoder = XMLBodyDecoder(prefixes: ["urn:atom": "", "urn:dc": "dc"])
    for xml in [
      "<feed xmlns='urn:atom' xmlns:dc='urn:dc'><dc:date dc:x='1' y='2'>t</dc:date><o:z xmlns:o='urn:other'/></feed>",
      "<a:feed xmlns:a='urn:atom' xmlns:b='urn:dc'><b:date b:x='1' y='2'>t</b:date><o:z xmlns:o='urn:other'/></a:feed>",
    ] {
      let raw = try decoder.decode(Array(xml.utf8))
      XCTAssertEqual(raw.feed["dc:date"].string, "t", xml)
      XCTAssertEqual(raw.feed["dc:date"]["@dc:x"].string, "1")
      XCTAssertEqual(raw.feed["dc:date"]["@y"].string, "2")
      XCTAssertTrue(raw.feed["o:z"].exists)
    }
    // A declaration counts up to the end of its element.
    XCTAssertEqual(
      try json("<r><a:i xmlns:a='urn:dc'/><a:i/><dc:i xmlns:dc='urn:dc'/></r>", decoder),
      #"{"r":{"dc:i":[{"@xmlns:a":"urn:dc"},{"@xmlns:dc":"urn:dc"}],"a:i":""}}"#)
  }

  func testADocumentsPrefixDoesNotStandForTheApplicationsNamespace() throws {
    let decoder = XMLBodyDecoder(prefixes: ["urn:a": "a", "http://www.w3.org/XML/1998/namespace": "x"])
    XCTAssertEqual(
      try json("<r xmlns:q='urn:a' xmlns:a='urn:b'><a:i>other</a:i><q:i>own</q:i></r>", decoder),
      ##"{"r":{"@xmlns:q":"urn:a","@xmlns:a":"urn:b","_a:i":"other","a:i":"own"}}"##)
    XCTAssertEqual(try json("<r xml:lang='en'/>", decoder), #"{"r":{"@x:lang":"en"}}"#)
  }

  func testAnAttributeIsRenamedWhoseNameAnotherGotBefore() throws {
    let decoder = XMLBodyDecoder(prefixes: ["urn:a": "p", "urn:b": "q"])
    XCTAssertEqual(
      try json("<r xmlns:x='urn:a' xmlns:p='urn:b'><i x:k='1'/><i p:k='2'/><i x:k='3'/></r>", decoder),
      #"{"r":{"@xmlns:x":"urn:a","@xmlns:p":"urn:b","i":[{"@p:k":"1"},{"@q:k":"2"},{"@p:k":"3"}]}}"#)
  }

  func testAnAttributeKeepsItsPrefixWhereItWouldHaveTheNameOfAnother() throws {
    let decoder = XMLBodyDecoder(prefixes: ["urn:a": ""])
    for attributes in ["x:k='1' k='2' x:l='3'", "k='2' x:l='3' x:k='1'"] {
      let raw = try decoder.decode(Array("<r xmlns:x='urn:a' \(attributes)/>".utf8)).r
      XCTAssertEqual([raw["@x:k"].string, raw["@k"].string, raw["@l"].string], ["1", "2", "3"], attributes)
    }
    XCTAssertTrue(
      detail("<r xmlns:x='urn:a' xmlns:y='urn:a' x:k='1' y:k='2'/>", decoder).contains("stands twice"))
  }

  func testTwoAttributesOfOneNamespaceAndNameAreRefused() {
    let decoder = XMLBodyDecoder(prefixes: ["u": "p"])
    for end in ["/>", "><c/></r>"] {
      let detail = detail("<r xmlns:a='u' xmlns:b='u' a:x='1' b:x='2'\(end)", decoder)
      XCTAssertTrue(detail.contains("stands twice"), detail)
    }
    XCTAssertFalse(detail("<r xmlns:a='u' x='1' a:x='2'><a:x x='3'/></r>", decoder).contains("twice"))
  }

  func testAttributesOfTwoNamespacesThatThePrefixesMakeOneAreRefusedAndElementsAreAList() throws {
    let decoder = XMLBodyDecoder(prefixes: ["u": "", "v": ""])
    let detail = detail("<r xmlns:a='u' xmlns:b='v' a:x='1' b:x='2'/>", decoder)
    XCTAssertTrue(detail.contains("stands twice") && detail.contains("prefixes of the decoder"), detail)
    XCTAssertEqual(
      try json("<r xmlns:a='u' y='1' a:x='2'><a:x>1</a:x><x>2</x></r>", decoder),
      #"{"r":{"@xmlns:a":"u","@y":"1","@x":"2","x":["1","2"]}}"#)
  }

  func testAListOfOneElementIsAList() throws {
    let raw = try XMLBodyDecoder().decode(Array("<r><i><n>1</n></i><k>2</k></r>".utf8))
    XCTAssertEqual(try raw.r.i.require(.array).elements.map { $0.n.int }, [1])
    XCTAssertEqual(try raw.r.k.require(arrayOf: Int.self), [2])
    XCTAssertThrowsError(try raw.r.other.require(.array))
    XCTAssertThrowsError(try raw.r.k.require(.object))
    XCTAssertThrowsError(try RawData(parsing: #"{"a": {}}"#).a.require(.array))
  }

  // MARK: Refusals

  func testWhatIsNoDocumentIsRefusedWithItsPlace() {
    for (xml, words) in [
      ("", "element"), ("a", "expected an element"), ("<a>", "ends inside <a>"), ("<a", "ends inside a tag"),
      ("<a></b>", "expected </a>"), ("<a></a", "expected </a>"), ("</a>", "without a start"),
      ("<a/><b/>", "the end of"),
      ("<a/>x", "the end of"), ("<a b/>", "expected ="), ("<a b=c/>", "quoted"),
      ("<a b='1' b='2'/>", "stands twice"),
      ("<a b='1'c='2'/>", "a space before"), ("<a b='<'/>", "a < in"), ("<a b='1/>", "does not end"),
      ("<1/>", "expected a name"), ("< a/>", "expected a name"), ("<a>&b;</a>", "unknown reference"),
      ("<a>&#0;</a>", "unknown reference"), ("<a>&#xD800;</a>", "unknown reference"),
      ("<a>&#+65;</a>", "unknown reference"),
      ("<a>& </a>", "no reference"), ("<a>&amp</a>", "no reference"), ("<a>]]></a>", "]]>"),
      ("<a>\u{1}</a>", "control"),
      ("<a>\u{FFFF}</a>", "no character"), ("<a><!-- -- --></a>", "hyphens"), ("<a><!-- </a>", "missing"),
      ("<a><![CDATA[</a>", "does not end"), ("<a><?xml ?></a>", "not at the start"),
      ("<a><?p?i?></a>", "processing instruction"),
      ("<a><!B></a>", "declaration inside"),
      ("<?xml encoding='utf-8'?><a/>", "declaration"), ("<?xml version='2.0'?><a/>", "declaration"),
      ("<?xml version='1.0' standalone='x'?><a/>", "declaration"), ("<a/ >", "expected >"),
      ("<![CDATA[]]>", "declaration"), ("<a/><![CDATA[]]>", "the end of"),
    ] {
      let detail = detail(xml)
      XCTAssertTrue(detail.contains(words), "\(xml): \(detail)")
    }
    XCTAssertEqual(detail("<a>\n <b>\n</a>"), "line 3, column 1 (byte 9): expected </b>")
    XCTAssertThrowsError(try XMLBodyDecoder().decode([0x3C, 0x61, 0x3E, 0xFF, 0x3C, 0x2F, 0x61, 0x3E]))
  }

  func testDocumentTypesAreRefused() {
    for type in [
      "<!DOCTYPE a>", "<!DOCTYPE a SYSTEM 'file:///etc/passwd'>",
      "<!DOCTYPE a [<!ENTITY b 'bbbbbbbb'><!ENTITY c '&b;&b;&b;&b;'>]>",
    ] {
      XCTAssertEqual(
        detail("\(type)<a>&c;</a>"), "line 1, column 1 (byte 0): a document type, which is not read")
    }
  }

  func testLimitsAreKeptByName() throws {
    func reason(_ xml: String, _ decoder: XMLBodyDecoder = XMLBodyDecoder(), depth: Int = 512) -> APIError
      .Reason?
    {
      do {
        _ = try decoder.decode(
          Array(xml.utf8), limits: RawData.Limits(maximumDepth: depth, maximumBytes: 1 << 20))
        return nil
      } catch {
        return error.reason
      }
    }
    func nested(_ depth: Int) -> String {
      String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
    }
    XCTAssertNil(reason(nested(512)))
    XCTAssertEqual(reason(nested(513)), .bodyLimitExceeded)
    XCTAssertEqual(reason(nested(3), depth: 2), .bodyLimitExceeded)
    XCTAssertEqual(reason(String(repeating: " ", count: 1 << 20) + "<a/>"), .bodyLimitExceeded)
    var decoder = XMLBodyDecoder()
    decoder.maximumAttributes = 2
    decoder.maximumNameBytes = 5
    XCTAssertNil(reason("<a b='' c=''/>", decoder))
    XCTAssertEqual(reason("<a b='' c='' d=''/>", decoder), .bodyLimitExceeded)
    XCTAssertNil(reason("<abcde/>", decoder))
    XCTAssertEqual(reason("<abcdef/>", decoder), .bodyLimitExceeded)
    XCTAssertEqual(reason("<a abcdef=''/>", decoder), .bodyLimitExceeded)
  }

  func testManyAlternatingTextsAndElementsTakeLinearTime() throws {
    let many = 20_000
    let xml = "<a>" + String(repeating: "x&amp;<b>y&amp;</b>", count: many) + "</a>"
    let raw = try XMLBodyDecoder().decode(Array(xml.utf8)).a
    XCTAssertEqual(raw.b.count, many)
    XCTAssertEqual(raw.string?.utf8.count, 2 * many)
  }

  // MARK: Charsets

  func testTheMarkComesBeforeTheContentTypeAndThatBeforeTheDeclaration() throws {
    func text(_ bytes: [UInt8], _ contentType: String? = nil) throws -> String? {
      try XMLBodyDecoder().decode(bytes, contentType: contentType, limits: .default).a.string
    }
    func latin(_ text: String) -> [UInt8] { text.unicodeScalars.map { UInt8($0.value) } }
    XCTAssertEqual(try text(latin("<?xml version='1.0' encoding='ISO-8859-1'?><a>é</a>")), "é")
    XCTAssertEqual(try text(latin("<a>é</a>"), "text/xml; charset=iso-8859-1"), "é")
    XCTAssertEqual(
      try text(Array("<?xml version='1.0' encoding='ISO-8859-1'?><a>é</a>".utf8), "text/xml; charset=utf-8"),
      "é")
    XCTAssertEqual(
      try text([0xEF, 0xBB, 0xBF] + Array("<a>é</a>".utf8), "text/xml; charset=iso-8859-1"), "é")
    let wide = "<?xml version='1.0' encoding='UTF-16'?><a>é</a>".utf16.flatMap {
      [UInt8($0 & 0xFF), UInt8($0 >> 8)]
    }
    XCTAssertEqual(try text([0xFF, 0xFE] + wide, "text/xml; charset=utf-8"), "é")
    XCTAssertEqual(try text(wide), "é", "known by its zeros")
    XCTAssertThrowsError(try text(Array("<a/>".utf8), "text/xml; charset=klingon")) {
      XCTAssertEqual(($0 as? APIError)?.detail, "the charset \"klingon\" is not known")
    }
    XCTAssertThrowsError(try text(latin("<a>é</a>")), "not UTF-8, and nothing says what it is")
  }
}
