import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// Races and measuring of a pool, over a transport that connects as the test says.
@MainActor final class HostMeasuringTests: XCTestCase {
  private let stub = StubTransport(.json(someJSON))
  private let time = ManualTime()

  private func makeManager(_ pool: HostPool, _ transport: ConnectingStub) -> TestManager {
    let manager = TestManager(stub)
    manager.service.client = HTTPClient(transport: transport)
    manager.service.environments = ServiceEnvironments("https://named.test/api")
    manager.service.hosts = pool
    manager.sharedState = SharedState()
    manager.time = time
    return manager
  }

  private var asked: [String] { stub.requests.map { $0.options.connectTo ?? $0.url.host } }

  func testTheRequestIsSentOnceToTheWinnerOfTheRace() async throws {
    let transport = ConnectingStub(stub) { address throws(APIError) in
      if address == "10.0.0.1" { throw .transport(.connectionRefused) }
      return .milliseconds(3)
    }
    let pool = HostPool.still(["10.0.0.1", "10.0.0.2", "10.0.0.3"])
    let manager = makeManager(pool, transport)
    manager.method = .post
    let response = try await manager.response(["a": 1])
    XCTAssertEqual(transport.connected.all, ["race 10.0.0.1", "race 10.0.0.2"])
    XCTAssertEqual(asked, ["10.0.0.2"])
    let text = try XCTUnwrap(response.record?.description)
    XCTAssertTrue(text.contains("server 10.0.0.1 failed (transport.connection-refused)"), text)
    XCTAssertTrue(text.contains("server 10.0.0.2: the first of 3 to connect"), text)
    XCTAssertEqual(pool.status(of: "10.0.0.2", time.now)?.connectTime, .milliseconds(3))
    XCTAssertEqual(pool.status(of: "10.0.0.1", time.now)?.health, .doubtful(failures: 1))
  }

  func testAServerThatRespondedAMomentAgoIsNotRaced() async throws {
    let transport = ConnectingStub(stub) { _ in .milliseconds(3) }
    let manager = makeManager(.still(["10.0.0.1", "10.0.0.2"]), transport)
    for _ in 0..<5 { _ = try await manager.response() }
    XCTAssertEqual(transport.connected.all, ["race 10.0.0.1"])
    time.advance(by: .seconds(11))
    _ = try await manager.response()
    XCTAssertEqual(transport.connected.all, ["race 10.0.0.1", "race 10.0.0.1"])
  }

  func testAPoolOfOneIsNeitherRacedNorMeasured() async throws {
    let transport = ConnectingStub(stub) { _ in .milliseconds(3) }
    let manager = makeManager(.still(["10.0.0.1"], measuringInterval: .seconds(1)), transport)
    for _ in 0..<3 { _ = try await manager.response() }
    XCTAssertEqual(transport.connected.all, [])
    XCTAssertEqual(asked, ["10.0.0.1", "10.0.0.1", "10.0.0.1"])
  }

  func testALoadThatHasSomebodyAskedAboutTheServerLetsItsOwnConnectionDoThat() async throws {
    let transport = ConnectingStub(stub) { _ throws(APIError) in throw .transport(.certificateUntrusted) }
    let pool = HostPool.still(["10.0.0.1", "10.0.0.2"], measuringInterval: .seconds(1))
    let manager = makeManager(pool, transport)
    _ = try await manager.response(options: LoadOptions(challenges: ChallengeHandler { _ in .default }))
    XCTAssertEqual(transport.connected.all, [])
    XCTAssertEqual(asked, ["10.0.0.1"])
    XCTAssertEqual(pool.status(time.now).map(\.health), [.good, .good])
  }

  func testABlackHoleCostsAQuarterOfASecond() async throws {
    let (transport, holes) = blackHole()
    let manager = makeManager(.still(["10.0.0.1", "10.0.0.2"]), transport)
    async let response = manager.response()
    await time.advanceOnceAsleep(by: .milliseconds(250))
    _ = try await response
    XCTAssertEqual(asked, ["10.0.0.2"])
    await waitUntil { holes.value == 1 }
  }

  /// One whose first address stays silent until it is given up; counts how often that happened.
  private func blackHole() -> (ConnectingStub, Counter) {
    let gate = StubGate(isOpen: false)
    let given = Counter()
    let transport = ConnectingStub(stub) { address throws(APIError) in
      guard address == "10.0.0.1" else { return .milliseconds(3) }
      _ = await gate.arrive()
      given.increment()
      throw .transport(.cancelled)
    }
    return (transport, given)
  }

  func testLoadsThatComeAtOnceShareOneRace() async throws {
    let (transport, _) = blackHole()
    let pool = HostPool.still(["10.0.0.1", "10.0.0.2"])
    let manager = makeManager(pool, transport)
    let recorder = Recorder()
    manager.delegate = recorder
    for page in 0..<20 { manager.load(["page": page]) }
    await waitUntil { pool.races.waiterCount == 20 }
    await time.advanceOnceAsleep(by: .milliseconds(250))
    await recorder.waitForLandings(20)
    XCTAssertEqual(recorder.responses.count, 20)
    XCTAssertEqual(transport.connected.all.count, 2)
    XCTAssertEqual(Set(asked), ["10.0.0.2"])
  }

  func testARaceThatNobodyWaitsForIsGivenUp() async throws {
    let (transport, given) = blackHole()
    let pool = HostPool.still(["10.0.0.1", "10.0.0.2"])
    let managers = [makeManager(pool, transport), makeManager(pool, transport)]
    for manager in managers { manager.load() }
    await waitUntil { pool.races.waiterCount == 2 && self.time.sleeperCount == 1 }
    managers[0].cancel()
    await waitUntil { !managers[0].isLoading }
    XCTAssertEqual(given.value, 0, "another one waits")
    managers[1].cancel()
    await waitUntil { given.value == 1 }
    XCTAssertEqual(pool.status(of: "10.0.0.1", time.now)?.health, .good, "a cancellation says nothing")
    XCTAssertEqual(asked, [])
  }

  func testWhenNobodyLetsItConnectTheCertificateIsTold() async throws {
    let transport = ConnectingStub(stub) { address throws(APIError) in
      throw .transport(address == "10.0.0.1" ? .certificateExpired : .connectionRefused)
    }
    let pool = HostPool.still(["10.0.0.1", "10.0.0.2"])
    let manager = makeManager(pool, transport)
    let error = await failure { try await manager.response() }
    XCTAssertEqual(error?.reason, .certificateExpired)
    XCTAssertEqual(asked, [])
    XCTAssertEqual(pool.status(of: "10.0.0.1", time.now)?.health, .aside(.seconds(30)))
    _ = try await manager.response()
    XCTAssertEqual(asked, ["10.0.0.2"], "the one that is left is asked without a race")
  }

  func testAWinnerThatDiesBeforeTheRequestIsReplaced() async throws {
    let transport = ConnectingStub(stub) { _ in .milliseconds(3) }
    stub.when({ $0.options.connectTo == "10.0.0.1" }, .failure(.connectionRefused))
    let manager = makeManager(.still(["10.0.0.1", "10.0.0.2"]), transport)
    manager.method = .post
    _ = try await manager.response(["a": 1])
    XCTAssertEqual(asked, ["10.0.0.1", "10.0.0.2"])
  }

  func testLoadsGoToTheFastestOnceItIsMeasured() async throws {
    let transport = ConnectingStub(stub) { address throws(APIError) in
      switch address {
      case "10.0.0.1": .milliseconds(330)
      case "10.0.0.2": .milliseconds(50)
      default: .milliseconds(1)
      }
    }
    let pool = HostPool.still(["10.0.0.1", "10.0.0.2", "10.0.0.3"], measuringInterval: .seconds(60))
    let manager = makeManager(pool, transport)
    _ = try await manager.response()
    await waitUntil { pool.status(self.time.now).allSatisfy { $0.connectTime != nil } }
    for _ in 0..<199 { _ = try await manager.response() }
    XCTAssertGreaterThanOrEqual(asked.count { $0 == "10.0.0.3" }, 180)
    XCTAssertEqual(transport.connected.all.count { $0.hasPrefix("measure") }, 3, "one round")
    XCTAssertEqual(pool.status(time.now).filter(\.isFavourite).map(\.host), ["10.0.0.3"])
  }

  func testMeasuringIsDoneOnceForAllWhoAsk() async throws {
    let gate = StubGate(isOpen: false)
    let transport = ConnectingStub(stub) { _ in
      _ = await gate.arrive()
      return .milliseconds(1)
    }
    let manager = makeManager(.still(["10.0.0.1", "10.0.0.2"]), transport)
    let service = manager.service
    let asking = (0..<10).map { _ in Task { try await service.measureHosts().count } }
    await waitUntil { transport.connected.all.count == 2 }
    gate.open()
    for one in asking {
      let count = try await one.value
      XCTAssertEqual(count, 2)
    }
    XCTAssertEqual(Set(transport.connected.all), ["measure 10.0.0.1", "measure 10.0.0.2"])
  }

  func testMeasuringOverATransportThatCannotIsRefused() async throws {
    let manager = TestManager(stub)
    manager.service.hosts = .still(["10.0.0.1"], name: "homes.test")
    let error = await failure { try await manager.service.measureHosts() }
    XCTAssertEqual(error?.reason, .unsupportedCapability)
    manager.service.hosts = nil
    let none = try await manager.service.measureHosts()
    XCTAssertEqual(none, [])
  }

  func testAnotherNetworkDropsWhatWasMeasured() async throws {
    let tell = Record<@Sendable (NetworkHub.Report) -> Void>()
    let hub = NetworkHub { report in
      tell.add(report)
      return nil
    }
    let pool = HostPool(
      "named.test", addresses: ["10.0.0.1", "10.0.0.2"], origins: [], source: nil, measuringInterval: nil,
      network: hub)
    let wifi = try XCTUnwrap(tell.all.first)
    wifi(NetworkHub.Report(condition: .wifi, way: "home"))
    let transport = ConnectingStub(stub) { _ in .milliseconds(1) }
    let manager = makeManager(pool, transport)
    _ = try await manager.response()
    XCTAssertEqual(pool.status(time.now).first?.connectTime, .milliseconds(1))
    wifi(NetworkHub.Report(condition: .wifi, way: "home"))
    XCTAssertEqual(pool.status(time.now).first?.connectTime, .milliseconds(1), "the same network")
    wifi(NetworkHub.Report(condition: .wifi, way: "café"))
    XCTAssertEqual(pool.status(time.now).map(\.connectTime), [nil, nil])
    _ = try await manager.response()
    XCTAssertEqual(transport.connected.all.count, 2, "it is raced anew")
  }

  func testStateAndMeasuringGoByTheClockOfTheLoads() async throws {
    stub.when({ $0.options.connectTo == "10.0.0.1" }, .failure(.certificateHostMismatch))
    let transport = ConnectingStub(stub) { _ in .milliseconds(1) }
    let pool = HostPool.still(["10.0.0.1", "10.0.0.2"])
    let manager = makeManager(pool, transport)
    _ = try await manager.response()
    XCTAssertEqual(asked, ["10.0.0.1", "10.0.0.2"])
    time.advance(by: .seconds(10))
    XCTAssertEqual(pool.status.first?.health, .aside(.seconds(20)))
    let before = transport.connected.all.count
    let status = try await manager.service.measureHosts()
    XCTAssertEqual(Array(transport.connected.all[before...]), ["measure 10.0.0.2"], "the other one rests")
    XCTAssertEqual(status.map(\.health), [.aside(.seconds(20)), .good])
    time.advance(by: .seconds(20))
    let later = try await manager.service.measureHosts()
    XCTAssertEqual(later.map(\.health), [.good, .good])
  }
}
