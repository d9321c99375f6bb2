import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit
/// Tests of batches: managers of one id each, and a service with a list.
@MainActor class BatchCase: XCTestCase {
  let stub = StubTransport()
  let sharedState = SharedState()
  let time = ManualTime()

  override func setUp() async throws {
    // A list of what was asked for, without 13.
    stub.on(
      "/api/homes",
      .computed { request in
        let ids = (request.url.query ?? "").split(separator: "&")
          .filter { $0.hasPrefix("ids") }.compactMap { $0.split(separator: "=").last }.filter { $0 != "13" }
        return .json(
          "{\"items\": [" + ids.map { "{\"id\": \($0), \"name\": \"home \($0)\"}" }.joined(separator: ", ")
            + "]}")
      })
    stub.on("/api/home", .json(#"{"id": 1, "name": "alone"}"#))
  }

  func makeManager(most: Int = 50) -> TestManager {
    var service = TestService(stub)
    service.onBatchPlan = { call in
      guard call.apiName == "home" else { return nil }
      var plan = BatchPlan.byID("id", list: "homes", as: "ids", items: "items")
      plan.maximumCount = most
      return plan
    }
    let manager = TestManager(service)
    manager.apiName = "home"
    manager.sharedState = sharedState
    manager.time = time
    return manager
  }

  func waitUntilGathered(_ count: Int) async {
    await waitUntil { self.sharedState.batches.waitingCount == count }
  }
}
