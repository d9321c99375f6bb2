import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitXML

final class PropertyListBodyEncoderTests: XCTestCase {
  func testFoundationReadsBackWhatWasWritten() throws {
    let body = try PropertyListBodyEncoder().encode([
      "text": "<a> & \"b\"\r\n\t苏州 🏠", "whole": -7, "part": 0.25, "yes": true, "no": false,
      "day": Date(timeIntervalSince1970: 1_793_613_480), "bytes": [0, 255, 1] as [UInt8],
      "list": [1, ["k": "v"], []] as ParameterValue, "a&b": Parameters(), "big": UInt64.max,
    ])
    let read = try XCTUnwrap(
      PropertyListSerialization.propertyList(from: Data(body), format: nil) as? [String: Any])
    XCTAssertEqual(read.count, 10)
    XCTAssertEqual(read["big"] as? UInt64, .max)
    XCTAssertEqual(read["text"] as? String, "<a> & \"b\"\r\n\t苏州 🏠")
    XCTAssertEqual(read["whole"] as? Int, -7)
    XCTAssertEqual(read["part"] as? Double, 0.25)
    XCTAssertEqual(read["yes"] as? Bool, true)
    XCTAssertEqual(read["no"] as? Bool, false)
    XCTAssertEqual(read["day"] as? Date, Date(timeIntervalSince1970: 1_793_613_480))
    XCTAssertEqual(read["bytes"] as? Data, Data([0, 255, 1]))
    let list = try XCTUnwrap(read["list"] as? [Any])
    XCTAssertEqual(list.first as? Int, 1)
    XCTAssertEqual(list[1] as? [String: String], ["k": "v"])
    XCTAssertEqual((list[2] as? [Any])?.count, 0)
    XCTAssertEqual((read["a&b"] as? [String: Any])?.count, 0)
  }

  func testANumberWithoutAFractionIsAnInteger() throws {
    for (digits, tag) in [
      ("-5", "integer"), ("5", "integer"), ("\(UInt64.max)", "integer"), ("\(Int64.min)", "integer"),
      ("-5.0", "real"), ("1e3", "real"), ("18446744073709551616", "real"), ("-9223372036854775809", "real"),
    ] {
      let text = String(
        decoding: try PropertyListBodyEncoder().encode(["a": ParameterValue.number(digits)]), as: UTF8.self)
      XCTAssertTrue(text.contains("<\(tag)>\(digits)</\(tag)>"), text)
    }
  }

  func testWhatPropertyListsCannotHoldIsRefusedByItsPath() {
    let encoder = PropertyListBodyEncoder()
    assertFails(.unencodableParameter, "\"a[0]\"", "null") { try encoder.encode(["a": [nil] as [Int?]]) }
    assertFails(.unencodableParameter, "\"x\"") { try encoder.encode(["x": Double.infinity]) }
    assertFails(.unencodableParameter, "\"x\"", "character 0") { try encoder.encode(["x": "a\u{0}"]) }
  }

  func testKeysAreSortedOnDemand() throws {
    let text = String(
      decoding: try PropertyListBodyEncoder(sortsKeys: true).encode(["b": 1, "a": 2]), as: UTF8.self)
    XCTAssertTrue(text.contains("<key>a</key>\n<integer>2</integer>\n<key>b</key>"), text)
  }

  func testTheEncodingMakesBodyAndType() throws {
    var request = HTTPRequest(method: .post, url: "https://api.test/rents")
    try ParameterEncoding.propertyList.apply(["a": 1, "b": "x y"], to: &request)
    XCTAssertEqual(request.headers["Content-Type"], "application/x-plist")
    guard case .bytes(let bytes) = request.body else { return XCTFail("there is no body") }
    XCTAssertTrue(String(decoding: bytes, as: UTF8.self).contains("<string>x y</string>"))
    var empty = HTTPRequest(method: .post, url: "https://api.test/rents")
    try ParameterEncoding.propertyList.apply([:], to: &empty)
    XCTAssertTrue(empty.body.isEmpty)
    XCTAssertTrue(empty.headers.isEmpty)
  }
}
