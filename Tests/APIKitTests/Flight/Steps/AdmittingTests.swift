import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// Host limits, circuit breaker and fallback as an application meets them.
@MainActor final class AdmittingTests: XCTestCase {
  private let stub = StubTransport(.json(someJSON))
  private let sharedState = SharedState()
  private let time = ManualTime()
  private let host = HostKey("https://homes.test/api")

  private func makeManager(_ change: (inout TestService) -> Void = { _ in }) -> TestManager {
    var service = TestService(stub)
    change(&service)
    let manager = TestManager(service)
    manager.sharedState = sharedState
    manager.time = time
    return manager
  }

  private func waitUntilWaiting(_ count: Int) async {
    await waitUntil { self.sharedState.hostLimiter.waitingCount(at: self.host) == count }
  }

  func testNoMoreThanTheLimitAreOnTheWireAndTheHighestPriorityIsNext() async throws {
    let manager = makeManager { $0.hostLimits = HostLimits(attemptsPerHost: 2) }
    let recorder = Recorder()
    manager.delegate = recorder
    stub.hold()
    for page in 1...2 { manager.load(["page": page]) }
    try await stub.waitForRequests(2)
    for (page, priority) in [(3, .low), (4, .high)] as [(Int, FlightPriority)] {
      manager.priority = priority
      manager.load(["page": page])
      await waitUntilWaiting(page - 2)
    }
    XCTAssertEqual(stub.requests.count, 2)
    time.advance(by: .milliseconds(20))
    stub.release(1)
    try await stub.waitForRequests(3)
    XCTAssertEqual(stub.requests[2].url.query, "page=4")
    stub.release()
    await recorder.waitForLandings(4)
    XCTAssertEqual(recorder.responses.count, 4)
    let held = recorder.responses.compactMap(\.record).filter {
      $0.description.contains("waited 20 ms for a slot at homes.test:443")
    }
    XCTAssertEqual(held.count, 2)
  }

  func testALoadThatJoinsAWaitingOneRaisesItsPriority() async throws {
    let manager = makeManager { $0.hostLimits = HostLimits(attemptsPerHost: 1) }
    manager.joinsIdenticalFlights = true
    let recorder = Recorder()
    manager.delegate = recorder
    stub.hold()
    manager.load(["page": 1])
    try await stub.waitForRequests(1)
    manager.priority = .background
    for page in 2...4 {
      manager.load(["page": page])
      await waitUntilWaiting(page - 1)
    }
    manager.priority = .high
    manager.load(["page": 4])
    await waitUntil { self.sharedState.joins.waiterCount == 5 }
    stub.release(1)
    try await stub.waitForRequests(2)
    XCTAssertEqual(stub.requests[1].url.query, "page=4")
    stub.release()
    await recorder.waitForLandings(5)
    XCTAssertEqual(stub.requests.map(\.url.query), ["page=1", "page=4", "page=2", "page=3"])
  }

  func testTheRaisedPriorityHoldsForALaterAttemptToo() async throws {
    stub.on("*", .status(503), .json(someJSON))
    let manager = makeManager {
      $0.hostLimits = HostLimits(attemptsPerHost: 1, ageing: .seconds(3600))
      $0.retryPolicy = RetryPolicy(attempts: 2)
    }
    (manager.joinsIdenticalFlights, manager.priority) = (true, .background)
    let recorder = Recorder()
    manager.delegate = recorder
    stub.hold()
    manager.load(["page": 1])
    try await stub.waitForRequests(1)
    manager.priority = .high
    manager.load(["page": 1])
    await waitUntil { self.sharedState.joins.waiterCount == 2 }
    manager.priority = .normal
    for page in 2...3 {
      manager.load(["page": page])
      await waitUntilWaiting(page - 1)
    }
    stub.release(1)
    try await stub.waitForRequests(2)
    await time.advanceOnceAsleep(by: .seconds(60))
    await waitUntilWaiting(2)
    stub.release(1)
    try await stub.waitForRequests(3)
    XCTAssertEqual(stub.requests.map(\.url.query), ["page=1", "page=2", "page=1"])
    stub.release()
    await recorder.waitForLandings(4)
  }

  /// Pages 1 to 3, of which the stub holds the first, and the others wait for its slot.
  private func threeLoadsForOneSlot() async throws -> (TestManager, Recorder, second: FlightID) {
    let manager = makeManager { $0.hostLimits = HostLimits(attemptsPerHost: 1) }
    let recorder = Recorder()
    manager.delegate = recorder
    stub.hold()
    manager.load(["page": 1])
    try await stub.waitForRequests(1)
    let second = try XCTUnwrap(manager.load(["page": 2]).flightID)
    await waitUntilWaiting(1)
    manager.load(["page": 3])
    await waitUntilWaiting(2)
    return (manager, recorder, second)
  }

  func testAWaitingLoadCanBeCancelledAndTakesNobodysTurn() async throws {
    let (manager, recorder, second) = try await threeLoadsForOneSlot()
    manager.cancel(second)
    await waitUntilWaiting(1)
    stub.release()
    await recorder.waitForLandings(3)
    XCTAssertEqual(stub.requests.map(\.url.query), ["page=1", "page=3"])
    XCTAssertEqual(sharedState.hostLimiter.waitingCount(at: host), 0)
  }

  func testALoadThatItsCallerSuspendsInTheQueueTakesNoSlotFromOthers() async throws {
    let (manager, recorder, second) = try await threeLoadsForOneSlot()
    XCTAssertTrue(try manager.suspend(second))
    stub.release()
    await recorder.waitForLandings(2)
    XCTAssertEqual(stub.requests.map(\.url.query), ["page=1", "page=3"])
    XCTAssertTrue(manager.resume(second))
    await recorder.waitForLandings(3)
    XCTAssertEqual(recorder.responses.count, 3)
  }

  func testTheDeadlineEndsTheWaitForATurn() async throws {
    let manager = makeManager { $0.hostLimits = HostLimits(attemptsPerHost: 1) }
    stub.hold()
    manager.load()
    try await stub.waitForRequests(1)
    manager.retryPolicy = RetryPolicy(attempts: 1, deadline: .seconds(5))
    async let failed = errorThrown { () throws(APIError) in try await manager.response() }
    await waitUntilWaiting(1)
    await time.advanceOnceAsleep(by: .seconds(5))
    let error = try await failed
    XCTAssertEqual(error.reason, .deadlineExceeded)
    XCTAssertEqual(sharedState.hostLimiter.waitingCount(at: host), 0)
    stub.release()
  }

  func testALoadThatWaitsBeforeARetryLeavesItsPlaceToOthers() async throws {
    stub.on("/api/list", .status(503), .json(someJSON))
    let manager = makeManager {
      $0.hostLimits = HostLimits(attemptsPerHost: 1)
      $0.retryPolicy = RetryPolicy(attempts: 2)
      $0.retryPolicy.backoff = .constant(.seconds(10))
    }
    async let slow = manager.response()
    await waitUntil { self.time.sleeperCount == 1 }
    _ = try await manager.response()
    await time.advanceOnceAsleep(by: .seconds(10))
    _ = try await slow
    XCTAssertEqual(stub.requests.count, 3)
  }

  private func makeBrokenManager() -> TestManager {
    stub.on("/api/list", .status(503))
    return makeManager { service in
      var policy = BreakerPolicy()
      policy.minimumAttempts = 3
      service.breaker = policy
    }
  }

  func testAServerThatKeepsFailingIsLeftAloneAndThenProbed() async throws {
    let manager = makeBrokenManager()
    for _ in 0..<3 { _ = try await errorThrown { () throws(APIError) in try await manager.response() } }
    XCTAssertEqual(sharedState.openBreakers, ["homes.test:443"])
    let refused = try await errorThrown { () throws(APIError) in try await manager.response() }
    XCTAssertEqual(refused.label, "takeoff.circuit-open")
    XCTAssertEqual(refused.detail, "homes.test:443 has failed too often; it is tried again in 5 s")
    XCTAssertEqual(refused.record?.description.contains("breaker: open for homes.test:443"), true)
    XCTAssertEqual(stub.requests.count, 3)

    time.advance(by: .seconds(5))
    stub.on("/api/list", .json(someJSON))
    let probe = try await manager.response()
    XCTAssertEqual(probe.record?.description.contains("breaker: closed for homes.test:443"), true)
    XCTAssertEqual(sharedState.openBreakers, [])
  }

  func testABreakerPerAPILeavesTheOtherAPIsAlone() async throws {
    let manager = makeBrokenManager()
    manager.service.breaker?.scope = .api
    for _ in 0..<3 { _ = try await errorThrown { () throws(APIError) in try await manager.response() } }
    XCTAssertEqual(sharedState.openBreakers, ["homes.test:443 Homes GET list"])
    manager.apiName = "detail"
    _ = try await manager.response()
    sharedState.forgetFailures()
    XCTAssertEqual(sharedState.openBreakers, [])
  }

  func testAnOpenBreakerEndsTheRetriesOfALoad() async throws {
    let manager = makeBrokenManager()
    manager.service.retryPolicy = RetryPolicy(attempts: 10)
    manager.service.retryPolicy.backoff = .constant(.zero)
    let error = try await errorThrown { () throws(APIError) in try await manager.response() }
    XCTAssertEqual(error.reason, .circuitOpen)
    XCTAssertEqual(stub.requests.count, 3)
  }

  func testResponsesThatAreTheCallersFaultDoNotOpenIt() async throws {
    let manager = makeBrokenManager()
    stub.on("/api/list", .status(404))
    for _ in 0..<5 { _ = try await errorThrown { () throws(APIError) in try await manager.response() } }
    XCTAssertEqual(sharedState.openBreakers, [])
  }

  func testWhileItIsOpenAFallbackLandsInstead() async throws {
    let manager = makeBrokenManager()
    manager.service.onFallback = { error in
      XCTAssertEqual(error.reason, .circuitOpen)
      return APIResponse(raw: ["items": []], http: HTTPResponse(status: 200))
    }
    for _ in 0..<3 { _ = try await errorThrown { () throws(APIError) in try await manager.response() } }
    let response = try await manager.response()
    XCTAssertEqual(response.provenance, .fallback)
    XCTAssertEqual(response.raw["items"].count, 0)
    XCTAssertEqual(response.record?.landing, .succeeded(.fallback))
    XCTAssertEqual(stub.requests.count, 3)
  }

  func testASignOutEndsTheWaitForASlotAtOnce() async throws {
    let stub = StubTransport(.json(someJSON))
    let authenticator = Authenticator()
    try authenticator.signIn(with: Credential(accessToken: "a"))
    let shared = SharedState()
    let (first, second) = (TestManager(stub), TestManager(stub))
    let recorder = Recorder()
    second.delegate = recorder
    for manager in [first, second] {
      manager.sharedState = shared
      manager.service.hostLimits = HostLimits(attemptsPerHost: 1)
    }
    second.service.authenticator = authenticator
    stub.hold()
    first.load()
    try await stub.waitForRequests(1)
    second.load()
    try await Task.sleep(for: .milliseconds(50))
    try authenticator.signOut()
    try await Task.sleep(for: .milliseconds(200))
    XCTAssertEqual(recorder.errors.map(\.reason), [.signedOut])
    stub.release()
    await waitUntil { !first.isLoading && !second.isLoading }
    // It has left its place in the line.
    _ = try await first.response()
  }

  func testARaisedLimitOfASettingIsUsedByThoseThatWait() async throws {
    stub.hold()
    let manager = TestManager(stub)
    manager.sharedState = sharedState
    manager.service.hostLimits = HostLimits(attemptsPerHost: 1)
    for number in 1...5 { manager.load(["id": number]) }
    await waitUntil { self.sharedState.hostLimiter.waitingCount(at: self.host) == 4 }
    manager.service.hostLimits = HostLimits(attemptsPerHost: 4)
    manager.load(["id": 6])
    await waitUntil { self.stub.requests.count == 4 }
    stub.release(1)
    _ = try await stub.waitForRequests(5)
    stub.release()
    await waitUntil { !manager.isLoading }
    XCTAssertEqual(stub.requests.count, 6)
  }

  func testALargerLimitOfAnotherServiceSendsNoMoreOfThoseThatWait() async throws {
    stub.hold()
    let strict = makeManager {
      $0.name = "Strict"
      $0.hostLimits = HostLimits(attemptsPerHost: 1)
    }
    let other = makeManager { $0.hostLimits = HostLimits(attemptsPerHost: 32) }
    for number in 1...4 { strict.load(["id": number]) }
    await waitUntilWaiting(3)
    other.load(["id": 5])
    await waitUntilWaiting(4)
    try await Task.sleep(for: .milliseconds(50))
    XCTAssertEqual(stub.requests.count, 1)
    for number in 2...5 {
      stub.release(1)
      try await stub.waitForRequests(number)
      XCTAssertEqual(stub.requests.count, number)
    }
    stub.release()
    await waitUntil { !strict.isLoading && !other.isLoading }
    XCTAssertEqual(stub.requests.count, 5)
  }

  func testServicesWithDifferentPoliciesHaveABreakerEachAtOneHost() async throws {
    var (two, three) = (BreakerPolicy(), BreakerPolicy())
    (two.minimumAttempts, three.minimumAttempts) = (2, 3)
    stub.on("/*", .status(503))
    let (first, second) = (makeManager { $0.breaker = two }, makeManager { $0.breaker = three })
    var reasons: [APIError.Reason?] = []
    for _ in 1...4 {
      for manager in [first, second] {
        reasons.append(await failure { try await manager.response() }?.reason)
      }
    }
    XCTAssertEqual(reasons.map { $0 == .circuitOpen }, [false, false, false, false, true, false, true, true])
    XCTAssertEqual(stub.requests.count, 5)
    XCTAssertEqual(sharedState.openBreakers, ["homes.test:443"])
  }

  func testAnotherOriginThatFailsBehindARedirectDoesNotOpenTheBreakerOfTheHost() async throws {
    var policy = BreakerPolicy()
    policy.minimumAttempts = 1
    stub.on("/api/list", .redirect(to: "https://files.test/list"))
    stub.when({ $0.url.host == "files.test" }, .status(503))
    let manager = makeManager { $0.breaker = policy }
    for _ in 1...3 { _ = await failure { try await manager.response() } }
    XCTAssertEqual(sharedState.openBreakers, [])
    XCTAssertEqual(stub.requests.count, 6)
    // All loads of this API fail, whichever host responds.
    policy.scope = .api
    manager.service.breaker = policy
    _ = await failure { try await manager.response() }
    XCTAssertEqual(sharedState.openBreakers.count, 1)
  }
}
