import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// The client's own rate as an application meets it.
@MainActor final class PacingTests: XCTestCase {
  private let stub = StubTransport(.json(someJSON))
  private let sharedState = SharedState()
  private let time = ManualTime()

  private func makeManager(_ change: (inout TestService) -> Void = { _ in }) -> TestManager {
    var service = TestService(stub)
    change(&service)
    let manager = TestManager(service)
    manager.sharedState = sharedState
    manager.time = time
    return manager
  }

  private func waitUntilWaiting(_ count: Int) async {
    await waitUntil { self.sharedState.rateLimiter.waitingCount == count }
  }

  func testLoadsAboveTheRateOfTheServiceWaitForTheirTurnInOrder() async throws {
    let recorder = Recorder()
    let managers = (0..<2).map { _ in makeManager { $0.requestRate = RequestRate(2, per: .seconds(1)) } }
    managers[1].apiName = "detail"
    for manager in managers { manager.delegate = recorder }
    for page in 1...5 {
      managers[page % 2].load(["page": page])
      await waitUntilWaiting(max(0, page - 2))
    }
    await recorder.waitForLandings(2)
    // Those that begin at once do so on threads of their own.
    XCTAssertEqual(
      Set(stub.requests.map(\.url.query)), ["page=1", "page=2"], "one count for all APIs of the service")
    await time.advanceOnceAsleep(by: .seconds(1))
    await recorder.waitForLandings(4)
    XCTAssertEqual(Set(stub.requests.dropFirst(2).map(\.url.query)), ["page=3", "page=4"])
    await time.advanceOnceAsleep(by: .seconds(1))
    await recorder.waitForLandings(5)
    let record = try XCTUnwrap(recorder.responses.last?.record).description
    XCTAssertTrue(record.contains("waited 2 s for the rate of Homes: 2 requests in 1 s"), record)
    await waitUntil { self.time.sleeperCount == 0 }
  }

  func testARateThatRefusesSaysWhenTheNextMayBegin() async throws {
    let manager = makeManager { $0.requestRate = RequestRate(1, per: .seconds(10), excess: .refuse) }
    _ = try await manager.response()
    time.advance(by: .seconds(4))
    let error = try await errorThrown { () throws(APIError) in try await manager.response() }
    XCTAssertEqual(error.label, "takeoff.rate-limited")
    XCTAssertEqual(
      error.detail, "the client's rate is used up: Homes: 1 request in 10 s; the next in 6 s")
    XCTAssertEqual(stub.requests.count, 1)
    time.advance(by: .seconds(6))
    _ = try await manager.response()
    XCTAssertEqual(stub.requests.count, 2)
  }

  func testARefusedLoadMayLandWithTheFallbackOfItsService() async throws {
    let manager = makeManager {
      $0.requestRate = RequestRate(1, per: .seconds(10), excess: .refuse)
      $0.onFallback = { _ in APIResponse(raw: ["items": []], http: HTTPResponse(status: 200)) }
    }
    _ = try await manager.response()
    let second = try await manager.response()
    XCTAssertEqual(second.provenance, .fallback)
  }

  func testAnAPIMayHaveARateOfItsOwnWhichIsCountedByItself() async throws {
    let rate = RequestRate(1, per: .seconds(10), scope: .api, excess: .refuse)
    let search = makeManager()
    let detail = makeManager()
    detail.apiName = "detail"
    (search.requestRate, detail.requestRate) = (rate, rate)
    _ = try await search.response()
    _ = try await detail.response()
    let error = try await errorThrown { () throws(APIError) in try await search.response() }
    XCTAssertTrue(error.detail.contains("Homes GET list: 1 request in 10 s"), error.detail)
    _ = try await makeManager().response()
  }

  func testAnotherEnvironmentIsAnotherServer() async throws {
    let manager = makeManager {
      $0.environments = ServiceEnvironments([
        .release: "https://homes.test/api", .development: "https://dev.homes.test/api",
      ])
      $0.requestRate = RequestRate(1, per: .seconds(10), excess: .refuse)
    }
    _ = try await manager.response()
    manager.service.environments.current = .development
    _ = try await manager.response()
    XCTAssertEqual(stub.requests.map(\.url.host), ["homes.test", "dev.homes.test"])
  }

  func testACancelledLoadLeavesTheQueueAndUsesNothingUp() async throws {
    let manager = makeManager { $0.requestRate = RequestRate(1, per: .seconds(1)) }
    let recorder = Recorder()
    manager.delegate = recorder
    manager.load(["page": 1])
    await recorder.waitForLandings(1)
    let second = try XCTUnwrap(manager.load(["page": 2]).flightID)
    await waitUntilWaiting(1)
    manager.load(["page": 3])
    await waitUntilWaiting(2)
    manager.cancel(second)
    await waitUntilWaiting(1)
    await time.advanceOnceAsleep(by: .seconds(1))
    await recorder.waitForLandings(3)
    XCTAssertEqual(stub.requests.map(\.url.query), ["page=1", "page=3"])
  }

  func testTheDeadlineEndsTheWaitForATurn() async throws {
    let manager = makeManager { $0.requestRate = RequestRate(1, per: .seconds(60)) }
    _ = try await manager.response()
    manager.retryPolicy = RetryPolicy(attempts: 1, deadline: .seconds(5))
    async let failed = errorThrown { () throws(APIError) in try await manager.response() }
    await time.advanceOnceAsleep(by: .seconds(5), sleepers: 2)
    let error = try await failed
    XCTAssertEqual(error.reason, .deadlineExceeded)
    await waitUntilWaiting(0)
  }

  func testALoadThatAnOpenBreakerRefusesUsesNothingUp() async throws {
    stub.on("/api/list", .status(503))
    let manager = makeManager {
      $0.requestRate = RequestRate(3, per: .seconds(10), excess: .refuse)
      var policy = BreakerPolicy()
      (policy.scope, policy.minimumAttempts) = (.api, 2)
      $0.breaker = policy
    }
    var reasons: [APIError.Reason?] = []
    for _ in 0..<6 { reasons.append(await failure { try await manager.response() }?.reason) }
    XCTAssertEqual(Set(reasons[2...]), [.circuitOpen])
    manager.apiName = "detail"
    _ = try await manager.response()
    let last = await failure { try await manager.response() }
    XCTAssertEqual(last?.reason, .rateLimited)
    XCTAssertEqual(stub.requests.count, 3)
  }

  func testThoseThatWaitBehindALoadThatSendsNothingGoInItsPlace() async throws {
    stub.on("/api/list", .status(503))
    let manager = makeManager {
      $0.requestRate = RequestRate(2, per: .seconds(10))
      var policy = BreakerPolicy()
      (policy.scope, policy.minimumAttempts) = (.api, 2)
      policy.openInterval = .seconds(60)
      $0.breaker = policy
    }
    let recorder = Recorder()
    manager.delegate = recorder
    for page in 1...6 {
      manager.load(["page": page])
      await waitUntilWaiting(max(0, page - 2))
    }
    await recorder.waitForLandings(2)
    manager.apiName = "detail"
    manager.load(["page": 7])
    await waitUntilWaiting(5)
    await time.advanceOnceAsleep(by: .seconds(10))
    await recorder.waitForLandings(7)
    XCTAssertEqual(recorder.errors.map(\.reason).filter { $0 == .circuitOpen }.count, 4)
    XCTAssertEqual(stub.requests.last?.url.query, "page=7")
  }

  func testEachRetryIsCounted() async throws {
    stub.on("/api/list", .status(503), .json(someJSON))
    let manager = makeManager {
      $0.requestRate = RequestRate(1, per: .seconds(10))
      $0.retryPolicy = RetryPolicy(attempts: 2)
      $0.retryPolicy.backoff = .constant(.zero)
    }
    async let landed = manager.response()
    await waitUntilWaiting(1)
    XCTAssertEqual(stub.requests.count, 1)
    await time.advanceOnceAsleep(by: .seconds(10))
    let response = try await landed
    XCTAssertEqual(response.status, 200)
    XCTAssertEqual(stub.requests.count, 2)
  }

  func testARateAsLargeAsTheLoadsMakesNobodyWait() async throws {
    let manager = makeManager { $0.requestRate = RequestRate(50, per: .seconds(1), excess: .refuse) }
    for _ in 0..<50 { _ = try await manager.response() }
    XCTAssertEqual(stub.requests.count, 50)
  }
}
