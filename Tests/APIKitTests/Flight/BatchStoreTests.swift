import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit
/// What the loads of a batch store, and what they make stale.
@MainActor final class BatchStoreTests: BatchCase {
  func testAChangeThatIsOneOfABatchMakesTheStoredResponsesOfItsURLStale() async throws {
    for count in [1, 2] {
      stub.reset()
      stub.on("*", .json(#"{"items": [{"id": 1}, {"id": 2}]}"#))
      let store = ResponseCache()
      let list = makeManager()
      list.apiName = count == 1 ? "home" : "homes"
      list.cachePolicy = .fresh(for: .seconds(600))
      list.service.store = store
      list.service.onBatchPlan = { _ in nil }
      _ = try await list.response()
      _ = try await list.response()
      XCTAssertEqual(stub.requests.count, 1, "it is stored")
      let changes = (0..<count).map { _ in makeManager(most: 2) }
      for (index, manager) in changes.enumerated() {
        let plan = manager.service.onBatchPlan
        manager.service.onBatchPlan = { call in
          var plan = plan(call)
          plan?.includesUnsafeMethods = true
          return plan
        }
        manager.service.store = store
        manager.method = .put
        manager.load(["id": index + 1])
      }
      if count == 1 { await time.advanceOnceAsleep(by: .milliseconds(10)) }
      await waitUntil { changes.allSatisfy { !$0.isLoading } }
      XCTAssertEqual(stub.requests.map(\.method), [.get, .put])
      XCTAssertEqual(stub.requests.map(\.url.path).last, count == 1 ? "/api/home" : "/api/homes")
      _ = try await list.response()
      XCTAssertEqual(stub.requests.count, 3, "\(count): it is asked for again")
    }
  }

  func testAResponseOfALoadThatStaysAloneIsStoredThoughAnotherBeganTheBatch() async throws {
    let store = ResponseCache()
    let (first, second) = (makeManager(), makeManager())
    for manager in [first, second] {
      manager.service.store = store
      manager.cachePolicy = .fresh(for: .seconds(600))
    }
    first.load(["id": 1])
    await waitUntilGathered(1)
    second.load(["id": 2])
    await waitUntilGathered(2)
    first.cancel()
    await waitUntilGathered(1)
    await time.advanceOnceAsleep(by: .milliseconds(10))
    await waitUntil { !second.isLoading }
    XCTAssertEqual(stub.requests.map(\.url.path), ["/api/home"])
    second.load(["id": 2])
    await waitUntil { !second.isLoading }
    XCTAssertFalse(second.isLoading)
    XCTAssertNotEqual(second.lastResponse?.provenance, .network)
  }
}
