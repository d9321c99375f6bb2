import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// What becomes of flights whose manager goes away, and of managers whose flights do not end.
@MainActor final class ManagerLifetimeTests: XCTestCase {
  private let recorder = Recorder()

  func testReleasingAManagerCancelsItsFlightsAtOnceAndNothingLands() async throws {
    let stub = StubTransport(.json(someJSON))
    stub.hold()
    var manager: TestManager? = TestManager(stub)
    manager?.delegate = recorder
    weak let released = manager
    let flight = manager!.load().flightID!
    try await stub.waitForRequests(1)
    XCTAssertEqual(FlightRegistry.shared.flights().filter { $0.id == flight }.count, 1)

    manager = nil
    XCTAssertNil(released, "a flight holds its manager")
    XCTAssertTrue(FlightRegistry.shared.flights().allSatisfy { $0.id != flight })
    await waitUntil { stub.heldCount == 0 }
    stub.release()
    await landingsWorkedOff()
    XCTAssertEqual(recorder.events, [])
  }

  func testAManagerThatIsReleasedInTheTurnOfItsLoadSaysSoInItsRecord() async throws {
    let stub = StubTransport(.json(someJSON))
    stub.hold()
    let told = "lifetime: the manager was released in the very turn of the main actor in which it loaded"
    var manager: TestManager? = TestManager(stub)
    var flight = try XCTUnwrap(manager?.load().flightID)
    manager = nil
    var events = FlightLog.shared.record(of: flight)?.events.map(\.description) ?? []
    XCTAssertTrue(events.contains { $0.hasPrefix(told) }, "\(events)")
    XCTAssertEqual(events.last { $0.hasPrefix("landed") }, "landed: cancelled (manager-released)")

    manager = TestManager(stub)
    flight = try XCTUnwrap(manager?.load().flightID)
    await landingsWorkedOff()
    let second = try XCTUnwrap(manager?.load().flightID)
    manager = nil
    for flight in [flight, second] {
      events = FlightLog.shared.record(of: flight)?.events.map(\.description) ?? []
      XCTAssertFalse(events.contains { $0.hasPrefix(told) }, "it was kept: \(events)")
      XCTAssertEqual(events.last { $0.hasPrefix("landed") }, "landed: cancelled (manager-released)")
    }
  }

  func testAManagerMayLoadFromItsOwnDeinit() async throws {
    let cases: [(TakeoffPolicy, isValid: Bool, outlives: Bool, end: String)] = [
      (.concurrent, true, false, "landed: cancelled (manager-released)"),
      (.debounce(.seconds(1)), true, false, "landed: cancelled (manager-released)"),
      (.concurrent, false, false, "takeoff refused (parameters.invalid-parameters): farewell is refused"),
      (.concurrent, true, true, "landed: success from the network"),
    ]
    for (policy, isValid, outlives, end) in cases {
      let stub = StubTransport(.json(someJSON))
      var manager: FarewellManager? = FarewellManager(TestService(stub), policy, isValid, outlives)
      manager?.delegate = recorder
      let farewell = try XCTUnwrap(manager?.farewell)
      manager = nil
      let flight = try XCTUnwrap(farewell.flight)
      await waitUntil { FlightRegistry.shared.flights().allSatisfy { $0.id != flight } }
      await landingsWorkedOff()
      XCTAssertEqual(FlightLog.shared.record(of: flight)?.events.last?.description, end)
      if outlives { XCTAssertEqual(stub.requests.count, 1) }
    }
    XCTAssertEqual(recorder.events, [])
  }

  func testAFlightThatOutlivesItsManagerIsFinishedAndLandsNowhere() async throws {
    let stub = StubTransport(.json(someJSON))
    stub.hold()
    var manager: TestManager? = TestManager(stub)
    manager?.outlivesRelease = true
    manager?.delegate = recorder
    let flight = manager!.load().flightID!
    try await stub.waitForRequests(1)
    manager = nil
    XCTAssertEqual(FlightRegistry.shared.flights().filter { $0.id == flight }.count, 1)
    await waitUntil { stub.heldCount == 1 }
    stub.release()
    await waitUntil { FlightRegistry.shared.flights().allSatisfy { $0.id != flight } }
    XCTAssertEqual(recorder.events, [])
  }

  func testFlightsThatWaitForTheirTakeoffLeaveTheRegistryWithTheirManager() async throws {
    let policies: [TakeoffPolicy] = [.queue, TakeoffPolicy(.debounce(.seconds(60)))]
    for (policy, outlives) in policies.flatMap({ [($0, false), ($0, true)] }) {
      let stub = StubTransport(.json(someJSON))
      stub.hold()
      var manager: TestManager? = TestManager(stub)
      manager?.takeoffPolicy = policy
      manager?.outlivesRelease = outlives
      manager?.tags = ["waits"]
      let flights = (1...3).compactMap { manager?.load(["page": $0]).flightID }
      let waiting = manager?.flights.filter { manager?.state(of: $0) == .waiting } ?? []
      XCTAssertFalse(waiting.isEmpty)
      manager = nil
      let left = FlightRegistry.shared.flights(.tag("waits")).map(\.id)
      XCTAssertEqual(left, outlives && policy == .queue ? [flights[0]] : [], policy.rule.name)
      for flight in waiting {
        let end = FlightLog.shared.record(of: flight)?.events.last?.description
        XCTAssertEqual(end, "landed: cancelled (manager-released)", policy.rule.name)
      }
      stub.release()
      await waitUntil { FlightRegistry.shared.flights(.tag("waits")).isEmpty }
    }
  }

  func testTheRecordOfAFlightEndsAlsoWhereNothingIsDelivered() async throws {
    for (outlives, response, end) in [
      (false, StubResponse.json(someJSON), "landed: cancelled (manager-released)"),
      (true, .json(someJSON), "landed: success from the network"),
      (true, .status(500), "landed: failure (response.unacceptable-status): status 500"),
    ] {
      let stub = StubTransport(response)
      stub.hold()
      var manager: TestManager? = TestManager(stub)
      manager?.outlivesRelease = outlives
      let flight = manager!.load().flightID!
      try await stub.waitForRequests(1)
      manager = nil
      stub.release()
      await waitUntil { FlightRegistry.shared.flights().allSatisfy { $0.id != flight } }
      let events = FlightLog.shared.record(of: flight)?.events.map(\.description) ?? []
      // What the transport says of a request that was cancelled may come after it.
      XCTAssertEqual(events.last { $0.hasPrefix("landed") }, end)
      if outlives {
        XCTAssertTrue(
          events.contains("delivery: nothing is delivered: the manager was released"), "\(events)")
      }
    }
  }

  func testAFlightThatOutlivesItsManagerCanStillBeCancelledByTheRegistry() async throws {
    let stub = StubTransport(.json(someJSON))
    stub.hold()
    var manager: TestManager? = TestManager(stub)
    manager?.outlivesRelease = true
    manager?.tags = ["orphan"]
    manager?.load()
    try await stub.waitForRequests(1)
    manager = nil
    XCTAssertEqual(FlightRegistry.shared.cancel(.tag("orphan")), 1)
    await waitUntil { stub.heldCount == 0 }
    await waitUntil { FlightRegistry.shared.flights(.tag("orphan")).isEmpty }
  }

  func testAManagerReleasedOnAnotherThreadCancelsItsFlightsToo() async throws {
    let stub = StubTransport(.json(someJSON))
    stub.hold()
    let box = ReleaseElsewhere(TestManager(stub))
    box.load()
    try await stub.waitForRequests(1)
    await Task.detached { box.release() }.value
    await waitUntil { stub.heldCount == 0 }
    XCTAssertEqual(stub.heldCount, 0)
  }

  func testTenThousandManagersMadeLoadedAndDroppedLeaveNothing() async throws {
    let stub = StubTransport(.json(someJSON), keepsRequests: false)
    let before = FlightRegistry.shared.flights().count
    var probes: [WeakManager] = []
    for round in 0..<100 {
      var managers: [TestManager] = []
      for index in 0..<100 {
        let manager = TestManager(stub)
        manager.delegate = recorder
        manager.load()
        if index == 0 { probes.append(WeakManager(manager)) }
        managers.append(manager)
      }
      if round.isMultiple(of: 10) { await recorder.waitForLandings(recorder.landingCount + 100) }
    }
    XCTAssertTrue(probes.allSatisfy { $0.manager == nil })
    await waitUntil { FlightRegistry.shared.flights().count <= before }
    XCTAssertGreaterThanOrEqual(recorder.responses.count, 1000)
  }

  func testConcurrentStartsAndCancelsLandEveryFlightExactlyOnce() async throws {
    let stub = StubTransport(.json(someJSON), keepsRequests: false)
    let manager = TestManager(stub)
    manager.delegate = recorder
    var flown = 0
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<2_000 {
      let flight = manager.load().flightID!
      flown += 1
      if Bool.random(using: &generator) { manager.cancel(flight) }
      if flown.isMultiple(of: 97) { await Task.yield() }
    }
    await recorder.waitForLandings(flown)
    await landingsWorkedOff()
    XCTAssertEqual(recorder.landingCount, flown)
    XCTAssertEqual(recorder.errors.count, 0)
    XCTAssertGreaterThan(recorder.cancellations.count, 0)
    XCTAssertGreaterThan(recorder.responses.count, 0)
  }
}

/// Holds a manager so that its last reference can be let go from any thread.
private final class ReleaseElsewhere: @unchecked Sendable {
  // Written by one thread after the other: the test awaits the second.
  private var manager: TestManager?
  @MainActor init(_ manager: TestManager) { self.manager = manager }
  @MainActor func load() { manager?.load() }
  func release() { manager = nil }
}

@MainActor private final class WeakManager {
  weak var manager: TestManager?
  init(_ manager: TestManager) { self.manager = manager }
}

/// What a manager that is gone has loaded last.
@MainActor private final class Farewell {
  var flight: FlightID?
}

/// Loads once more when it is released.
private final class FarewellManager: BaseAPIManager, APIManager {
  let service: TestService
  let apiName = "list"
  let takeoffPolicy: TakeoffPolicy
  let outlivesRelease: Bool
  let isValid: Bool
  let farewell = Farewell()

  init(_ service: TestService, _ policy: TakeoffPolicy, _ isValid: Bool, _ outlives: Bool) {
    self.service = service
    takeoffPolicy = policy
    self.isValid = isValid
    outlivesRelease = outlives
    super.init()
  }

  func validate(parameters: Parameters) throws {
    if !isValid { throw ValidationError("farewell is refused") }
  }

  deinit {
    MainActor.assumeIsolated {
      let takeoff = load()
      farewell.flight = takeoff.flightID ?? takeoff.refusal?.context.flightID.map { FlightID(rawValue: $0) }
    }
  }
}
