import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit

/// Where the addresses of a pool come from, and what becomes of loads when they do not come.
@MainActor final class HostSourceTests: XCTestCase {
  private let stub = StubTransport(.json(someJSON))
  private let time = ManualTime()
  private let key = SecretKey.random()
  private lazy var folder = temporaryPath()
  private static let day = Duration.seconds(86_400)

  private func makeManager(_ pool: HostPool) -> TestManager {
    let manager = TestManager(stub)
    manager.service.environments = ServiceEnvironments("https://named.test/api")
    manager.service.hosts = pool
    manager.sharedState = SharedState()
    manager.time = time
    return manager
  }

  /// A pool with a list that the closure gives, as one launch of a program makes it.
  private func daily(
    fixed addresses: [HostAddress] = [], key: SecretKey? = nil,
    _ ask: @escaping @Sendable () async throws -> [String]
  ) throws -> HostPool {
    .still(addresses, source: try .daily(in: folder, key: key ?? self.key, ask))
  }

  private var asked: [String] { stub.requests.map { $0.options.connectTo ?? $0.url.host } }

  private func hosts(_ pool: HostPool) -> [String] { pool.status(time.now).map(\.host.description) }

  // MARK: The daily list

  func testTheListIsAskedForAtTheFirstLaunchOfADay() async throws {
    let questions = Counter()
    let (gate, opening) = AsyncStream.makeStream(of: Void.self)
    let ask: @Sendable () async throws -> [String] = {
      questions.increment()
      let number = questions.value
      if number == 2 { for await _ in gate { break } }
      return ["10.0.0.\(number)"]
    }
    _ = try await makeManager(daily(ask)).response()
    _ = try await makeManager(daily(ask)).response()
    XCTAssertEqual(questions.value, 1, "the second launch of the day uses what is kept")
    XCTAssertEqual(asked, ["10.0.0.1", "10.0.0.1"])
    time.advance(by: Self.day)
    let pool = try daily(ask)
    let manager = makeManager(pool)
    _ = try await manager.response()
    XCTAssertEqual(asked.last, "10.0.0.1", "the list of yesterday serves while today's is asked for")
    opening.yield()
    await waitUntil { self.hosts(pool) == ["10.0.0.2"] }
    _ = try await manager.response()
    XCTAssertEqual(asked.last, "10.0.0.2")
    XCTAssertEqual(questions.value, 2)
  }

  func testAClockThatIsSetBackHasTheListAskedForAgainAndNotForEver() async throws {
    let questions = Counter()
    let ask: @Sendable () async throws -> [String] = {
      questions.increment()
      return ["10.0.0.1"]
    }
    _ = try await makeManager(daily(ask)).response()
    time.wallClock -= 30 * 86_400
    let manager = try makeManager(daily(ask))
    _ = try await manager.response()
    await waitUntil { questions.value == 2 }
    await waitUntil { KeptDay.read(self.folder, self.key) == 20_424 }
    _ = try await manager.response()
    _ = try await makeManager(daily(ask)).response()
    XCTAssertEqual(questions.value, 2)
  }

  func testTheListIsSealedOnDisk() async throws {
    let pool = try daily { ["203.0.113.77"] }
    _ = try await makeManager(pool).response()
    let files = try FileManager.default.contentsOfDirectory(atPath: folder)
    XCTAssertEqual(files.count, 1)
    let path = folder + "/" + (files.first ?? "")
    let bytes = try XCTUnwrap(FileManager.default.contents(atPath: path))
    XCTAssertNil(bytes.range(of: Data("203.0.113".utf8)))
    let mode = try XCTUnwrap(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    XCTAssertEqual(mode, 0o600)
    XCTAssertFalse(files[0].contains("named"))
    // Another key opens nothing, and a damaged file is none: the list is asked for.
    let stranger = try daily(key: .random()) { ["10.0.0.9"] }
    _ = try await makeManager(stranger).response()
    XCTAssertEqual(asked.last, "10.0.0.9")
  }

  func testADamagedListIsAskedForAnew() async throws {
    _ = try await makeManager(try daily { ["10.0.0.1"] }).response()
    let file = try XCTUnwrap(FileManager.default.contentsOfDirectory(atPath: folder).first)
    try Data("<html>".utf8).write(to: URL(fileURLWithPath: folder + "/" + file))
    _ = try await makeManager(try daily { ["10.0.0.2"] }).response()
    XCTAssertEqual(asked.last, "10.0.0.2")
  }

  func testWhatIsNoListChangesNothing() async throws {
    struct HTML: Error {}
    _ = try await makeManager(try daily { ["10.0.0.1"] }).response()
    let lists: [@Sendable () async throws -> [String]] = [
      { throw HTML() }, { [] }, { ["api.example.com"] }, { ["10.0.0.2", "evil.example.com"] }, { ["<html>"] },
      { (0..<100).map { "10.0.1.\($0)" } },
    ]
    for (index, list) in lists.enumerated() {
      time.advance(by: Self.day)
      let questions = Counter()
      let pool = try daily {
        questions.increment()
        return try await list()
      }
      let manager = makeManager(pool)
      _ = try await manager.response()
      await waitUntil { questions.value == 1 }
      _ = try await manager.response()
      XCTAssertEqual(asked.last, "10.0.0.1", "list \(index)")
      XCTAssertEqual(hosts(pool), ["10.0.0.1"], "list \(index)")
    }
  }

  func testAListThatCannotBeHadIsAskedForAgainHalfAMinuteLater() async throws {
    let questions = Counter()
    let pool = try daily(fixed: ["10.0.0.7"]) {
      questions.increment()
      if questions.value == 1 { throw APIError.transport(.connectionRefused) }
      return ["10.0.0.1"]
    }
    let manager = makeManager(pool)
    _ = try await manager.response()
    XCTAssertEqual(asked.last, "10.0.0.7", "the pool's own addresses serve until there is a list")
    await waitUntil { questions.value == 1 }
    await waitUntil { pool.need(self.time) == .nothing }
    time.advance(by: .seconds(29))
    _ = try await manager.response()
    XCTAssertEqual(questions.value, 1)
    time.advance(by: .seconds(1))
    _ = try await manager.response()
    await waitUntil { self.hosts(pool) == ["10.0.0.1"] }
  }

  func testTwoProcessesKeepOneList() async throws {
    let kept = try KeptHosts(folder: folder, key: key)
    let others = try KeptHosts(folder: folder, key: key)
    let lists = (0..<2).map { number in
      KeptHosts.List(day: number, addresses: (0..<60).map { "10.0.\(number).\($0)" })
    }
    kept.keep(lists[0], of: "named.test")
    await withTaskGroup(of: Void.self) { group in
      for store in [kept, others] {
        for list in lists {
          group.addTask { for _ in 0..<50 { store.keep(list, of: "named.test") } }
        }
      }
      group.addTask {
        for _ in 0..<200 {
          guard let found = kept.list(of: "named.test"), lists.contains(found) else {
            return XCTFail("a list was half written")
          }
        }
      }
    }
    XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder).count, 1)
    XCTAssertNil(kept.list(of: "other.test"), "a list belongs to its name")
  }

  func testAKeyOfAnotherLengthIsRefused() {
    XCTAssertThrowsError(try HostSource.daily(in: folder, key: SecretKey("short")) { [] }) { error in
      XCTAssertEqual((error as? APIError)?.reason, .misconfigured)
    }
  }

  // MARK: Resolvers

  private struct Resolver: HostResolver {
    let questions = Counter()
    let result: @Sendable (Int) async throws -> HostResolution
    func resolve(_ name: String) async throws -> HostResolution {
      XCTAssertEqual(name, "named.test")
      return try await result(questions.next())
    }
  }

  private func resolving(
    _ addresses: [HostAddress] = [], fallback: HostSource.Fallback = .system,
    _ result: @escaping @Sendable (Int) async throws -> HostResolution
  ) -> (HostPool, Counter) {
    let resolver = Resolver(result: result)
    return (.still(addresses, source: .resolver(resolver, fallback: fallback)), resolver.questions)
  }

  func testAResolverIsAskedOnceForAllAndAgainWhenItsListIsOld() async throws {
    let gate = StubGate(isOpen: false)
    let (pool, questions) = resolving { number in
      if number > 0 { _ = await gate.arrive() }
      return HostResolution(["10.0.0.\(number)"], timeToLive: .seconds(60))
    }
    let manager = makeManager(pool)
    let recorder = Recorder()
    manager.delegate = recorder
    for _ in 0..<10 { manager.load() }
    await recorder.waitForLandings(10)
    XCTAssertEqual(Set(asked), ["10.0.0.0"])
    XCTAssertEqual(questions.value, 1)
    time.advance(by: .seconds(61))
    _ = try await manager.response()
    XCTAssertEqual(asked.last, "10.0.0.0", "the old list serves while it is asked anew")
    gate.open()
    await waitUntil { self.hosts(pool) == ["10.0.0.1"] }
  }

  func testAnOldListServesWhenTheResolverFails() async throws {
    let (pool, questions) = resolving { number in
      if number > 0 { throw APIError.transport(.connectionRefused) }
      return HostResolution(["10.0.0.1"], timeToLive: .seconds(60))
    }
    let manager = makeManager(pool)
    _ = try await manager.response()
    time.advance(by: .seconds(3600))
    _ = try await manager.response()
    XCTAssertEqual(questions.value, 2)
    XCTAssertEqual(asked, ["10.0.0.1", "10.0.0.1"])
  }

  func testAResolverThatNeverReturnsLeavesTheLoadToTheSystem() async throws {
    let gate = StubGate(isOpen: false)
    defer { gate.open() }
    let (pool, questions) = resolving { _ in
      _ = await gate.arrive()
      return HostResolution(["10.0.0.1"], timeToLive: .seconds(60))
    }
    let manager = makeManager(pool)
    async let response = manager.response()
    await waitUntil { questions.value == 1 }
    await time.advanceOnceAsleep(by: .seconds(2))
    let record = try await response.record?.description ?? ""
    XCTAssertEqual(asked, ["named.test"])
    XCTAssertTrue(record.contains("the system looks the name up"), record)
    _ = try await manager.response()
    XCTAssertEqual(questions.value, 1, "nobody waits again so soon")
    gate.open()
    await waitUntil { self.hosts(pool) == ["10.0.0.1"] }
    _ = try await manager.response()
    XCTAssertEqual(asked.last, "10.0.0.1", "a list that comes late is taken")
  }

  func testAStrictResolverThatFailsFailsTheLoad() async throws {
    for list in [[], ["other.test"]] {
      let (pool, _) = resolving(fallback: .none) { _ in HostResolution(list, timeToLive: .seconds(60)) }
      let error = await failure { try await self.makeManager(pool).response() }
      XCTAssertEqual(error?.reason, .unknownHost)
    }
    XCTAssertEqual(asked, [])
  }

  func testALoadOfTheResolverItselfDoesNotWaitForIt() async throws {
    let holder = Record<TestManager>()
    let (pool, questions) = resolving { _ in
      // The resolver asks an API of the very service.
      _ = try await holder.all[0].response(["resolver": true])
      return HostResolution(["10.0.0.1"], timeToLive: .seconds(60))
    }
    holder.add(makeManager(pool))
    _ = try await makeManager(pool).response()
    XCTAssertEqual(questions.value, 1)
    XCTAssertEqual(asked, ["named.test", "10.0.0.1"])
  }

  func testADeadlineEndsTheWaitOfItsLoadAloneForTheList() async throws {
    let gate = StubGate(isOpen: false)
    let (pool, questions) = resolving(fallback: .none) { _ in
      _ = await gate.arrive()
      return HostResolution(["10.0.0.1"], timeToLive: .seconds(60))
    }
    let (hasty, patient) = (makeManager(pool), makeManager(pool))
    hasty.retryPolicy = RetryPolicy(attempts: 1, deadline: .milliseconds(100))
    var policy = BreakerPolicy()
    policy.minimumAttempts = 1
    hasty.service.breaker = policy
    async let failed = errorThrown { () throws(APIError) in try await hasty.response() }
    try await gate.waitForArrivals(1)
    await time.advanceOnceAsleep(by: .milliseconds(100), sleepers: 2)
    let error = try await failed
    XCTAssertEqual(error.reason, .deadlineExceeded)
    XCTAssertEqual(hasty.sharedState.openBreakers, [])
    let recorder = Recorder()
    patient.delegate = recorder
    patient.load()
    await waitUntil { self.time.sleeperCount > 0 || !patient.isLoading }
    gate.open()
    await recorder.waitForLandings()
    XCTAssertEqual(recorder.errors.map(\.label), [])
    XCTAssertEqual(asked, ["10.0.0.1"])
    XCTAssertEqual(questions.value, 1)
  }

  func testALoadOfTheResolverJoinsNoneThatWaitsForTheList() async throws {
    let holder = Record<TestManager>()
    let (pool, _) = resolving { _ in
      _ = try await holder.all[0].response()
      return HostResolution(["10.0.0.1"], timeToLive: .seconds(60))
    }
    let (own, other) = (makeManager(pool), makeManager(pool))
    other.sharedState = own.sharedState
    for manager in [own, other] { manager.joinsIdenticalFlights = true }
    holder.add(own)
    async let landed = other.response()
    await waitUntil { self.asked.count == 2 }
    XCTAssertEqual(asked, ["named.test", "10.0.0.1"])
    // Ends the wait for the list, where it has not come.
    time.advance(by: .seconds(2))
    _ = try await landed
  }

  func testACancelledLoadDoesNotWaitForTheResolver() async throws {
    let gate = StubGate(isOpen: false)
    defer { gate.open() }
    let (pool, questions) = resolving { _ in
      _ = await gate.arrive()
      return HostResolution(["10.0.0.1"], timeToLive: .seconds(60))
    }
    let manager = makeManager(pool)
    manager.load()
    await waitUntil { questions.value == 1 }
    manager.cancel()
    await waitUntil { !manager.isLoading && self.time.sleeperCount == 0 }
    XCTAssertEqual(asked, [])
  }

  func testTheSourceIsAskedAsTheListingSays() {
    var daily = HostListing(isDaily: true)
    XCTAssertEqual(daily.need(now: .zero, day: 5, hasHosts: true), .read)
    daily.read(day: nil)
    XCTAssertEqual(daily.need(now: .zero, day: 5, hasHosts: false), .wait)
    XCTAssertEqual(daily.need(now: .zero, day: 5, hasHosts: true), .refresh)
    daily.listed(now: .zero, day: 5, lifetime: .zero)
    XCTAssertEqual(daily.need(now: .seconds(9999), day: 5, hasHosts: true), .nothing)
    XCTAssertEqual(daily.need(now: .seconds(9999), day: 6, hasHosts: true), .refresh)
    XCTAssertEqual(daily.need(now: .seconds(9999), day: 4, hasHosts: true), .refresh)
    var other = HostListing(isDaily: false)
    other.listed(now: .zero, day: 5, lifetime: .seconds(10))
    XCTAssertEqual(other.need(now: .seconds(9), day: 9, hasHosts: true), .nothing)
    XCTAssertEqual(other.need(now: .seconds(10), day: 5, hasHosts: true), .refresh)
    XCTAssertEqual(other.need(now: .seconds(20), day: 5, hasHosts: true), .wait, "long out of date")
    other.failed(now: .seconds(20))
    XCTAssertEqual(other.need(now: .seconds(49), day: 5, hasHosts: true), .nothing)
    other.listed(now: .seconds(50), day: 5, lifetime: .zero)
    XCTAssertEqual(other.need(now: .seconds(50), day: 5, hasHosts: true), .nothing, "not for each load")
  }
}

private enum KeptDay {
  static func read(_ folder: String, _ key: SecretKey) -> Int? {
    (try? KeptHosts(folder: folder, key: key))?.list(of: "named.test")?.day
  }
}
