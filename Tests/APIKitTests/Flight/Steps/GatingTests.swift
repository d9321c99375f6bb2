import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// The gate in front of the network as an application meets it.
@MainActor final class GatingTests: XCTestCase {
  private let stub = StubTransport(.json(someJSON))
  private let network = NetworkMonitor(watchesSystem: false)
  private let time = ManualTime()

  /// A system that reports some time after it was asked, as `NWPathMonitor` does.
  private final class LateSystem: Sendable {
    private let tell = Mutex<(@Sendable (NetworkHub.Report) -> Void)?>(nil)
    var isAsked: Bool { tell.withLock { $0 != nil } }

    func monitor() -> NetworkMonitor {
      NetworkMonitor { tell in
        self.tell.withLock { $0 = tell }
        return nil
      }
    }

    func report(_ condition: NetworkCondition) {
      tell.withLock { $0 }?(NetworkHub.Report(condition: condition))
    }
  }

  func testTheFirstLoadWaitsForTheFirstReportOfTheSystem() async throws {
    let system = LateSystem()
    let manager = makeManager(.refuse, system.monitor())
    async let failed = errorThrown { () throws(APIError) in try await manager.response() }
    await waitUntil { system.isAsked }
    await landingsWorkedOff()
    XCTAssertEqual(stub.requests.count, 0)
    system.report(.offline)
    let error = try await failed
    XCTAssertEqual(error.reason, .noNetwork)
    XCTAssertEqual(stub.requests.count, 0)
    system.report(.wifi)
    _ = try await manager.response()
    XCTAssertEqual(stub.requests.count, 1)
  }

  func testASystemThatReportsNothingHoldsLoadsBackForASecondOnce() async throws {
    let manager = makeManager(.refuse, LateSystem().monitor())
    async let first = manager.response()
    await time.advanceOnceAsleep(by: .seconds(1))
    _ = try await first
    _ = try await manager.response()
    XCTAssertEqual(stub.requests.count, 2)
  }

  private func makeManager(_ gate: NetworkGate?, _ network: NetworkMonitor? = nil) -> TestManager {
    var service = TestService(stub)
    service.network = network ?? self.network
    let manager = TestManager(service)
    if let gate { manager.networkGate = gate }
    manager.time = time
    return manager
  }

  func testWithoutAGateLoadsFlyWhateverTheNetwork() async throws {
    network.force(.offline)
    _ = try await makeManager(nil).response()
    XCTAssertEqual(stub.requests.count, 1)
  }

  func testAClosedGateRefusesAtOnceAndNothingIsSent() async throws {
    network.force(.offline)
    let error = try await errorThrown { () throws(APIError) in
      try await makeManager(.refuse).response()
    }
    XCTAssertEqual(error.label, "takeoff.no-network")
    XCTAssertEqual(error.detail, "there is no network")
    XCTAssertEqual(stub.requests.count, 0)
    network.force(.unknown)
    _ = try await makeManager(.refuse).response()
  }

  func testALoadWaitsSuspendedUntilThereIsANetwork() async throws {
    network.force(.offline)
    let manager = makeManager(.wait(upTo: .seconds(30)))
    let recorder = Recorder()
    manager.delegate = recorder
    var states: [FlightState] = []
    let changes = manager.stateChanges()
    let flight = try XCTUnwrap(manager.load().flightID)
    await waitUntil { manager.state(of: flight) == .suspended }
    time.advance(by: .seconds(10))
    network.force(.wifi)
    await recorder.waitForLandings()
    XCTAssertEqual(recorder.responses.count, 1)
    for await change in changes {
      states.append(change.to)
      if change.to.isFinal { break }
    }
    XCTAssertEqual(states, [.waiting, .flying, .suspended, .flying, .succeeded])
    let text = recorder.responses[0].record?.description ?? ""
    XCTAssertTrue(text.contains("suspended: there is no network; waits up to 30 s"), text)
    XCTAssertTrue(text.contains("network: online over wifi after 10 s"), text)
    await waitUntil { self.network.observerCount == 0 }
  }

  func testTheWaitEndsAtItsLimit() async throws {
    network.force(.offline)
    let manager = makeManager(.wait(upTo: .seconds(30)))
    async let failed = errorThrown { () throws(APIError) in try await manager.response() }
    await time.advanceOnceAsleep(by: .seconds(30))
    let error = try await failed
    XCTAssertEqual(error.reason, .noNetwork)
    XCTAssertEqual(error.detail, "there is no network, and none came in 30 s")
    XCTAssertEqual(stub.requests.count, 0)
    await waitUntil { self.network.observerCount == 0 }
  }

  func testTheWaitEndsAtTheDeadlineOfItsLoad() async throws {
    network.force(.offline)
    let manager = makeManager(.wait(upTo: .seconds(30)))
    manager.retryPolicy = RetryPolicy(attempts: 3, deadline: .seconds(5))
    async let failed = errorThrown { () throws(APIError) in try await manager.response() }
    await time.advanceOnceAsleep(by: .seconds(5))
    let error = try await failed
    XCTAssertEqual(error.reason, .noNetwork)
    XCTAssertEqual(error.detail, "there is no network, and none came in 5 s")
    XCTAssertEqual(time.sleeperCount, 0)
  }

  func testANetworkThatIsGoneAgainDoesNotEndTheWait() async throws {
    network.force(.offline)
    let manager = makeManager(.wait(upTo: .seconds(30)))
    let recorder = Recorder()
    manager.delegate = recorder
    let flight = try XCTUnwrap(manager.load().flightID)
    await waitUntil { manager.state(of: flight) == .suspended && self.network.observerCount == 1 }
    for _ in 0..<100 {
      network.force(.wifi)
      network.force(.offline)
    }
    await landingsWorkedOff()
    // It may have seen one of the moments in which there was a network; else it waits for the next.
    network.force(.wired)
    await recorder.waitForLandings()
    XCTAssertEqual(recorder.responses.count, 1)
    XCTAssertEqual(stub.requests.count, 1)
  }

  func testAWaitingLoadCanBeCancelled() async throws {
    network.force(.offline)
    let manager = makeManager(.wait(upTo: .seconds(30)))
    let recorder = Recorder()
    manager.delegate = recorder
    let flight = try XCTUnwrap(manager.load().flightID)
    await waitUntil { manager.state(of: flight) == .suspended }
    manager.cancel()
    XCTAssertEqual(recorder.cancellations.count, 1)
    await waitUntil { self.network.observerCount == 0 }
    network.force(.wifi)
    await landingsWorkedOff()
    XCTAssertEqual(stub.requests.count, 0)
  }

  func testAMeteredNetworkIsNotUsedWhereTheGateSaysSo() async throws {
    network.force(.cellular)
    let error = try await errorThrown { () throws(APIError) in
      try await makeManager(.refuse.unmetered).response()
    }
    XCTAssertEqual(error.detail, "the network costs by volume")
    _ = try await makeManager(.refuse).response()
  }

  func testALoadThatFliesOfflineIsNotSentOverANetworkThatItsGateDoesNotAccept() async throws {
    let manager = makeManager(.fly.unmetered)
    network.force(.cellular)
    let error = try await errorThrown { () throws(APIError) in try await manager.response() }
    XCTAssertEqual(error.label, "takeoff.no-network")
    XCTAssertEqual(error.detail, "the network costs by volume")
    XCTAssertEqual(stub.requests.count, 0)
    for condition in [NetworkCondition.offline, .wifi] {
      network.force(condition)
      _ = try await manager.response()
    }
    XCTAssertEqual(stub.requests.count, 2)
  }

  func testWithoutANetworkAFallbackLandsInstead() async throws {
    network.force(.offline)
    let manager = makeManager(.refuse)
    manager.service.onFallback = { _ in APIResponse(raw: .missing, http: HTTPResponse(status: 200)) }
    let response = try await manager.response()
    XCTAssertEqual(response.provenance, .fallback)
  }

  // MARK: Before a retry

  /// Fails once, and the network is another one by then.
  private struct LeavingTransport: AsyncHTTPTransport {
    let stub: StubTransport
    let leave: @Sendable () -> Void
    var capabilities: TransportCapabilities { stub.capabilities }

    func respond(to exchange: HTTPExchange) async throws(APIError) -> HTTPResponse {
      defer { if stub.requests.count == 1 { leave() } }
      return try await stub.respond(to: exchange)
    }
  }

  private func makeRetrying(_ gate: NetworkGate, movingTo condition: NetworkCondition) -> TestManager {
    stub.on("/api/list", .status(503), .json(someJSON))
    let network = network
    network.force(.wifi)
    let transport = LeavingTransport(stub: stub) { network.force(condition) }
    var service = TestService(
      HTTPClient(transport: transport), ServiceEnvironments("https://homes.test/api"))
    service.network = network
    let manager = TestManager(service)
    manager.networkGate = gate
    manager.retryPolicy = RetryPolicy(attempts: 3)
    manager.retryPolicy.backoff = .constant(.zero)
    return manager
  }

  func testARetryIsNotSentOverANetworkThatTheGateDoesNotAccept() async throws {
    let manager = makeRetrying(.refuse.unmetered, movingTo: .cellular)
    let error = try await errorThrown { () throws(APIError) in try await manager.response() }
    XCTAssertEqual(error.detail, "the network costs by volume")
    XCTAssertEqual(error.label, "takeoff.no-network")
    XCTAssertEqual(stub.requests.count, 1)
  }

  func testARetryWaitsForANetworkAsItsGateSays() async throws {
    let manager = makeRetrying(.wait(upTo: .seconds(30)), movingTo: .offline)
    let recorder = Recorder()
    manager.delegate = recorder
    let flight = try XCTUnwrap(manager.load().flightID)
    await waitUntil { manager.state(of: flight) == .suspended && self.network.observerCount == 1 }
    XCTAssertEqual(stub.requests.count, 1)
    network.force(.wifi)
    await recorder.waitForLandings()
    XCTAssertEqual(recorder.responses.count, 1)
    XCTAssertEqual(stub.requests.count, 2)
  }

  // MARK: After a wait for the user

  private func makeSignedOut(
    _ gate: NetworkGate, renewal: Authenticator.Renewal? = nil
  ) -> (TestManager, Authenticator) {
    let authenticator = Authenticator(store: MemoryCredentialStore(), renewal: renewal)
    network.force(.wifi)
    let manager = makeManager(gate)
    manager.service.authenticator = authenticator
    manager.signIn = .required
    manager.sharedState = SharedState()
    return (manager, authenticator)
  }

  func testALoadThatHasWaitedForASignInIsNotSentOverANetworkThatTheGateDoesNotAccept() async throws {
    let (manager, authenticator) = makeSignedOut(.refuse.unmetered)
    async let failed = errorThrown { () throws(APIError) in try await manager.response() }
    await waitUntil { authenticator.waiterCount == 1 }
    network.force(.cellular)
    try authenticator.signIn(with: Credential(accessToken: "fresh"))
    let error = try await failed
    XCTAssertEqual(error.detail, "the network costs by volume")
    XCTAssertEqual(error.label, "takeoff.no-network")
    XCTAssertEqual(stub.requests.count, 0)
  }

  func testALoadThatHasWaitedForASignInWaitsForANetworkAndIsSentWithTheCredential() async throws {
    let (manager, authenticator) = makeSignedOut(.wait(upTo: .seconds(30)))
    async let landed = manager.response()
    await waitUntil { authenticator.waiterCount == 1 }
    network.force(.offline)
    try authenticator.signIn(with: Credential(accessToken: "fresh"))
    await waitUntil { self.network.observerCount == 1 }
    XCTAssertEqual(stub.requests.count, 0)
    network.force(.wifi)
    _ = try await landed
    XCTAssertEqual(stub.requests.map { $0.headers["Authorization"] }, ["Bearer fresh"])
  }

  func testALoadIsNotSentAgainAfterARenewalOverANetworkThatTheGateDoesNotAccept() async throws {
    stub.on("/api/list", .status(401))
    let (manager, authenticator) = makeSignedOut(
      .refuse.unmetered,
      renewal: { [network] _ in
        network.force(.cellular)
        return Credential(accessToken: "new", refreshToken: "r")
      })
    try authenticator.signIn(with: Credential(accessToken: "old", refreshToken: "r"))
    let error = try await errorThrown { () throws(APIError) in try await manager.response() }
    XCTAssertEqual(error.detail, "the network costs by volume")
    XCTAssertEqual(stub.requests.count, 1)
  }

  func testALoadThatItsCallerHeldIsNotSentOverANetworkThatTheGateDoesNotAccept() async throws {
    network.force(.offline)
    let manager = makeManager(.wait(upTo: .seconds(30)).unmetered)
    let recorder = Recorder()
    manager.delegate = recorder
    let flight = try XCTUnwrap(manager.load().flightID)
    await waitUntil { self.network.observerCount == 1 }
    XCTAssertTrue(try manager.suspend(flight))
    network.force(.wifi)
    await waitUntil { self.network.observerCount == 0 }
    network.force(.cellular)
    await landingsWorkedOff()
    XCTAssertTrue(manager.resume(flight))
    await waitUntil { self.network.observerCount == 1 || recorder.responses.count == 1 }
    XCTAssertEqual(stub.requests.count, 0)
    network.force(.wifi)
    await recorder.waitForLandings()
    XCTAssertEqual(stub.requests.count, 1)
  }

  // MARK: After a wait for a turn

  func testALoadThatHasWaitedForTheRateIsNotSentOverANetworkThatTheGateDoesNotAccept() async throws {
    network.force(.wifi)
    let manager = makeManager(.refuse.unmetered)
    manager.sharedState = SharedState()
    manager.service.requestRate = RequestRate(1, per: .seconds(10))
    _ = try await manager.response()
    async let failed = failure { try await manager.response() }
    await waitUntil { manager.sharedState.rateLimiter.waitingCount == 1 }
    network.force(.cellular)
    await time.advanceOnceAsleep(by: .seconds(10))
    let error = await failed
    XCTAssertEqual(error?.label, "takeoff.no-network")
    XCTAssertEqual(stub.requests.count, 1)
    // It has used nothing of the rate.
    network.force(.wifi)
    manager.load()
    await waitUntil { self.stub.requests.count == 2 }
  }

  func testALoadThatHasWaitedForASlotWaitsForANetworkWithoutIt() async throws {
    network.force(.wifi)
    let (first, gated) = (makeManager(nil), makeManager(.wait(upTo: .seconds(30)).unmetered))
    gated.sharedState = SharedState()
    first.sharedState = gated.sharedState
    for manager in [first, gated] { manager.service.hostLimits = HostLimits(attemptsPerHost: 1) }
    stub.hold()
    first.load()
    try await stub.waitForRequests(1)
    let recorder = Recorder()
    gated.delegate = recorder
    let flight = try XCTUnwrap(gated.load(["page": 2]).flightID)
    let host = HostKey("https://homes.test/api")
    await waitUntil { gated.sharedState.hostLimiter.waitingCount(at: host) == 1 }
    network.force(.cellular)
    stub.release()
    await waitUntil { gated.state(of: flight) == .suspended }
    _ = try await first.response()
    XCTAssertEqual(stub.requests.map(\.url.query), [nil, nil])
    network.force(.wifi)
    await recorder.waitForLandings()
    XCTAssertEqual(recorder.responses.count, 1)
    XCTAssertEqual(stub.requests.last?.url.query, "page=2")
  }
}
