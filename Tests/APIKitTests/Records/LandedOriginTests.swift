import APIKitReports
import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit

/// Where the responses of loads came from, as statistics tell them apart.
@MainActor final class LandedOriginTests: XCTestCase {
  private let statistics = FlightStatistics()
  private let stub = StubTransport()

  override func setUp() async throws { statistics.isOn = true }
  override func tearDown() async throws { statistics.isOn = false }

  private var origins: [LandedLoad.Origin] {
    statistics.report.loads.filter { $0.api.service == "Homes" }.map(\.origin)
  }

  func testTheLoadsOfABatchAreApartFromTheOneThatAsked() async throws {
    stub.on("/api/homes", .json(#"{"items": [{"id": 1}, {"id": 2}, {"id": 3}]}"#))
    var service = TestService(stub)
    service.onBatchPlan = { _ in
      var plan = BatchPlan.byID("id", list: "homes", as: "ids", items: "items")
      plan.maximumCount = 3
      return plan
    }
    let manager = TestManager(service)
    manager.apiName = "home"
    manager.sharedState = SharedState()
    async let first = manager.response(["id": 1])
    async let second = manager.response(["id": 2])
    async let third = manager.response(["id": 3])
    _ = try await (first, second, third)
    XCTAssertEqual(stub.requests.count, 1)
    XCTAssertEqual(origins.filter { $0 == .network }.count, 1)
    XCTAssertEqual(origins.filter { $0 == .batched }.count, 2)
    XCTAssertEqual(statistics.report.byOrigin.map(\.name), ["batched", "network"])
  }

  func testMemoryAndDiskAreToldFromTheNetwork() async throws {
    stub.on("/api/list", .json(someJSON, headers: ["Cache-Control": "max-age=600"]))
    let folder = temporaryPath()
    func manager() -> TestManager {
      var service = TestService(stub)
      service.store = ResponseCache(disk: DiskCacheConfiguration(folder: folder))
      let manager = TestManager(service)
      manager.cachePolicy = .fresh()
      return manager
    }
    let first = manager()
    _ = try await first.response()
    _ = try await first.response()
    await first.service.store?.flush()
    _ = try await manager().response()
    XCTAssertEqual(origins, [.network, .memory, .disk])
  }

  func testWhatEndedBeforeAnythingWasSentIsUnsent() async throws {
    let manager = TestManager(stub)
    manager.takeoffPolicy = .debounce(.seconds(60))
    manager.load()
    manager.cancel()
    XCTAssertEqual(origins, [.unsent])
    XCTAssertEqual(statistics.report.loads.last { $0.api.service == "Homes" }?.attempts, [])
  }
}
