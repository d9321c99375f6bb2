import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// The request that is made of a call.
@MainActor final class AssemblingTests: XCTestCase {
  private let stub = StubTransport(.json(someJSON))
  private lazy var manager = TestManager(stub)

  func testParametersOfTheLoadWinOverTheCommonOnes() async throws {
    manager.service.common = ["lang": "en", "city": "Ames"]
    _ = try await manager.response(["city": "Suzhou"])
    let query = try XCTUnwrap(stub.requests.first?.url.query).split(separator: "&")
    XCTAssertEqual(Set(query), ["lang=en", "city=Suzhou"])
    XCTAssertEqual(query.count, 2)
  }

  func testHeaderFieldsOfTheManagerWinOverTheServices() async throws {
    manager.service.extraHeaders = ["X-Kind": "service", "X-Other": "service"]
    manager.headers = ["X-Kind": "manager"]
    _ = try await manager.response()
    XCTAssertEqual(stub.requests.first?.headers.values("X-Kind"), ["manager"])
    XCTAssertEqual(stub.requests.first?.headers["X-Other"], "service")
  }

  func testAParameterOfThePathIsNotSentAgain() async throws {
    manager.apiName = "homes/{id}/photos"
    _ = try await manager.response(["id": 7, "page": 2])
    XCTAssertEqual(stub.requests.first?.url.path, "/api/homes/7/photos")
    XCTAssertEqual(stub.requests.first?.url.query, "page=2")
  }

  func testBesideABodyOfTheManagersOwnParametersGoIntoTheQuery() async throws {
    manager.method = .post
    manager.body = .bytes([1, 2, 3])
    _ = try await manager.response(["page": 2])
    let request = try XCTUnwrap(stub.requests.first)
    XCTAssertEqual(request.url.query, "page=2")
    guard case .bytes(let bytes) = request.body else { return XCTFail("\(request.body)") }
    XCTAssertEqual(bytes, [1, 2, 3])
  }

  func testABodyIsEncipheredAfterItsEncoding() async throws {
    manager.method = .post
    manager.parameterEncoding = .form
    manager.service.transform = { Array($0.reversed()) }
    stub.on("/api/list", .status(204))
    _ = try await manager.response(["ab": "cd"])
    guard case .bytes(let bytes)? = stub.requests.first?.body else { return XCTFail("no body") }
    XCTAssertEqual(String(decoding: bytes, as: UTF8.self), "dc=ba")
  }

  func testACipherThatThrowsFailsTheLoadBeforeItsFirstAttempt() async throws {
    struct NoKey: Error {}
    let asked = Counter()
    manager.method = .put
    manager.service.transform = { _ in throw NoKey() }
    manager.service.retryPolicy = RetryPolicy(attempts: 3)
    manager.service.onError = { _ in
      asked.increment()
      return .replay
    }
    let error = try await errorThrown { () throws(APIError) in try await manager.response(["a": 1]) }
    XCTAssertEqual(error.label, "assembly.misconfigured")
    XCTAssertTrue(error.underlying is NoKey)
    XCTAssertEqual(stub.requests.count, 0)
    XCTAssertEqual(asked.value, 0, "the hook is for failures of attempts")
  }

  func testAShapeOfABodyThatIsNotDecodedIsRefusedBeforeAnythingIsSent() async throws {
    manager.expectation = ResponseExpectation(format: .bytes, shape: ["items": .array])
    let error = try await errorThrown { () throws(APIError) in try await manager.response() }
    XCTAssertEqual(error.label, "assembly.misconfigured")
    XCTAssertEqual(stub.requests.count, 0)
  }
}
