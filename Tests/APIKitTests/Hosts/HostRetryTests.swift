import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// Which server of a pool a retry asks, and for whom a `Retry-After` holds.
@MainActor final class HostRetryTests: XCTestCase {
  private let stub = StubTransport()
  private let time = ManualTime()
  private let addresses: [HostAddress] = ["10.0.0.1", "10.0.0.2", "10.0.0.3"]

  private func makeManager(_ pool: HostPool, attempts: Int = 3) -> TestManager {
    let manager = TestManager(stub)
    manager.service.environments = ServiceEnvironments("https://named.test/api")
    manager.service.hosts = pool
    manager.sharedState = SharedState()
    manager.time = time
    manager.retryPolicy = RetryPolicy(attempts: attempts)
    manager.retryPolicy.backoff = .constant(.zero)
    return manager
  }

  /// How a load ends; it does not wait for the clock, which stands still.
  private func land(_ manager: TestManager, file: StaticString = #filePath, line: UInt = #line) async {
    let recorder = Recorder()
    manager.delegate = recorder
    manager.load()
    for _ in 0..<500 where recorder.landingCount == 0 { try? await Task.sleep(for: .milliseconds(10)) }
    XCTAssertEqual(recorder.responses.count, 1, "\(recorder.errors)", file: file, line: line)
    manager.cancel()
  }

  private func script(_ address: String, _ response: StubResponse) {
    stub.when({ $0.options.connectTo == address }, response)
  }

  private var asked: [String] { stub.requests.map { $0.options.connectTo ?? $0.url.host } }

  func testAServerThatIsTooBusyIsNotAskedAgainBesideHealthyOnes() async throws {
    for status in [408, 425, 429, 503] {
      for retryAfter in [nil, "40"] {
        stub.reset()
        stub.on("/api/list", .json(someJSON))
        script("10.0.0.1", .status(status, headers: retryAfter.map { ["Retry-After": $0] } ?? [:]))
        await land(makeManager(.still(addresses)))
        XCTAssertEqual(asked, ["10.0.0.1", "10.0.0.2"], "\(status) \(retryAfter ?? "-")")
      }
    }
  }

  func testEveryServerIsAskedOnceBeforeOneIsAskedAgain() async throws {
    stub.on("/api/list", .status(429))
    let error = await failure { try await self.makeManager(.still(self.addresses), attempts: 4).response() }
    XCTAssertEqual(error?.context.status, 429)
    XCTAssertEqual(asked, ["10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.1"])
  }

  func testAServerThatHasAskedToBeLeftAloneIsLeftAloneByOtherLoads() async throws {
    stub.on("/api/list", .json(someJSON))
    script("10.0.0.1", .status(503, headers: ["Retry-After": "40"]))
    let pool = HostPool.still(addresses)
    let manager = makeManager(pool)
    await land(manager)
    stub.reset()
    stub.on("/api/list", .json(someJSON))
    for _ in 0..<3 { await land(manager) }
    XCTAssertFalse(asked.contains("10.0.0.1"), "\(asked)")
    time.advance(by: .seconds(41))
    let status = pool.status(time.now)
    XCTAssertEqual(status.count, 3)
    await land(manager)
    XCTAssertEqual(asked.last, pool.status(time.now).first { $0.isFavourite }?.host.description)
  }

  func testWhereAllAskToBeLeftAloneTheLoadWaitsForTheFirst() async throws {
    let seconds = ["10.0.0.1": "30", "10.0.0.2": "20", "10.0.0.3": "40"]
    for (address, wait) in seconds { script(address, .status(503, headers: ["Retry-After": wait])) }
    let manager = makeManager(.still(addresses), attempts: 4)
    let recorder = Recorder()
    manager.delegate = recorder
    manager.load()
    try await stub.waitForRequests(3)
    await waitUntil { self.time.sleeperCount == 1 }
    time.advance(by: .seconds(19))
    await landingsWorkedOff()
    XCTAssertEqual(asked.count, 3, "none has said that it may be asked")
    time.advance(by: .seconds(1))
    try await stub.waitForRequests(4)
    XCTAssertEqual(asked.last, "10.0.0.2")
    await recorder.waitForLandings()
  }

  func testARetryWaitsForTheBackoffWhereOneServerOfTheTriedAsksToBeLeftAlone() async throws {
    script("10.0.0.1", .status(503))
    script("10.0.0.2", .status(503, headers: ["Retry-After": "60"]))
    let manager = makeManager(.still(["10.0.0.1", "10.0.0.2"]))
    manager.retryPolicy.backoff = .constant(.seconds(5))
    let recorder = Recorder()
    manager.delegate = recorder
    manager.load()
    for count in 1...2 {
      try await stub.waitForRequests(count)
      await waitUntil { self.time.sleeperCount == 1 || self.asked.count > count }
      XCTAssertEqual(
        asked.count, count, "the server that has not asked for it is not left alone, and not hurried")
      time.advance(by: .seconds(5))
    }
    try await stub.waitForRequests(3)
    XCTAssertEqual(asked, ["10.0.0.1", "10.0.0.2", "10.0.0.1"])
    await recorder.waitForLandings()
  }

  func testNoFurtherSecondAttemptsFollowAfterOneWasRefused() async throws {
    let pool = HostPool.still(["10.0.0.1", "10.0.0.2"])
    let manager = makeManager(pool, attempts: 1)
    manager.retryPolicy.hedgesSlowReads = true
    stub.on("/api/list", .json(someJSON))
    for _ in 0..<120 { _ = try await manager.response() }
    let gate = StubGate(isOpen: false)
    stub.reset()
    script("10.0.0.1", .held(by: gate, .json(someJSON)))
    script("10.0.0.2", .status(503))
    for round in 1...2 {
      async let landed = manager.response()
      await waitUntil { gate.waiting == 1 }
      // In the second round nothing is to wait for its time.
      for _ in 0..<100 where time.sleeperCount == 0 { try? await Task.sleep(for: .milliseconds(1)) }
      XCTAssertEqual(time.sleeperCount > 0, round == 1)
      time.advance(by: .milliseconds(500))
      if round == 1 { await waitUntil { self.asked.contains("10.0.0.2") } }
      gate.pass()
      _ = try await landed
    }
    XCTAssertEqual(
      asked.filter { $0 == "10.0.0.2" }.count, 1, "the second has said that it has too much to do")
  }
}

#if os(Linux)
  /// The limit of an attempt includes the race for its connection.
  @MainActor final class RacedLimitTests: XCTestCase {
    func testTheTotalLimitHoldsThroughTheRaceOfConnectionsToo() async throws {
      let holes = try (0..<3).map { _ in try BlackHole() }
      for isStatedByLoad in [true, false] {
        var configuration = TransportConfiguration.ephemeral
        if !isStatedByLoad { configuration.timeouts.total = .milliseconds(700) }
        let transport = try CurlTransport(configuration)
        var service = TestService(StubTransport())
        service.client = HTTPClient(transport: transport)
        service.environments = ServiceEnvironments("http://named.test/api")
        service.hosts = .still(try holes.map { try HostAddress("127.0.0.1:\($0.port)") })
        let manager = TestManager(service)
        if isStatedByLoad { manager.timeouts = HTTPTimeouts(total: .milliseconds(700)) }
        let start = ContinuousClock.now
        let error = await failure { try await manager.response() }
        let taken = ContinuousClock.now - start
        XCTAssertEqual(error?.reason, .totalTimeout, "\(error?.description ?? "")")
        XCTAssertEqual(error?.requestProgress, .unsent)
        XCTAssertGreaterThanOrEqual(taken, .milliseconds(690))
        XCTAssertLessThan(taken, .milliseconds(930), "the later entrants of the race do not prolong it")
        await transport.shutdown()
      }
    }

    func testWhatTheRaceTookIsNoLongerThereForTheAttempt() {
      var timeouts = HTTPTimeouts(total: .seconds(2))
      timeouts.spentMilliseconds = 500
      XCTAssertEqual(timeouts.filled(from: .standard).total, .milliseconds(1500))
      timeouts = HTTPTimeouts()
      timeouts.spentMilliseconds = 500
      XCTAssertEqual(timeouts.filled(from: HTTPTimeouts(total: .seconds(1))).total, .milliseconds(500))
      XCTAssertEqual(timeouts.filled(from: .standard).total, .zero, "no limit stays none")
      timeouts.spentMilliseconds = 9000
      XCTAssertEqual(timeouts.filled(from: HTTPTimeouts(total: .seconds(1))).total, .milliseconds(1))
    }
  }
#endif
