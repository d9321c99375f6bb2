import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit
import APIKitSigning

/// Second attempts beside slow reads, as a load meets them.
@MainActor final class HostHedgingTests: XCTestCase {
  private let stub = StubTransport(.json(someJSON))
  private let time = ManualTime()
  private let pool = HostPool.still(["10.0.0.1", "10.0.0.2"])

  private func makeManager(_ transport: (any HTTPTransport)? = nil) -> TestManager {
    let manager = TestManager(stub)
    manager.service.client = HTTPClient(transport: transport ?? stub, cookies: CookieJar())
    manager.service.environments = ServiceEnvironments("https://named.test/api")
    manager.service.hosts = pool
    manager.sharedState = SharedState()
    manager.time = time
    manager.retryPolicy.hedgesSlowReads = true
    return manager
  }

  private var asked: [String] { stub.requests.map { $0.options.connectTo ?? $0.url.host } }

  /// Loads until the pool knows how long they take, and has tokens.
  private func learn(_ manager: TestManager) async throws {
    for _ in 0..<120 { _ = try await manager.response() }
    stub.reset()
    stub.on("/api/list", .json(someJSON))
  }

  /// A slow first server, whose response comes when the gate is opened.
  private func slow(_ gate: StubGate, _ response: StubResponse = .json(someJSON)) {
    stub.when({ $0.options.connectTo == "10.0.0.1" }, .held(by: gate, response))
    stub.when(
      { $0.options.connectTo == "10.0.0.2" },
      .json(#"{"items": [{"id": 2}], "total": 1}"#, headers: ["Set-Cookie": "from=two"]))
  }

  func testASlowReadGetsASecondAttemptAndTheFirstGoodResponseLands() async throws {
    let manager = makeManager()
    manager.service.signer = HMACSigner(key: SecretKey("secret"))
    try await learn(manager)
    let gate = StubGate(isOpen: false)
    slow(gate, .json(someJSON, headers: ["Set-Cookie": "from=one"]))
    async let landed = manager.response()
    try await stub.waitForRequests(1)
    await time.advanceOnceAsleep(by: .milliseconds(49))
    XCTAssertEqual(asked, ["10.0.0.1"])
    time.advance(by: .milliseconds(1))
    let response = try await landed
    XCTAssertEqual(asked, ["10.0.0.1", "10.0.0.2"])
    XCTAssertEqual(response.raw["items"][0]["id"].int, 2)
    XCTAssertEqual(
      Set(stub.requests.map { $0.headers.fields.map(\.value) }).count, 2, "signed on its own")
    await waitUntil { gate.waiting == 0 }
    XCTAssertEqual(
      manager.service.client.cookies?.cookies.map(\.value), ["two"], "the loser leaves no cookie")
    XCTAssertEqual(pool.status(time.now).map(\.health), [.good, .good], "nor a word about its server")
    let text = try XCTUnwrap(response.record?.description)
    XCTAssertTrue(text.contains("server 10.0.0.2: a second attempt beside one that is slow"), text)
    XCTAssertEqual(response.record?.attempts, 1)
  }

  func testTheSecondAttemptHasNoMoreTimeThanTheFirst() async throws {
    let manager = makeManager()
    manager.retryPolicy.deadline = .seconds(2)
    manager.timeouts = HTTPTimeouts(total: .seconds(1))
    try await learn(manager)
    let gate = StubGate(isOpen: false)
    slow(gate)
    async let landed = manager.response()
    try await stub.waitForRequests(1)
    await time.advanceOnceAsleep(by: .milliseconds(50))
    _ = try await landed
    XCTAssertEqual(stub.requests.map(\.timeouts.ceiling), [.seconds(2), .milliseconds(1950)])
    XCTAssertEqual(
      stub.requests.map { $0.timeouts.filled(from: .standard).total }, [.seconds(1), .milliseconds(950)])
    await waitUntil { gate.waiting == 0 }
  }

  func testAQuickReadGetsNone() async throws {
    let manager = makeManager()
    try await learn(manager)
    for _ in 0..<10 { _ = try await manager.response() }
    XCTAssertEqual(asked.count, 10)
    await waitUntil { self.time.sleeperCount == 0 }
  }

  func testTheTimeForWhichReadsWereSuspendedMakesNoServerSlow() async throws {
    let manager = makeManager()
    // Before there are tokens: no timer of a second attempt runs here.
    for count in 1...10 {
      stub.hold()
      let flight = try XCTUnwrap(manager.load().flightID)
      try await stub.waitForRequests(count)
      try manager.suspend(flight)
      time.advance(by: .seconds(600))
      manager.resume(flight)
      stub.release()
      await waitUntil { !manager.isLoading }
    }
    try await learn(manager)
    let gate = StubGate(isOpen: false)
    defer { gate.open() }
    slow(gate)
    manager.load()
    try await stub.waitForRequests(1)
    await time.advanceOnceAsleep(by: .milliseconds(50))
    try await stub.waitForRequests(2)
    XCTAssertEqual(asked, ["10.0.0.1", "10.0.0.2"])
  }

  func testOnlyReadsOfManagersThatOptInGetOne() async throws {
    let gate = StubGate(isOpen: false)
    defer { gate.open() }
    let changes: [(TestManager) -> Void] = [
      { $0.retryPolicy.hedgesSlowReads = false }, { $0.method = .post }, { $0.reportsProgress = true },
      { $0.service.hosts = nil },
    ]
    for (index, change) in changes.enumerated() {
      try await learn(makeManager())
      let manager = makeManager()
      change(manager)
      stub.on("/api/list", .held(by: gate, .json(someJSON)))
      manager.load()
      try await stub.waitForRequests(1)
      XCTAssertEqual(time.sleeperCount, 0, "change \(index)")
      manager.cancel()
      stub.reset()
      stub.on("/api/list", .json(someJSON))
    }
  }

  func testTheFirstMayStillWin() async throws {
    let manager = makeManager()
    try await learn(manager)
    let (gate, other) = (StubGate(isOpen: false), StubGate(isOpen: false))
    stub.when({ $0.options.connectTo == "10.0.0.1" }, .held(by: gate, .json(someJSON)))
    stub.when({ $0.options.connectTo == "10.0.0.2" }, .held(by: other, .json("{}")))
    async let landed = manager.response()
    try await stub.waitForRequests(1)
    await time.advanceOnceAsleep(by: .milliseconds(60))
    try await stub.waitForRequests(2)
    gate.open()
    let response = try await landed
    XCTAssertEqual(response.raw["items"][0]["id"].int, 1)
    await waitUntil { other.waiting == 0 }
  }

  func testABadSecondResponseIsNotLandedWhileTheFirstMayCome() async throws {
    for response in [StubResponse.status(500), .status(429), .failure(.connectionRefused)] {
      let manager = makeManager()
      try await learn(manager)
      time.advance(by: .seconds(20))
      let gate = StubGate(isOpen: false)
      stub.when({ $0.options.connectTo == "10.0.0.1" }, .held(by: gate, .json(someJSON)))
      stub.when({ $0.options.connectTo == "10.0.0.2" }, response)
      async let landed = manager.response()
      try await stub.waitForRequests(1)
      await time.advanceOnceAsleep(by: .milliseconds(60))
      try await stub.waitForRequests(2)
      gate.open()
      _ = try await landed
      stub.reset()
      stub.on("/api/list", .json(someJSON))
    }
  }

  func testACancelledLoadCancelsBoth() async throws {
    let manager = makeManager()
    try await learn(manager)
    let gate = StubGate(isOpen: false)
    stub.on("/api/list", .held(by: gate, .json(someJSON)))
    manager.load()
    try await stub.waitForRequests(1)
    await time.advanceOnceAsleep(by: .milliseconds(60))
    try await stub.waitForRequests(2)
    await waitUntil { gate.waiting == 2 }
    manager.cancel()
    await waitUntil { gate.waiting == 0 && self.time.sleeperCount == 0 }
    XCTAssertEqual(pool.status(time.now).map(\.health), [.good, .good])
  }

  func testALoadThatIsCancelledBeforeItsTimeGetsNoSecond() async throws {
    let manager = makeManager()
    try await learn(manager)
    let gate = StubGate(isOpen: false)
    stub.on("/api/list", .held(by: gate, .json(someJSON)))
    manager.load()
    try await stub.waitForRequests(1)
    manager.cancel()
    await waitUntil { self.time.sleeperCount == 0 }
    time.advance(by: .seconds(1))
    XCTAssertEqual(stub.requests.count, 1)
  }

  func testAnOverloadedServerGetsNoSecondAttempts() async throws {
    for status in [429, 503] {
      let manager = makeManager()
      try await learn(manager)
      stub.on("/api/list", .status(status), .json(someJSON))
      _ = await failure { try await manager.response() }
      stub.reset()
      let gate = StubGate(isOpen: false)
      stub.on("/api/list", .held(by: gate, .json(someJSON)))
      async let landed = manager.response()
      try await stub.waitForRequests(1)
      XCTAssertEqual(time.sleeperCount, 0)
      gate.open()
      _ = try await landed
      stub.reset()
      stub.on("/api/list", .json(someJSON))
      time.advance(by: .seconds(60))
    }
  }

  // MARK: Numbers

  /// Loads of which some take a second; how long the slowest in a hundred took, and how many requests were sent.
  private func run(hedged: Bool, loads: Int, isSlow: @escaping @Sendable (Int) -> Bool) async throws -> (
    p99: Duration, requests: Int
  ) {
    let (count, time) = (Counter(), SystemTime())
    let transport = SlowTransport { address in
      let number = count.next()
      // A second attempt is quick.
      return address == "10.0.0.1" && isSlow(number) ? .seconds(1) : .milliseconds(10)
    }
    let pool = HostPool.still(["10.0.0.1", "10.0.0.2"])
    let manager = makeManager(transport)
    manager.service.hosts = pool
    manager.time = time
    manager.retryPolicy.hedgesSlowReads = hedged
    var times: [Duration] = []
    for start in stride(from: 0, to: loads, by: 25) {
      let tasks = (start..<start + 25).map { _ in
        Task {
          let begin = ContinuousClock.now
          _ = try await manager.response()
          return ContinuousClock.now - begin
        }
      }
      for task in tasks { times.append(try await task.value) }
    }
    return (times.sorted()[times.count * 99 / 100], count.value)
  }

  func testTheSlowestLoadsTakeAQuarterOfTheTimeForAFewMoreRequests() async throws {
    let isSlow: @Sendable (Int) -> Bool = { $0 >= 200 && $0 % 50 == 0 }
    let plain = try await run(hedged: false, loads: 700, isSlow: isSlow)
    let hedged = try await run(hedged: true, loads: 700, isSlow: isSlow)
    XCTAssertGreaterThanOrEqual(plain.p99, .seconds(1))
    XCTAssertLessThanOrEqual(hedged.p99, plain.p99 * 0.25)
    XCTAssertLessThanOrEqual(Double(hedged.requests), Double(plain.requests) * 1.07)
  }

  func testWhenEverythingIsSlowFewMoreRequestsAreSent() async throws {
    let slow = try await run(hedged: true, loads: 300) { $0 >= 150 }
    XCTAssertLessThanOrEqual(slow.requests, 330)
    XCTAssertGreaterThan(slow.requests, 300, "some got a second attempt")
  }
}

/// Responds after a time that depends on the address.
private struct SlowTransport: AsyncHTTPTransport {
  let capabilities = TransportCapabilities.all
  let delay: @Sendable (String) -> Duration

  func respond(to exchange: HTTPExchange) async throws(APIError) -> HTTPResponse {
    do { try await Task.sleep(for: delay(exchange.request.options.connectTo ?? "")) } catch {
      throw APIError(.transport, .cancelled)
    }
    return .json()
  }
}
