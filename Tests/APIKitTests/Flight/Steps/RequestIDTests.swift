import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// The header field in which a service's requests say their id.
@MainActor final class RequestIDTests: XCTestCase {
  private let stub = StubTransport(.json(someJSON))

  private func makeManager() -> TestManager {
    var service = TestService(stub)
    service.requestIDField = "X-Request-ID"
    return TestManager(service)
  }

  private var ids: [String?] { stub.requests.map { $0.headers["x-request-id"] } }

  func testEachLoadSaysItsIDInTheFieldThatTheServiceNames() async throws {
    let manager = makeManager()
    let first = try await manager.response()
    let second = try await manager.response()
    XCTAssertEqual(Set(ids).count, 2)
    for (id, response) in zip(ids, [first, second]) {
      let id = try XCTUnwrap(id)
      let flight = try XCTUnwrap(response.flightID)
      XCTAssertTrue(id.wholeMatch(of: /[0-9a-f]{16}-[0-9]+/) != nil && id.hasSuffix("-\(flight)"), id)
      XCTAssertTrue(response.record?.description.contains("request id: \(id)") == true, "the record has it")
    }
  }

  func testAllAttemptsOfALoadHaveOneID() async throws {
    stub.on("/api/list", .status(503), .json(someJSON))
    let manager = makeManager()
    manager.retryPolicy = RetryPolicy(attempts: 2)
    manager.retryPolicy.backoff = .constant(.zero)
    _ = try await manager.response()
    XCTAssertEqual(ids.count, 2)
    XCTAssertNotNil(ids[0])
    XCTAssertEqual(ids[0], ids[1])
  }

  func testIdenticalLoadsAreJoinedAllTheSame() async throws {
    stub.hold()
    let recorder = Recorder()
    let managers = [makeManager(), makeManager()]
    for manager in managers {
      manager.joinsIdenticalFlights = true
      manager.delegate = recorder
      manager.load()
    }
    stub.release()
    await recorder.waitForLandings(2)
    XCTAssertEqual(ids.count, 1)
  }

  func testTheSignatureCoversIt() async throws {
    let seen = Record<String>()
    let manager = makeManager()
    manager.service.signer = FieldSigner(seen: seen)
    _ = try await manager.response()
    XCTAssertEqual(seen.all, ids.compactMap { $0 })
  }

  func testAManagersOwnFieldIsSentInstead() async throws {
    let manager = makeManager()
    manager.headers = ["X-Request-ID": "mine"]
    _ = try await manager.response()
    XCTAssertEqual(ids, ["mine"])
  }

  func testWithoutANameNoneIsSent() async throws {
    _ = try await TestManager(stub).response()
    XCTAssertEqual(ids, [nil])
  }

  private struct FieldSigner: RequestSigner {
    let seen: Record<String>
    var caller: String? { "test" }
    func sign(_ request: inout HTTPRequest, _ subject: SigningSubject) throws(APIError) {
      if let id = request.headers["X-Request-ID"] { seen.add(id) }
    }
  }
}
