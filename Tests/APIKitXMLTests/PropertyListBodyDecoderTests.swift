import APIKit
import APIKitXML
import Foundation
import XCTest

final class PropertyListBodyDecoderTests: XCTestCase {
  private let decoders: BodyDecoders = {
    var decoders = BodyDecoders.standard
    decoders.registerXML()
    decoders.registerPropertyLists()
    return decoders
  }()

  func testTheContentTypeChoosesTheDecoder() {
    for type in [
      "application/x-plist", "text/x-plist ; a=b", "application/x-apple-plist", "application/vnd.acme+plist",
    ] {
      XCTAssertTrue(decoders.decoder(for: type) is PropertyListBodyDecoder, type)
    }
    for type in ["application/xml", "Text/XML; charset=utf-8", "application/atom+xml"] {
      XCTAssertTrue(decoders.decoder(for: type) is XMLBodyDecoder, type)
    }
    XCTAssertTrue(decoders.decoder(for: "application/json") is JSONBodyDecoder)
  }

  private static var list: [String: Any] {
    [
      "text": "Lin & \"Chen\" <é>", "count": 42, "large": Int64.max, "negative": -7, "share": 0.25,
      "open": true, "shut": false, "when": Date(timeIntervalSince1970: 1_772_000_000),
      "picture": Data([0, 1, 2, 250]), "list": [1, "two", [3]] as [Any], "nested": ["a": ["b": "c"]],
      "empty": [String: Any](), "none": [Any](), "many": Array(0..<40), "中文": "阳光",
    ]
  }

  private func check(_ raw: RawData, line: UInt = #line) {
    XCTAssertEqual(raw.text.string, "Lin & \"Chen\" <é>", line: line)
    XCTAssertEqual(raw["count"].int, 42, line: line)
    XCTAssertEqual(raw.large.integer(Int64.self), Int64.max, line: line)
    XCTAssertEqual(raw.negative.int, -7, line: line)
    XCTAssertEqual(raw.share.double, 0.25, line: line)
    XCTAssertEqual(raw.open.bool, true, line: line)
    XCTAssertEqual(raw.shut.bool, false, line: line)
    XCTAssertEqual(raw.when.date, Date(timeIntervalSince1970: 1_772_000_000), line: line)
    XCTAssertEqual(raw.picture.data, Data([0, 1, 2, 250]), line: line)
    XCTAssertEqual(raw.list[2][0].int, 3, line: line)
    XCTAssertEqual(raw.nested.a.b.string, "c", line: line)
    XCTAssertEqual(raw.empty.kind, .object, line: line)
    XCTAssertEqual(raw.none.kind, .array, line: line)
    XCTAssertEqual(raw.many.elements.map { $0.int ?? -1 }, Array(0..<40), line: line)
    XCTAssertEqual(raw["中文"].string, "阳光", line: line)
    XCTAssertEqual(raw.count, Self.list.count, line: line)
  }

  func testXMLAndBinaryPropertyListsReadAlike() throws {
    for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
      let data = try PropertyListSerialization.data(fromPropertyList: Self.list, format: format, options: 0)
      check(try decoders.decode([UInt8](data), contentType: "application/x-plist"))
    }
  }

  func testXMLThatPropertyListsUseIsUnderstood() throws {
    let xml = #"""
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <!-- a comment with <tags> -->
      <plist version="1.0"><dict>
        <key>a</key><string>x<!-- in --><![CDATA[<&>]]>&#233;&#x4E2D;&apos;</string>
        <key>hex</key><integer> 0xFF </integer><key>plus</key><integer>+5</integer>
        <key>big</key><integer>18446744073709551615</integer>
        <key>nan</key><real>nan</real><key>real</key><real>-1.5e3</real>
        <key>t</key><true/><key>s</key><string/><key/><array/>
      </dict></plist>
      """#
    let raw = try PropertyListBodyDecoder().decode(Array(xml.utf8))
    XCTAssertEqual(raw.a.string, "x<&>é中'")
    XCTAssertEqual(raw.hex.int, 255)
    XCTAssertEqual(raw.plus.int, 5)
    XCTAssertEqual(raw.big.integer(UInt64.self), .max)
    XCTAssertTrue(raw.nan.isNull)
    XCTAssertEqual(raw.real.double, -1500)
    XCTAssertEqual(raw.s.string, "")
    XCTAssertEqual(raw[""].kind, .array)
  }

  func testDamagedXMLPropertyListsAreRefusedWithAPlace() {
    for xml in [
      "", "<plist>", "<plist></plist>", "<plist><dict><string>a</string></dict></plist>",
      "<dict><key>a</key></dict>",
      "<array><key>a</key></array>", "<string>&unknown;</string>", "<string>&</string>",
      "<integer>1.5</integer>", "<real>0x1p3</real>", "<real>-0X1</real>",
      "<integer>99999999999999999999</integer>", "<date>yesterday</date>", "<data>###</data>", "<blob/>",
      "<array></dict>", "<string>a</integer>", "<true>x</true>", "<string>a</string><string>b</string>",
      "<!DOCTYPE plist [<!ENTITY a \"b\">]><string>a</string>", "<dict><key>a</key><key>b</key></dict>",
    ] {
      XCTAssertThrowsError(try PropertyListBodyDecoder().decode(Array(xml.utf8)), xml) { error in
        XCTAssertEqual((error as? APIError)?.label, "response.malformed-body", xml)
        XCTAssertTrue((error as? APIError)?.detail.hasPrefix("line 1, column") ?? false, "\(error)")
      }
    }
  }

  func testDeepPropertyListsStopAtTheLimit() {
    let xml = String(repeating: "<array>", count: 600) + String(repeating: "</array>", count: 600)
    XCTAssertThrowsError(try PropertyListBodyDecoder().decode(Array(xml.utf8))) { error in
      XCTAssertEqual((error as? APIError)?.label, "response.body-limit-exceeded")
    }
  }

  /// A binary list of arrays, each holding the next one twice: 2^28 leaves in 130 bytes.
  func testABinaryPropertyListThatUnfoldsWithoutEndIsStopped() {
    let count: UInt8 = 28
    var bytes = Array("bplist00".utf8)
    var offsets: [UInt8] = []
    for object in 0..<count {
      offsets.append(UInt8(bytes.count))
      bytes += [0xA2, object + 1, object + 1]
    }
    offsets.append(UInt8(bytes.count))
    bytes.append(0x09)
    let table = UInt8(bytes.count)
    bytes += offsets
    bytes += [0, 0, 0, 0, 0, 0, 1, 1] + [0, 0, 0, 0, 0, 0, 0, count + 1]
    bytes += [0, 0, 0, 0, 0, 0, 0, 0] + [0, 0, 0, 0, 0, 0, 0, table]
    XCTAssertThrowsError(try PropertyListBodyDecoder().decode(bytes)) { error in
      XCTAssertEqual((error as? APIError)?.label, "response.body-limit-exceeded")
    }
    // The last array holds itself.
    bytes[8 + 3 * Int(count - 1) + 1] = count - 1
    XCTAssertThrowsError(try PropertyListBodyDecoder().decode(bytes)) { error in
      XCTAssertEqual((error as? APIError)?.detail.contains("contains itself"), true, "\(error)")
    }
  }
}
