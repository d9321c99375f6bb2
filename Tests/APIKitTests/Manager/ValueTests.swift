import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// One line from a manager to a value.
@MainActor final class ValueTests: XCTestCase {
  private struct Page: Codable, Equatable, Sendable {
    var total: Int
  }
  private struct Total: Reformer {
    func reform(_ raw: RawData, from source: ReformSource) throws -> Int { try raw.total.require(Int.self) }
  }
  private final class PageManager: BaseAPIManager, APIManager {
    typealias Output = Page
    let service: TestService
    let apiName = "pages/{id}"

    init(_ stub: StubTransport) {
      service = TestService(stub)
      super.init()
    }
  }

  func testAResponseIsDecodedReformedOrTheStatedOutput() async throws {
    let stub = StubTransport(.json(#"{"total": 7}"#))
    let manager = PageManager(stub)
    let decoded = try await manager.value(["id": 1], as: Page.self)
    XCTAssertEqual(decoded, Page(total: 7))
    let reformed = try await manager.value(["id": 2], with: Total())
    XCTAssertEqual(reformed, 7)
    let id = 3
    let stated = try await manager.value(["id": id])
    XCTAssertEqual(stated, Page(total: 7))
    XCTAssertEqual(stub.requests.map(\.url.path), ["/api/pages/1", "/api/pages/2", "/api/pages/3"])
  }

  func testAStructOfSearchTermsGoesInWhole() async throws {
    struct Terms: Encodable {
      var id: Int
      var city: String
    }
    let stub = StubTransport(.json(#"{"total": 7}"#))
    let manager = PageManager(stub)
    _ = try await manager.value(Terms(id: 4, city: "Suzhou"))
    _ = try await manager.response(Terms(id: 5, city: "Suzhou"))
    XCTAssertNotNil(manager.load(Terms(id: 6, city: "Suzhou")).flightID)
    await waitUntil { !manager.isLoading }
    XCTAssertEqual(stub.requests.map(\.url.path), ["/api/pages/4", "/api/pages/5", "/api/pages/6"])
    XCTAssertEqual(Set(stub.requests.map(\.url.query)), ["city=Suzhou"])
  }

  func testAValueThatDoesNotFitIsNamedByItsPath() async throws {
    let manager = PageManager(StubTransport(.json(#"{"total": "many"}"#)))
    let error = try await errorThrown { () throws(APIError) in try await manager.value(["id": 1]) }
    XCTAssertEqual(error.stage, .reform)
    XCTAssertTrue(error.detail.contains("total"), error.detail)
    XCTAssertEqual(error.context.apiName, "pages/{id}")
  }

  func testAValueThatDoesNotFitHasTheResponseAsEvidence() async throws {
    let manager = PageManager(StubTransport(.json(#"{"total": "many", "hint": "a text"}"#)))
    func check(_ error: APIError, line: UInt = #line) {
      XCTAssertEqual(error.stage, .reform, line: line)
      XCTAssertEqual(error.response?.status, 200, line: line)
      XCTAssertEqual(error.response?.headers["Content-Type"], "application/json", line: line)
      XCTAssertEqual(error.raw.hint.string, "a text", line: line)
      XCTAssertTrue(error.expandedDescription.contains(#""hint": "a text""#), line: line)
      XCTAssertFalse("\(error) \(error.localizedDescription)".contains("a text"), line: line)
    }
    check(try await errorThrown { () throws(APIError) in try await manager.value(["id": 1]) })
    check(try await errorThrown { () throws(APIError) in try await manager.value(["id": 1], with: Total()) })
    let response = try await manager.response(["id": 1])
    check(try await errorThrown { () throws(APIError) in try response.decode(as: Page.self) })
  }

  func testTheEvidenceHasWhatTheManagersOwnDecoderHasRead() async throws {
    let response = APIResponse(
      raw: ["total": "many"],
      http: HTTPResponse(status: 200, headers: ["Content-Type": "application/own"], body: .bytes([1, 2])))
    let error = try await errorThrown { () throws(APIError) in try response.decode(as: Page.self) }
    XCTAssertEqual(error.response?.bytes, [1, 2])
    XCTAssertEqual(error.raw.total.string, "many")
  }

  func testALargeResponseIsDecodedOffTheMainActor() async throws {
    struct Thread: Reformer {
      func reform(_ raw: RawData, from source: ReformSource) throws -> Bool { Foundation.Thread.isMainThread }
    }
    let large = "[" + String(repeating: "1234567,", count: 10_000) + "1]"
    let manager = PageManager(StubTransport(.json(large)))
    let wasMain = try await manager.value(["id": 1], with: Thread())
    XCTAssertFalse(wasMain)
  }
}
