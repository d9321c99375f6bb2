import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// What a load does before it asks: a stored response lands, is shown, or is not there.
@MainActor final class LookingUpTests: XCTestCase {
  private let stub = StubTransport(.json("[1]"), .json("[2]"))
  private let recorder = Recorder()

  private func makeManager(_ policy: CachePolicy) -> TestManager {
    let manager = TestManager(stub)
    manager.service.store = ResponseCache()
    manager.cachePolicy = policy
    manager.delegate = recorder
    return manager
  }

  func testAStoredResponseLandsWithoutARequestAndNotBeforeLoadHasReturned() async throws {
    let manager = makeManager(.fresh())
    _ = try await manager.response()
    manager.load()
    XCTAssertEqual(recorder.landingCount, 1)
    await recorder.waitForLandings(2)
    XCTAssertEqual(recorder.responses.map { $0.raw[0].int }, [1, 1])
    XCTAssertEqual(stub.requests.count, 1)
  }

  func testAStoredResponseIsShownWhileTheServerIsAsked() async throws {
    let manager = makeManager(.cacheThenNetwork)
    _ = try await manager.response()
    stub.hold()
    manager.load()
    try await stub.waitForRequests(2)
    await landingsWorkedOff()
    XCTAssertEqual(recorder.responses.map { $0.raw[0].int }, [1, 1], "the second is the stored one")
    XCTAssertTrue(manager.isLoading)
    stub.release()
    await recorder.waitForLandings(3)
    XCTAssertEqual(recorder.responses.last?.raw[0].int, 2)
  }

  func testWithoutACachePolicyNothingIsLookedUp() async throws {
    let manager = makeManager(.fresh())
    _ = try await manager.response()
    manager.cachePolicy = .none
    let second = try await manager.response()
    XCTAssertEqual(second.provenance, .network)
    XCTAssertEqual(stub.requests.count, 2)
  }

  func testALoadThatMayNotAskFailsWhereNothingIsStored() async throws {
    let manager = makeManager(.cacheOnly)
    manager.retryPolicy = RetryPolicy(attempts: 3)
    let error = try await errorThrown { () throws(APIError) in try await manager.response() }
    XCTAssertEqual(error.label, "cache.not-cached")
    XCTAssertEqual(stub.requests.count, 0)
  }

  func testAStoredResponseThatTheManagerRefusesIsDroppedAndTheServerIsAsked() async throws {
    let manager = makeManager(.fresh())
    _ = try await manager.response()
    manager.onValidateResponse = { response in
      if response.raw[0].int == 1 { throw ValidationError("an old form") }
    }
    let second = try await manager.response()
    XCTAssertEqual(second.raw[0].int, 2)
    XCTAssertEqual(second.provenance, .network)
    let third = try await manager.response()
    XCTAssertEqual(third.raw[0].int, 2)
    XCTAssertEqual(stub.requests.count, 2, "the third is stored")
  }
}
