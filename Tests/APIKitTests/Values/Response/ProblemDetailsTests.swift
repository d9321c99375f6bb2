import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// What a server says about a failure by RFC 9457.
@MainActor final class ProblemDetailsTests: XCTestCase {
  private func error(_ body: String, _ contentType: String? = "application/problem+json") -> APIError {
    let headers = contentType.map { [(name: "Content-Type", value: $0)] } ?? []
    return APIError(
      .response, .unacceptableStatus, evidence: .init(status: 403, headers: headers, body: Array(body.utf8)))
  }

  /// The example of RFC 9457, 3.
  private let credit = #"""
    {"type": "https://example.com/probs/out-of-credit", "title": "You do not have enough credit.", "status": 403,
     "detail": "Your current balance is 30, but that costs 50.", "instance": "/account/12345/msgs/abc",
     "balance": 30, "accounts": ["/account/12345", "/account/67890"]}
    """#

  func testAFailedLoadHasTheProblemOfItsResponse() async throws {
    let stub = StubTransport()
    stub.on(
      "/api/list",
      .bytes(
        Array(credit.utf8), status: 403, headers: ["Content-Type": "application/problem+json; charset=utf-8"])
    )
    let manager = TestManager(stub)
    let error = try await errorThrown { () throws(APIError) in try await manager.response() }
    let problem = try XCTUnwrap(error.problem)
    XCTAssertEqual(problem.type, "https://example.com/probs/out-of-credit")
    XCTAssertEqual(problem.title, "You do not have enough credit.")
    XCTAssertEqual(problem.status, 403)
    XCTAssertEqual(problem.detail, "Your current balance is 30, but that costs 50.")
    XCTAssertEqual(problem.instance, "/account/12345/msgs/abc")
    XCTAssertEqual(problem["balance"].int, 30)
    XCTAssertEqual(problem.extensions.map(\.name), ["balance", "accounts"])
    XCTAssertFalse(problem["nothing"].exists)
  }

  /// RFC 9457, 3.1: a member that is missing, or of another type.
  func testWhatIsMissingOrOfAnotherTypeCountsAsMissing() async throws {
    for body in ["{}", #"{"type": 1, "title": [], "status": "403", "detail": null, "instance": {}}"#] {
      let problem = try XCTUnwrap(error(body).problem)
      XCTAssertEqual(problem.type, "about:blank")
      XCTAssertNil(problem.title ?? problem.detail ?? problem.instance)
      XCTAssertNil(problem.status)
      XCTAssertEqual(problem.extensions.count, 0)
    }
  }

  func testOnlyTheContentTypeMakesOneAndItIsBounded() async {
    XCTAssertNotNil(error(credit, "Application/Problem+JSON").problem)
    for type in [nil, "application/json", "application/problem+xml", "text/plain", "application/problem"] {
      XCTAssertNil(error(credit, type).problem)
    }
    for body in ["", "[]", "\"a\"", "{", "<html>"] { XCTAssertNil(error(body).problem) }
    let long = String(repeating: "a", count: 64 << 10)
    XCTAssertNil(error(#"{"title": "\#(long)"}"#).problem)
    XCTAssertNil(APIError(.transport, .idleTimeout).problem)
  }

  func testItsTextsMaskSecrets() async throws {
    let problem = try XCTUnwrap(
      error(#"{"title": "no", "session_token": "hunter2", "detail": "https://a.test/?key=hunter3"}"#).problem)
    var dumped = ""
    dump(problem, to: &dumped)
    for text in ["\(problem)", String(reflecting: problem), dumped] {
      XCTAssertFalse(text.contains("hunter"), text)
      XCTAssertTrue(text.contains("no"), text)
    }
    let long = try XCTUnwrap(error(#"{"title": "\#(String(repeating: "a", count: 5000))"}"#).problem)
    XCTAssertLessThanOrEqual(long.description.count, 1001)
  }
}
