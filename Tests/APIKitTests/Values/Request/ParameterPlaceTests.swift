import APIKitXML
@testable import TestSupport
import XCTest

@testable import APIKit

/// Parameters in header fields and cookies, under other names, and as the whole body.
final class ParameterPlaceTests: XCTestCase {
  private func request(
    _ encoding: ParameterEncoding, _ parameters: Parameters, method: HTTPMethod = .put,
    headers: HTTPHeaders = [:]
  ) throws -> HTTPRequest {
    var request = HTTPRequest(method: method, url: "https://api.test/users/7", headers: headers)
    try encoding.apply(parameters, to: &request)
    return request
  }

  private func body(_ request: HTTPRequest) -> String? {
    guard case .bytes(let bytes) = request.body else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  // MARK: Header fields

  func testNamedParametersGoIntoHeaderFieldsAndCookiesBesideQueryAndBody() throws {
    let encoding = ParameterEncoding.json.inURL("page").inHeaders("If-Match", "X-Days").inCookies(
      "theme", "seen")
    let request = try request(
      encoding, ["If-Match": "\"a1\"", "name": "Lin", "X-Days": 3, "theme": "dark", "page": 2, "seen": true])
    XCTAssertEqual(
      request.headers,
      [
        "If-Match": "\"a1\"", "X-Days": "3", "Cookie": "theme=dark; seen=true",
        "Content-Type": "application/json",
      ])
    XCTAssertEqual(request.url.query, "page=2")
    XCTAssertEqual(body(request), #"{"name":"Lin"}"#)
  }

  func testWhatHasNoValueIsNotSent() throws {
    let encoding = ParameterEncoding.query.inHeaders("a", "b", "c").inCookies("d")
    let request = try request(
      encoding, ["a": nil as String?, "b": ParameterValue.null, "c": [String](), "d": ParameterValue.null])
    XCTAssertEqual(request.headers, [:])
    XCTAssertNil(request.url.query)
    let style = QueryStyle(nulls: .empty)
    XCTAssertEqual(
      try self.request(encoding.queryStyle(style), ["b": ParameterValue.null]).headers, ["b": ""])
  }

  func testAnArrayIsOneLineByCommasAndValuesAreWrittenInTheStyleOfTheQuery() throws {
    let style = QueryStyle(booleans: .numeric, dates: .seconds)
    let request = try request(
      .query.inHeaders("X-Tags", "X-Flag", "X-Since").queryStyle(style),
      ["X-Tags": ["a", "b c"], "X-Flag": true, "X-Since": Date(timeIntervalSince1970: 1.5)])
    XCTAssertEqual(request.headers, ["X-Tags": "a,b c", "X-Flag": "1", "X-Since": "1"])
  }

  func testWhatAFieldCannotHoldIsRefusedByName() throws {
    let encoding = ParameterEncoding.json.inHeaders("X-A").inCookies("c")
    assertFails(.unencodableParameter, "\"X-A\"", "header field") { try request(encoding, ["X-A": ["b": 1]]) }
    assertFails(.unencodableParameter, "\"X-A[1]\"") {
      try request(encoding, ["X-A": ParameterValue.array([1, .array([2])])])
    }
    assertFails(.unencodableParameter, "\"X-A[0]\"", "separator") { try request(encoding, ["X-A": ["a,b"]]) }
    assertFails(.unencodableParameter, "\"X-A\"", "finite") { try request(encoding, ["X-A": Double.nan]) }
    assertFails(.unencodableParameter, "\"c\"", "cookie") { try request(encoding, ["c": [1]]) }
    for byte in ["\r", "\n", "\0", "\u{7F}"] {
      assertFails(.invalidHeader, "X-A", "control character") {
        try request(encoding, ["X-A": "a\(byte)X-B: 1"]).validate()
      }
      assertFails(.invalidHeader, "cookie c") { try request(encoding, ["c": "a\(byte)"]) }
    }
    for text in ["a;b=1", "a, b", "a\"", "ä", "a b", "\\"] {
      assertFails(.invalidHeader, "cookie c", "byte") { try request(encoding, ["c": text]) }
    }
    assertFails(.invalidHeader, "a b") { try request(.query.inHeaders("a b"), ["a b": 1]).validate() }
    assertFails(.invalidHeader, "a=b") { try request(.query.inCookies("a=b"), ["a=b": 1]) }
    assertFails(.invalidHeader, "Content-Length") {
      try request(.query.inHeaders("Content-Length"), ["Content-Length": 1]).validate()
    }
  }

  func testAParameterTakesThePlaceOfAFieldAndOfACookieOfItsName() throws {
    let encoding = ParameterEncoding.json.inHeaders("X-Kind", "Content-Type").inCookies("theme")
    let request = try request(
      encoding, ["X-Kind": "mine", "theme": "dark", "Content-Type": "application/merge-patch+json", "a": 1],
      headers: ["x-kind": "theirs", "X-Kind": "too", "Cookie": "theme=light; sid=1", "cookie": "flag"])
    XCTAssertEqual(request.headers.values("X-Kind"), ["mine"])
    XCTAssertEqual(request.headers.values("Cookie"), ["theme=dark; sid=1; flag"])
    XCTAssertEqual(request.headers.values("Content-Type"), ["application/merge-patch+json"])
  }

  func testNamesAreComparedByteByByte() throws {
    let request = try request(.json.inCookies("c").named(["é": "c"]), ["e\u{301}": 1, "c": 2])
    XCTAssertEqual(request.headers["Cookie"], "c=2")
    XCTAssertEqual(body(request), "{\"e\u{301}\":1}")
  }

  // MARK: Names

  func testOneNameInTwoPlaces() throws {
    let encoding = ParameterEncoding.json.inURL("queryID").inHeaders("tag").inCookies("cookieID")
      .named(["queryID": "id", "tag": "If-Match", "cookieID": "id"])
    let request = try request(encoding, ["queryID": 1, "id": 2, "tag": "\"a\"", "cookieID": 3])
    XCTAssertEqual(request.url.query, "id=1")
    XCTAssertEqual(body(request), #"{"id":2}"#)
    XCTAssertEqual(request.headers["If-Match"], "\"a\"")
    XCTAssertEqual(request.headers["Cookie"], "id=3")
  }

  func testTwoOfOneNameInOnePlaceAreRefused() {
    for encoding in [
      ParameterEncoding.json, .query, .form, .json.inURL("a", "b"), .json.inHeaders("a", "b"),
      .json.inCookies("a", "b"),
    ] {
      assertFails(.misconfigured, "two parameters", "\"b\"") {
        try request(encoding.named(["a": "b"]), ["a": 1, "b": 2])
      }
    }
  }

  func testASignatureCoversWhatQueryAndBodyHaveByTheNamesThatAreSent() {
    let encoding = ParameterEncoding.json.inURL("queryID").inHeaders("tag").named([
      "queryID": "id", "n": "name",
    ])
    XCTAssertEqual(encoding.signed(["queryID": 1, "tag": "x", "n": 2]), ["id": 1, "name": 2])
    XCTAssertEqual(encoding.signed(["queryID": 1, "id": 2]), ["queryID": 1, "id": 2], "neither is left out")
    XCTAssertEqual(encoding.signed(["id": 2, "queryID": 1]), ["queryID": 1, "id": 2])
  }

  // MARK: A body of one value

  func testABodyOfOneValueHasAnyShape() throws {
    let encoding = ParameterEncoding.json.body(at: "body")
    for (value, text) in [
      ([1, 2] as any Encodable, "[1,2]"), ("a", "\"a\""), (7, "7"), (true, "true"),
      (ParameterValue.null, "null"),
      ([["a": 1]], #"[{"a":1}]"#), (["a": 1], #"{"a":1}"#),
      (["x": [], "n": 1.50] as RawData, #"{"x":[],"n":1.5}"#),
    ] {
      let request = try request(encoding, ["body": value])
      XCTAssertEqual(body(request), text)
      XCTAssertEqual(request.headers["Content-Type"], "application/json")
      XCTAssertNil(request.url.query)
    }
  }

  func testBesideABodyOfOneValueTheOthersGoIntoTheQuery() throws {
    let encoding = ParameterEncoding.json.body(at: "items").inHeaders("If-Match").named(["after": "cursor"])
    let request = try request(encoding, ["items": [1], "after": "x", "If-Match": "*"])
    XCTAssertEqual(body(request), "[1]")
    XCTAssertEqual(request.url.query, "cursor=x")
    XCTAssertEqual(request.headers["If-Match"], "*")
    let without = try self.request(encoding, ["after": "x", "items": nil as [Int]?])
    XCTAssertTrue(without.body.isEmpty)
    XCTAssertNil(without.headers["Content-Type"])
    XCTAssertEqual(without.url.query, "cursor=x")
  }

  func testWhereAFormatOrAMethodHasNoSuchBodyItIsRefused() throws {
    assertFails(.misconfigured, "\"items\"") {
      try request(.automatic.body(at: "items"), ["items": [1]], method: .get)
    }
    assertFails(.misconfigured, "\"items\"") { try request(.query.body(at: "items"), ["items": [1]]) }
    for encoding in [ParameterEncoding.form, .body(XMLBodyEncoder(root: "r"))] {
      assertFails(.unencodableParameter, "objects") {
        try request(encoding.body(at: "items"), ["items": [1]])
      }
      XCTAssertNotNil(body(try request(encoding.body(at: "items"), ["items": ["a": 1]])))
    }
    let list = try request(.propertyList.body(at: "items"), ["items": [1]])
    XCTAssertEqual(body(list)?.contains("<plist version=\"1.0\">\n<array>\n<integer>1</integer>"), true)
    assertFails(.unencodableParameter, "the value", "finite") {
      try request(.json.body(at: "items"), ["items": Double.infinity])
    }
  }
}
