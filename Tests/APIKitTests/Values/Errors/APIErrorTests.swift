import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit
import APIKitOAuth

/// The three texts of an error, and what each may hold.
final class APIErrorTests: XCTestCase {
  private func makeError() -> APIError {
    var error = APIError(
      .transport, .idleTimeout, "no bytes for 30 s",
      evidence: .init(status: 200, headers: [("Set-Cookie", "sid=s3cret")], body: Array("half a bo".utf8)))
    error.context.method = "GET"
    error.context.apiName = "rent/list"
    error.context.service = "Listings"
    error.context.manager = "RentListManager"
    error.context.attempt = 2
    error.context.attemptLimit = 2
    error.context.flightID = 7
    return error
  }

  func testTheDescriptionSaysWhatWhereWhyAndWhichAttempt() {
    XCTAssertEqual(
      makeError().description,
      "GET rent/list (Listings) failed in transport: no bytes for 30 s; attempt 2 of 2")
  }

  func testTheWordsOfAServerAddNoLineAndNoControlCharacter() throws {
    var error = makeError()
    error.detail = "the service reported 7: no\r\nGET a (B) failed\u{85}c\u{2028}d\u{B}e\u{1B}[2J\u{202E}f"
    let event = FlightEvent.landed(.failed(label: error.label, detail: error.detail))
    for text in [error.description, event.description] {
      let bad = text.unicodeScalars.filter { scalar in
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: scalar == "\u{202E}"
        }
      }
      XCTAssertEqual(bad.count, 0, text.debugDescription)
    }
  }

  func testTheLabelHasNoVariableParts() {
    XCTAssertEqual(makeError().label, "transport.idle-timeout")
  }

  func testOnlyTheExpandedDescriptionHoldsBodiesAndHeaderValues() {
    let error = makeError()
    XCTAssertFalse(error.description.contains("s3cret"))
    XCTAssertFalse(error.label.contains("s3cret"))
    XCTAssertTrue(error.expandedDescription.contains("half a bo"))
    XCTAssertTrue(error.expandedDescription.contains("sid=s3cret"))
    XCTAssertTrue(error.expandedDescription.contains("flight: 7"))
  }

  func testValuesPathsAndTheServersOwnWordsAreInTheExpandedDescriptionOnly() async throws {
    let raw = try RawData(parsing: Array(#"{"token": "S3CRET", "pin": 1234}"#.utf8))
    struct Row: Decodable { var token: Int }
    let stub = StubTransport()
    stub.on(
      "/reset/S3CRET",
      .status(302, headers: ["Location": "/reset/S3CRET"]))
    let client = HTTPClient(transport: stub)
    let oauth = OAuthClient(
      OAuthConfiguration(clientID: "a", tokenEndpoint: "https://id/token"), client: client)
    stub.on(
      "/token", .json(#"{"error": "invalid_grant", "error_description": "S3CRET is spent"}"#, status: 400))
    let address = "https://a/S3CRET %"
    let errors = [
      await failure { try raw.token.require(Int.self) }, await failure { try raw.pin.require(String.self) },
      await failure { try raw.decode(as: Row.self) },
      await failure { try await client.send(HTTPExchange(HTTPRequest(url: "https://a/reset/S3CRET"))) },
      await failure { try await oauth.renew(Credential(accessToken: "a", refreshToken: "r")) },
      await failure { try HTTPURL(address) },
      await failure { try HTTPURL("https://a").appending(path: "S3CRET/../b") },
    ]
    for case let error? in errors {
      for text in [error.description, error.detail, error.label] {
        XCTAssertFalse(text.contains("S3CRET") || text.contains("1234"), text)
      }
      let expanded = error.expandedDescription
      XCTAssertTrue(expanded.contains("S3CRET") || expanded.contains("1234"), expanded)
    }
    XCTAssertEqual(errors.count { $0 != nil }, errors.count)
  }

  func testAnErrorWithoutContextStillSaysWhereAndWhy() {
    XCTAssertEqual(
      APIError(.assembly, .invalidURL).description, "failed in assembly: the URL is not valid")
  }

  func testReasonsAreEqualByNameSoThatApplicationsMayMakeTheirOwn() {
    XCTAssertEqual(APIError.Reason("sold-out", "a"), APIError.Reason("sold-out", "b"))
    XCTAssertNotEqual(APIError.Reason.idleTimeout, .totalTimeout)
    XCTAssertEqual(Set([APIError.Reason.cancelled, .cancelled]).count, 1)
  }

  func testTheResponseOfTheServerStaysReadable() {
    XCTAssertEqual(makeError().response?.bytes, Array("half a bo".utf8))
    XCTAssertEqual(makeError().response?.headers["set-cookie"], "sid=s3cret")
    XCTAssertNil(APIError(.transport, .unknownHost).response)
  }

  func testALongBodyIsCutInTheExpandedDescription() {
    let body = [UInt8](repeating: UInt8(ascii: "x"), count: 100_000)
    let error = APIError(.response, .malformedBody, evidence: .init(status: 200, headers: [], body: body))
    XCTAssertLessThan(error.expandedDescription.utf8.count, 20_000)
    XCTAssertTrue(error.expandedDescription.contains("100000 bytes"))
  }
}
