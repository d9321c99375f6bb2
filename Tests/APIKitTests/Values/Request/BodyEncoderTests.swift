import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit

final class JSONBodyEncoderTests: XCTestCase {
  private func encode(_ parameters: Parameters, _ encoder: JSONBodyEncoder = JSONBodyEncoder()) throws
    -> String
  {
    String(decoding: try encoder.encode(parameters), as: UTF8.self)
  }

  func testEveryKindOfValueHasItsForm() throws {
    XCTAssertEqual(
      try encode([
        "s": "text", "i": -3, "d": 0.1, "w": 2.0, "t": true, "f": false, "n": ParameterValue.null,
        "b": [1, 2, 3, 4] as [UInt8],
        "a": [1, "x", []] as ParameterValue, "o": ["k": [:]] as ParameterValue, "": "",
      ]),
      #"{"s":"text","i":-3,"d":0.1,"w":2.0,"t":true,"f":false,"n":null,"b":"AQIDBA==","#
        + #""a":[1,"x",[]],"o":{"k":{}},"":""}"#)
    XCTAssertEqual(try encode([:]), "{}")
  }

  func testCharactersThatMayNotStandInAStringAreEscaped() throws {
    XCTAssertEqual(
      try encode(["a\"\\/\u{8}\t\n\u{C}\r\u{0}\u{1F}\u{7F}": "\u{2028}苏🏠"]),
      #"{"a\"\\/\b\t\n\f\r\u0000\u001f"# + "\u{7F}\":\"\u{2028}苏🏠\"}")
  }

  func testFoundationReadsBackWhatWasWritten() throws {
    let all = String(String.UnicodeScalarView((0..<0x300).compactMap { Unicode.Scalar($0) }))
    let numbers = [0.1, 1e300, .leastNonzeroMagnitude, -0.0, 1.7976931348623157e308, 123456789.125, 1e21]
    let body = try JSONBodyEncoder().encode([
      "text": all, "numbers": ParameterValue(numbers), "max": Int.max,
    ])
    let read = try XCTUnwrap(JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])
    XCTAssertEqual(read["text"] as? String, all)
    XCTAssertEqual(read["numbers"] as? [Double], numbers)
    XCTAssertEqual(read["max"] as? Int, .max)
  }

  func testKeysAreSortedAtEveryDepthOnDemand() throws {
    let parameters: Parameters = ["b": [Parameters(["z": 1, "y": 2])], "a": 1, "B": 0]
    XCTAssertEqual(try encode(parameters), #"{"b":[{"z":1,"y":2}],"a":1,"B":0}"#)
    XCTAssertEqual(
      try encode(parameters, JSONBodyEncoder(sortsKeys: true)), #"{"B":0,"a":1,"b":[{"y":2,"z":1}]}"#)
  }

  func testDatesAreTextsOrNumbers() throws {
    let parameters: Parameters = ["d": Date(timeIntervalSince1970: -0.5)]
    XCTAssertEqual(try encode(parameters), #"{"d":"1969-12-31T23:59:59Z"}"#)
    XCTAssertEqual(try encode(parameters, JSONBodyEncoder(dates: .seconds)), #"{"d":-1}"#)
    XCTAssertEqual(try encode(parameters, JSONBodyEncoder(dates: .milliseconds)), #"{"d":-500}"#)
    XCTAssertEqual(try encode(parameters, JSONBodyEncoder(dates: .custom { _ in "\"" })), #"{"d":"\""}"#)
  }

  func testNumbersThatJSONHasNoWordsForAreRefusedByTheirPath() {
    for number in [Double.nan, .infinity, -.infinity] {
      assertFails(.unencodableParameter, "\"filter.prices[2]\"", "JSON") {
        try encode(["filter": ["prices": [1, 2, number]]])
      }
      assertFails(.unencodableParameter, "\"m[0][1]\"") { try encode(["m": [[0, number]]]) }
    }
  }

  func testAVeryLongStringComesThroughWhole() throws {
    let long = String(repeating: "\"长", count: 200_000)
    let body = try JSONBodyEncoder().encode(["q": long])
    let read = try XCTUnwrap(JSONSerialization.jsonObject(with: Data(body)) as? [String: String])
    XCTAssertEqual(read["q"], long)
  }
}

final class ParameterEncodingTests: XCTestCase {
  private func request(
    _ method: HTTPMethod, _ encoding: ParameterEncoding, _ parameters: Parameters = ["a": 1, "b": "x y"],
    url: HTTPURL = "https://api.test/rents"
  ) throws -> HTTPRequest {
    var request = HTTPRequest(method: method, url: url)
    try encoding.apply(parameters, to: &request)
    return request
  }

  private func body(_ request: HTTPRequest) -> String? {
    guard case .bytes(let bytes) = request.body else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  func testAutomaticMeansTheQueryWhereABodyHasNoMeaningAndJSONElsewhere() throws {
    for method in [HTTPMethod.get, .head, .delete] {
      let request = try request(method, .automatic)
      XCTAssertEqual(request.url.string, "https://api.test/rents?a=1&b=x%20y")
      XCTAssertTrue(request.body.isEmpty)
      XCTAssertNil(request.headers["Content-Type"])
    }
    for method in [HTTPMethod.post, .put, .patch, "PURGE"] {
      let request = try request(method, .automatic)
      XCTAssertEqual(request.url.string, "https://api.test/rents")
      XCTAssertEqual(body(request), #"{"a":1,"b":"x y"}"#)
      XCTAssertEqual(request.headers["content-type"], "application/json")
    }
  }

  func testEachEncodingMakesItsOwnBodyAndType() throws {
    XCTAssertEqual(try request(.post, .query).url.query, "a=1&b=x%20y")
    let form = try request(.post, .form)
    XCTAssertEqual(body(form), "a=1&b=x+y")
    XCTAssertEqual(form.headers["Content-Type"], "application/x-www-form-urlencoded")
    XCTAssertEqual(body(try request(.get, .json)), #"{"a":1,"b":"x y"}"#)
  }

  func testAnEncoderOfTheApplicationsOwnIsAsked() throws {
    struct Loud: BodyEncoder {
      let contentType = "text/loud"
      func encode(_ parameters: Parameters) throws(APIError) -> [UInt8] {
        Array(parameters.names.joined(separator: "!").utf8)
      }
    }
    let request = try request(.post, .body(Loud()))
    XCTAssertEqual(body(request), "a!b")
    XCTAssertEqual(request.headers["Content-Type"], "text/loud")
  }

  func testNamedParametersGoIntoTheURLBesideABody() throws {
    let request = try request(.post, .json.inURL("b", "missing"), url: "https://api.test/rents?v=2")
    XCTAssertEqual(request.url.query, "v=2&b=x%20y")
    XCTAssertEqual(body(request), #"{"a":1}"#)
  }

  func testWithoutParametersThereIsNeitherBodyNorType() throws {
    for encoding in [ParameterEncoding.automatic, .form, .json, .query] {
      let request = try request(.post, encoding, [:])
      XCTAssertTrue(request.body.isEmpty)
      XCTAssertTrue(request.headers.isEmpty)
      XCTAssertNil(request.url.query)
    }
  }

  func testATypeThatIsSetAlreadyIsKept() throws {
    var request = HTTPRequest(
      method: .post, url: "https://api.test/", headers: ["content-type": "application/vnd.api+json"])
    try ParameterEncoding.json.apply(["a": 1], to: &request)
    XCTAssertEqual(request.headers.values("Content-Type"), ["application/vnd.api+json"])
  }

  func testABodyIsNeverOverwritten() {
    var request = HTTPRequest(method: .post, url: "https://api.test/", body: .bytes([1]))
    assertFails(.misconfigured, "body already") { try ParameterEncoding.json.apply(["a": 1], to: &request) }
  }

  func testTheStyleOfTheQueryIsUsedForQueryAndForm() throws {
    let style = QueryStyle(arrays: .repeated)
    XCTAssertEqual(try request(.get, .automatic.queryStyle(style), ["a": [1, 2]]).url.query, "a=1&a=2")
    XCTAssertEqual(body(try request(.post, .form.queryStyle(style), ["a": [1, 2]])), "a=1&a=2")
  }
}
