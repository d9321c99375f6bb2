import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// What lands in the place of a failure: a stored response, or what the service declares.
@MainActor final class FallbackRemedyTests: XCTestCase {
  private let stub = StubTransport(.json(someJSON))
  private let network = NetworkMonitor(watchesSystem: false)
  private let asked = Record<APIError>()

  private func makeManager() -> TestManager {
    let manager = TestManager(stub)
    let asked = asked
    manager.service.network = network
    manager.service.networkGate = .refuse
    manager.service.onFallback = { error in
      asked.add(error)
      return APIResponse(raw: ["kind": "fallback"], http: HTTPResponse(status: 200))
    }
    return manager
  }

  func testTheServiceIsAskedWithTheWholeErrorAndItsResponseLandsAsTheLoads() async throws {
    network.force(.offline)
    let response = try await makeManager().response()
    XCTAssertEqual(response.raw["kind"].string, "fallback")
    XCTAssertEqual(response.provenance, .fallback)
    XCTAssertEqual(asked.all.map(\.label), ["takeoff.no-network"])
    XCTAssertEqual(asked.all.first?.context.apiName, "list")
    XCTAssertEqual(asked.all.first?.context.flightID, response.flightID?.rawValue)
    XCTAssertEqual(stub.requests.count, 0)
  }

  func testTheDeadlineEndsTheWaitForTheFallback() async throws {
    network.force(.offline)
    let (time, asked) = (ManualTime(), Counter())
    let manager = makeManager()
    manager.time = time
    manager.retryPolicy = RetryPolicy(attempts: 1, deadline: .seconds(5))
    manager.service.onFallback = { _ in
      asked.increment()
      try? await Task.sleep(for: .seconds(60))
      return nil
    }
    async let failed = errorThrown { () throws(APIError) in try await manager.response() }
    await waitUntil { asked.value == 1 }
    await time.advanceOnceAsleep(by: .seconds(5))
    let error = try await failed
    XCTAssertEqual(error.reason, .noNetwork)
  }

  func testTheDeadlineEndsTheWaitForAFallbackThatIgnoresItsCancellation() async throws {
    network.force(.offline)
    let (time, asked, gate) = (ManualTime(), Counter(), StubGate())
    let manager = makeManager()
    manager.time = time
    manager.retryPolicy = RetryPolicy(attempts: 1, deadline: .seconds(5))
    manager.service.onFallback = { _ in
      asked.increment()
      await Task { try? await gate.waitForArrivals(1, within: .seconds(30)) }.value
      return nil
    }
    let begin = ContinuousClock.now
    async let failed = errorThrown { () throws(APIError) in try await manager.response() }
    await waitUntil { asked.value == 1 }
    await time.advanceOnceAsleep(by: .seconds(5))
    let error = try await failed
    XCTAssertEqual(error.reason, .noNetwork)
    XCTAssertLessThan(ContinuousClock.now - begin, .seconds(20))
  }

  func testAServerThatRespondsWithAnErrorNeedsNoFallback() async throws {
    stub.on("/api/list", .status(503), .dropped)
    let manager = makeManager()
    for _ in 0..<2 { _ = try await errorThrown { () throws(APIError) in try await manager.response() } }
    XCTAssertEqual(asked.all.count, 0)
  }

  func testAServiceThatDeclaresNoneLetsTheFailureLand() async throws {
    network.force(.offline)
    let manager = makeManager()
    manager.service.onFallback = { _ in nil }
    let error = try await errorThrown { () throws(APIError) in try await manager.response() }
    XCTAssertEqual(error.reason, .noNetwork)
  }

  func testAStoredResponseIsPreferred() async throws {
    let manager = makeManager()
    manager.service.store = ResponseCache()
    manager.cachePolicy = .networkElseStale()
    _ = try await manager.response()
    network.force(.offline)
    let response = try await manager.response()
    guard case .stale = response.provenance else { return XCTFail("\(response.provenance)") }
    XCTAssertEqual(response.raw["total"].int, 1)
    XCTAssertEqual(asked.all.count, 0)
  }

  func testAResponseThatBrokeOffWithTheNetworkIsNoOutage() async throws {
    let broken = APIError(.transport, .noNetwork, evidence: HTTPResponse(status: 200).evidence)
    stub.on("/api/list", .json(someJSON), .failure(broken))
    let manager = makeManager()
    manager.service.onFallback = { _ in nil }
    manager.service.store = ResponseCache()
    manager.cachePolicy = .networkElseStale()
    _ = try await manager.response()
    let error = try await errorThrown { () throws(APIError) in try await manager.response() }
    XCTAssertEqual(error.reason, .noNetwork)
  }

  func testAFallbackIsNotStored() async throws {
    let manager = makeManager()
    manager.service.store = ResponseCache()
    manager.cachePolicy = .fresh()
    network.force(.offline)
    _ = try await manager.response()
    network.force(.wifi)
    let response = try await manager.response()
    XCTAssertEqual(response.provenance, .network)
    XCTAssertEqual(response.raw["total"].int, 1)
  }

  func testAFallbackIsHeldToTheManagersOwnRules() async throws {
    network.force(.offline)
    let manager = makeManager()
    manager.onValidateResponse = { _ in throw ValidationError("no such kind") }
    let error = try await errorThrown { () throws(APIError) in try await manager.response() }
    XCTAssertEqual(error.reason, .invalidResponse)
    XCTAssertEqual(asked.all.count, 1)
  }
}
