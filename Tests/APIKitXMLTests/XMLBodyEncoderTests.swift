import Foundation
import XCTest

@testable import APIKit
@testable import APIKitXML

/// Parameters as XML.
final class XMLBodyEncoderTests: XCTestCase {
  private func xml(_ parameters: Parameters, _ encoder: XMLBodyEncoder = XMLBodyEncoder(root: "r")) throws
    -> String
  {
    let text = String(decoding: try encoder.encode(parameters), as: UTF8.self)
    let head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    XCTAssertTrue(text.hasPrefix(head) && text.hasSuffix("\n"))
    return String(text.dropFirst(head.count).dropLast())
  }

  private func object(_ members: KeyValuePairs<String, ParameterValue>) -> ParameterValue {
    .object(Parameters(members.map { ($0.key, $0.value) }))
  }

  func testEveryValueHasItsForm() throws {
    XCTAssertEqual(try xml([:]), "<r/>")
    XCTAssertEqual(
      try xml(["a": 1, "b": "x", "c": true, "d": 1.5, "e": ["y", "z"] as [String], "f": ""]),
      "<r><a>1</a><b>x</b><c>true</c><d>1.5</d><e>y</e><e>z</e><f/></r>")
    let inner = object(["@x": ParameterValue.string("y")])
    let outer = object(["@k": ParameterValue.integer(2), "#text": ParameterValue.string("t"), "i": inner])
    XCTAssertEqual(
      try xml(["o": outer]),
      "<r><o k=\"2\">t<i x=\"y\"/></o></r>")
    XCTAssertEqual(
      try xml(["a": "1"], XMLBodyEncoder(root: "s:r", attributes: ["xmlns:s": "urn:a\"b"])),
      "<s:r xmlns:s=\"urn:a&quot;b\"><a>1</a></s:r>")
    XCTAssertEqual(try xml(["t": "<&>\r\n\t]]>"]), "<r><t>&lt;&amp;&gt;&#13;\n\t]]&gt;</t></r>")
  }

  func testWhatIsWrittenIsReadAgain() throws {
    let at = object(["@x": ParameterValue.string("a\n\"b\"\t"), "#text": ParameterValue.string("é")])
    let tags: [String] = ["a", "b"]
    let parameters: Parameters = ["city": "苏州 <&>\"'\r\n\t", "at": at, "tag": tags]
    let raw = try XMLBodyDecoder().decode(XMLBodyEncoder(root: "r").encode(parameters)).r
    XCTAssertEqual(raw.city.string, "苏州 <&>\"'\r\n\t")
    XCTAssertEqual(raw["at"]["@x"].string, "a\n\"b\"\t")
    XCTAssertEqual(raw["at"].string, "é")
    XCTAssertEqual(raw.tag.elements.compactMap(\.string), ["a", "b"])
  }

  func testWhatXMLCannotHoldIsRefusedWithItsPath() {
    func detail(_ parameters: Parameters, _ root: String = "r") -> String {
      do {
        return "written: \(try xml(parameters, XMLBodyEncoder(root: root)))"
      } catch {
        XCTAssertEqual((error as? APIError)?.reason, .unencodableParameter)
        return (error as? APIError)?.detail ?? ""
      }
    }
    XCTAssertTrue(detail(["a": ParameterValue.null]).contains("no null"))
    XCTAssertTrue(detail(["a": Double.nan]).contains("finite"))
    XCTAssertTrue(detail(["a b": 1]).contains("the name"))
    XCTAssertTrue(detail(["@": 1]).contains("the name"))
    XCTAssertTrue(detail([:], "1").contains("the name"))
    XCTAssertTrue(detail(["a": "\u{1}"]).contains("character 1"))
    XCTAssertTrue(detail(["@a": ["b"] as [String]]).contains("single value"))
    XCTAssertTrue(detail(["a": ParameterValue.array([.array([.integer(1)])])]).contains("arrays in arrays"))
    XCTAssertTrue(
      detail(["a": ParameterValue.array([.null])]).contains("a[0]"),
      detail(["a": ParameterValue.array([.null])]))
  }

  func testItIsAnEncodingOfAManager() throws {
    var request = HTTPRequest(method: .post, url: "https://a.test")
    try ParameterEncoding.body(XMLBodyEncoder(root: "q")).apply(["a": 1], to: &request)
    XCTAssertEqual(request.headers["Content-Type"], "application/xml")
  }
}
