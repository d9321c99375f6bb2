import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// What `print` shows of a response.
@MainActor final class ResponseTextTests: XCTestCase {
  private let response = HTTPResponse(
    status: 404,
    headers: [
      "Content-Type": "application/json", "Set-Cookie": "sid=S3CRET", "X-Auth-Token": "S3CRET",
    ],
    body: .bytes(Array(#"{"message":"no home 7","access_token":"S3CRET"}"#.utf8)),
    url: "https://homes.test/list?token=S3CRET")

  func testAResponseIsPrintedAsItCameWithItsSecretsMasked() {
    XCTAssertEqual(
      "\(response)",
      """
      HTTP/1.1 404 https://homes.test/list?…
      Content-Type: application/json
      Set-Cookie: •••
      X-Auth-Token: •••

      {"message":"no home 7","access_token":"•••"}
      """)
    var dumped = ""
    dump(response, to: &dumped)
    XCTAssertTrue(dumped.contains("no home 7") && !dumped.contains("S3CRET"), dumped)
    XCTAssertEqual(String(reflecting: response), response.description)
  }

  func testABodyThatIsNoTextIsCountedAndALongOneIsCut() {
    func text(_ body: HTTPResponse.Body, _ type: String = "text/plain") -> String {
      "\(HTTPResponse(status: 200, headers: ["Content-Type": type], body: body))"
    }
    XCTAssertTrue(text(.bytes([0x89, 0x50, 0x4E, 0x47]), "image/png").hasSuffix("image/png\n4 bytes"))
    XCTAssertTrue(text(.bytes([0x41, 0, 0x42])).hasSuffix("text/plain\n3 bytes"))
    XCTAssertTrue(text(.file(path: "/tmp/a", count: 7)).hasSuffix("7 bytes in the file /tmp/a"))
    XCTAssertTrue(text(.bytes([])).hasSuffix("text/plain"))
    let long = text(.bytes([UInt8](repeating: 0x61, count: 5000)))
    XCTAssertTrue(long.count < 1100 && long.hasSuffix("a… (5000 bytes)"), long)
  }

  func testALandingIsPrintedWithItsAPIAndWhereItCameFrom() async throws {
    let stub = StubTransport(.json(#"{"total": 1, "token": "S3CRET"}"#))
    let text = "\(try await TestManager(stub).response())"
    XCTAssertTrue(text.hasPrefix("list (Homes) from the network\nHTTP/1.1 200"), text)
    XCTAssertTrue(text.hasSuffix(#"{"total": 1, "token":"•••"}"#), text)
    let stored = APIResponse(raw: 1, http: response, provenance: .stale(age: .seconds(3)))
    XCTAssertTrue("\(stored)".hasPrefix("from the cache, stale, stored 3 s ago\nHTTP/1.1 404"), "\(stored)")
    var dumped = ""
    dump(stored, to: &dumped)
    XCTAssertFalse(dumped.contains("S3CRET"), dumped)
  }
}
