import APIKit
import XCTest

/// Names of parameters are compared by their bytes, as servers do.
final class ParameterNameTests: XCTestCase {
  private let composed = "caf\u{E9}"
  private let decomposed = "cafe\u{301}"

  func testNamesOfDifferentBytesAreTwoParameters() {
    var parameters: Parameters = [composed: 1, decomposed: 2]
    XCTAssertEqual(parameters.count, 2)
    XCTAssertEqual(parameters[composed], 1)
    XCTAssertEqual(parameters[decomposed], 2)
    parameters.merge([decomposed: 3])
    XCTAssertEqual(parameters.pairs.map(\.value), [1, 3])
    XCTAssertEqual(parameters.removing([composed]).pairs.map(\.value), [3])
    XCTAssertNotEqual([composed: 1] as Parameters, [decomposed: 1])
    XCTAssertNotEqual(
      ["a": composed] as Parameters, ["a": decomposed], "their texts are sent as different bytes")
    XCTAssertEqual(Set<Parameters>([[composed: 1], [decomposed: 1], [composed: 1]]).count, 2)
    XCTAssertEqual(Set<ParameterValue>([.string(composed), .string(decomposed)]).count, 2)
  }

  func testANameInTheURLIsOnlyThatOfTheSameBytes() throws {
    var request = HTTPRequest(method: .post, url: "https://a")
    try ParameterEncoding.json.inURL(composed).apply([composed: 1, decomposed: 2], to: &request)
    XCTAssertEqual(request.url.query, "caf%C3%A9=1")
    guard case .bytes(let body) = request.body else { return XCTFail("no body") }
    XCTAssertEqual(body, Array(#"{"\#(decomposed)":2}"#.utf8))
  }

  func testAPlaceIsFilledByTheParameterOfTheSameBytes() throws {
    let parameters: Parameters = [decomposed: "d", composed: "c"]
    let filled = try PathTemplate("a/{\(composed)}/{\(decomposed)}").fill(parameters)
    XCTAssertEqual(filled.path, "a/c/d")
    XCTAssertEqual(parameters.removing(filled.used).count, 0)
    XCTAssertEqual(parameters.removing(try PathTemplate("{\(composed)}").fill(parameters).used).count, 1)
  }

  func testABraceBeforeACombiningCharacterIsABrace() throws {
    XCTAssertEqual(try PathTemplate("a/{id}\u{301}").fill(["id": 7]).path, "a/7\u{301}")
    XCTAssertThrowsError(try PathTemplate("a/{\u{301}").fill([:]))
  }

  func testAnEmptyNameAtTheTopKeepsItsNesting() throws {
    let parameters: Parameters = ["": ["b": 1, "c": ["d": 2]] as ParameterValue, "e": 3]
    XCTAssertEqual(
      try QueryEncoder().encode(parameters), "%5Bb%5D=1&%5Bc%5D%5Bd%5D=2&e=3")
    XCTAssertEqual(try QueryEncoder(QueryStyle(objects: .dotted)).encode(parameters), ".b=1&.c.d=2&e=3")
    XCTAssertEqual(try QueryEncoder().encode(["": ["": 1] as ParameterValue]), "%5B%5D=1")
  }

  func testASeparatorBeforeACombiningCharacterIsSeen() {
    let encoder = QueryEncoder(QueryStyle(arrays: .commas))
    XCTAssertThrowsError(try encoder.encode(["a": ["x,\u{301}y", "z"]]))
  }
}
