import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// The circuit breaker of a service with a pool, which hears of the end of a load: half-open, and under many loads.
@MainActor final class HostBreakerTests: XCTestCase {
  private let stub = StubTransport()
  private let shared = SharedState()
  private let time = ManualTime()
  private var policy = BreakerPolicy()

  override func setUp() async throws {
    policy.minimumAttempts = 1
    policy.openInterval = .seconds(5)
  }

  /// A manager whose pool knows nothing yet: its first server is asked first.
  private func makeManager(attempts: Int = 2, backoff: Duration = .zero) -> TestManager {
    let manager = TestManager(stub)
    manager.service.environments = ServiceEnvironments("https://named.test/api")
    manager.service.hosts = .still(["10.0.0.1", "10.0.0.2"])
    manager.service.breaker = policy
    manager.sharedState = shared
    manager.time = time
    manager.retryPolicy = RetryPolicy(attempts: attempts)
    manager.retryPolicy.backoff = .constant(backoff)
    return manager
  }

  private func script(_ first: StubResponse, _ second: StubResponse) {
    stub.reset()
    stub.when({ $0.options.connectTo == "10.0.0.1" }, first)
    stub.when({ $0.options.connectTo == "10.0.0.2" }, second)
  }

  private var asked: [String] { stub.requests.map { $0.options.connectTo ?? $0.url.host } }

  /// Opens the breaker, and waits until it may be tried again.
  private func openAndWait() async {
    script(.failure(.connectionLost), .failure(.connectionLost))
    _ = await failure { try await self.makeManager(attempts: 1).response() }
    XCTAssertEqual(shared.openBreakers, ["named.test:443"])
    time.advance(by: .seconds(5))
  }

  /// A load whose first server has failed, and which waits before it asks the second.
  private func loadBetweenServers() async throws -> (TestManager, Recorder) {
    let (manager, recorder) = (makeManager(backoff: .seconds(1)), Recorder())
    manager.delegate = recorder
    manager.load()
    await waitUntil { self.time.sleeperCount == 1 }
    XCTAssertEqual(asked, ["10.0.0.1"])
    return (manager, recorder)
  }

  func testALoadIsOneProbeHoweverManyServersItAsks() async throws {
    await openAndWait()
    script(.failure(.connectionLost), .json(someJSON))
    let (manager, recorder) = try await loadBetweenServers()
    let other = await failure { try await self.makeManager().response() }
    XCTAssertEqual(other?.reason, .circuitOpen, "one probe at a time")
    XCTAssertEqual(asked, ["10.0.0.1"])
    time.advance(by: .seconds(1))
    await recorder.waitForLandings()
    XCTAssertEqual(recorder.responses.count, 1)
    XCTAssertFalse(manager.isLoading)
    XCTAssertEqual(asked, ["10.0.0.1", "10.0.0.2"])
    XCTAssertEqual(shared.openBreakers, [], "one bad server does not keep it open")
  }

  func testUnderCancelPreviousTheNewestLoadIsTheProbe() async throws {
    await openAndWait()
    script(.json(someJSON), .json(someJSON))
    stub.hold()
    let (manager, recorder) = (makeManager(attempts: 1), Recorder())
    manager.takeoffPolicy = .cancelPrevious
    manager.delegate = recorder
    // In one turn: the transport of the first has not ended when the second asks.
    for _ in 0..<2 { manager.load() }
    await recorder.waitForLandings(1)
    XCTAssertEqual(recorder.cancellations.map(\.reason), [.superseded])
    stub.release()
    await recorder.waitForLandings(2)
    XCTAssertTrue(recorder.errors.isEmpty, "\(recorder.errors)")
    XCTAssertEqual(recorder.responses.count, 1)
    XCTAssertEqual(shared.openBreakers, [])
  }

  func testAProbeThatFailsAtEveryServerOpensItAgain() async throws {
    await openAndWait()
    script(.failure(.connectionLost), .failure(.connectionLost))
    let (manager, recorder) = try await loadBetweenServers()
    time.advance(by: .seconds(1))
    await recorder.waitForLandings()
    XCTAssertEqual(recorder.errors.map(\.reason), [.connectionLost])
    XCTAssertFalse(manager.isLoading)
    XCTAssertEqual(shared.openBreakers, ["named.test:443"])
    let text = try XCTUnwrap(recorder.errors.first?.record?.description)
    XCTAssertEqual(text.components(separatedBy: "breaker: opened for").count, 2, text)
    time.advance(by: .seconds(9))
    let refused = await failure { try await self.makeManager().response() }
    XCTAssertEqual(refused?.reason, .circuitOpen, "twice as long as before")
  }

  func testAProbeThatIsCancelledBetweenTwoServersLeavesItsPlaceToAnother() async throws {
    await openAndWait()
    script(.failure(.connectionLost), .json(someJSON))
    let (manager, recorder) = try await loadBetweenServers()
    manager.cancel()
    await recorder.waitForLandings()
    await waitUntil { self.time.sleeperCount == 0 }
    XCTAssertEqual(shared.openBreakers, ["named.test:443"], "it said nothing")
    // The landing is told before the task of the load has given its place back.
    let end = ContinuousClock.now + .seconds(10)
    while !shared.openBreakers.isEmpty, ContinuousClock.now < end { _ = try? await makeManager().response() }
    XCTAssertEqual(shared.openBreakers, [], "another one was let through, and succeeded")
  }

  func testALoadThatIsCancelledBetweenTwoServersDoesNotOpenIt() async throws {
    script(.failure(.connectionLost), .json(someJSON))
    let (manager, recorder) = try await loadBetweenServers()
    manager.cancel()
    await recorder.waitForLandings()
    await waitUntil { self.time.sleeperCount == 0 }
    // The task of the load ends after its landing was told.
    try await Task.sleep(for: .milliseconds(30))
    XCTAssertEqual(shared.openBreakers, [])
  }

  func testManyLoadsAtOnceMakeAsManyProbesAsThePolicySays() async throws {
    policy.probes = 2
    for isMended in [true, false] {
      shared.forgetFailures()
      await openAndWait()
      script(.failure(.connectionLost), isMended ? .json(someJSON) : .failure(.connectionLost))
      stub.hold()
      let (manager, recorder) = (makeManager(), Recorder())
      manager.delegate = recorder
      for page in 0..<20 { manager.load(["page": page]) }
      await recorder.waitForLandings(18)
      XCTAssertEqual(Set(recorder.errors.map(\.reason)), [.circuitOpen])
      stub.release()
      await recorder.waitForLandings(20)
      XCTAssertEqual(recorder.responses.count, isMended ? 2 : 0)
      // Two loads, at two servers each; but the first that fails at both opens the breaker for the other.
      XCTAssertTrue((isMended ? 4...4 : 3...4).contains(asked.count), "\(asked)")
      XCTAssertEqual(shared.openBreakers, isMended ? [] : ["named.test:443"])
    }
  }
}
