import APIKitTesting
import APIKitXML
@testable import TestSupport
import XCTest

@testable import APIKit

/// Several decoders for one API, asked in order.
final class BodyChoiceTests: XCTestCase {
  @MainActor
  private func load(_ response: StubResponse, _ choices: [BodyChoice]) async throws -> RawData {
    let manager = TestManager(StubTransport(response))
    manager.expectation = ResponseExpectation(statuses: 200..<500, format: .firstOf(choices))
    return try await manager.response([:]).raw
  }

  private let choices = [
    BodyChoice(XMLBodyDecoder(), contentTypes: ["application/xml", "text/*"]),
    BodyChoice(JSONBodyDecoder(), statuses: 200..<300), BodyChoice(TextBodyDecoder(), statuses: 400..<500),
  ]

  @MainActor
  func testTheFirstThatTakesTypeAndStatusDecodes() async throws {
    let xml = try await load(.bytes(Array("<a>1</a>".utf8), contentType: "application/xml"), choices)
    XCTAssertEqual(xml.a.int, 1)
    let json = try await load(.json("{\"a\": 2}"), choices)
    XCTAssertEqual(json.a.int, 2)
    let text = try await load(
      .bytes(Array("gone".utf8), status: 404, contentType: "application/json"), choices)
    XCTAssertEqual(text.string, "gone")
  }

  @MainActor
  func testOneThatCannotReadTheBodyLeavesItToTheNext() async throws {
    let json = try await load(.bytes(Array("{\"a\": 3}".utf8), contentType: "text/plain"), choices)
    XCTAssertEqual(json.a.int, 3)
    do {
      _ = try await load(.bytes(Array("neither".utf8), contentType: "text/plain"), choices)
      XCTFail("it landed")
    } catch {
      XCTAssertEqual((error as? APIError)?.reason, .malformedBody)
    }
  }

  @MainActor
  func testAResponseThatNoneTakesAndALimitEndTheLoad() async throws {
    do {
      _ = try await load(.bytes([1], status: 350, contentType: "image/png"), choices)
      XCTFail("it landed")
    } catch {
      let error = error as? APIError
      XCTAssertEqual(error?.reason, .unacceptableContentType)
      XCTAssertEqual(error?.detail, "none of 3 decoders takes status 350 with image/png")
    }
    let deep = String(repeating: "<a>", count: 600)
    do {
      _ = try await load(.bytes(Array(deep.utf8), contentType: "application/xml"), choices)
      XCTFail("it landed")
    } catch {
      XCTAssertEqual((error as? APIError)?.reason, .bodyLimitExceeded)
    }
  }
}
