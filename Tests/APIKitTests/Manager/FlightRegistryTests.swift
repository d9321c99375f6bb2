import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// Who is in the air, and cancelling by owner, manager type, service or tag.
@MainActor final class FlightRegistryTests: XCTestCase {
  private let stub = StubTransport(.json(someJSON))
  private let recorder = Recorder()

  override func setUp() async throws { stub.hold() }

  private func makeManager(service: String = "Homes", tags: Set<String> = []) -> TestManager {
    var testService = TestService(stub)
    testService.name = service
    let manager = TestManager(testService)
    manager.delegate = recorder
    manager.tags = tags
    return manager
  }

  func testFlightsAreFoundByServiceAndTagAndManagerTypeAndOwner() async throws {
    let homes = makeManager(service: "RegistryHomes", tags: ["list"])
    let rents = makeManager(service: "RegistryRents", tags: ["list", "rent"])
    let owner = Recorder()
    rents.owner = owner
    let first = homes.load().flightID!
    let second = rents.load().flightID!
    let registry = FlightRegistry.shared
    XCTAssertEqual(registry.flights(.service("RegistryHomes")).map(\.id), [first])
    XCTAssertEqual(registry.flights(.tag("rent")).map(\.id), [second])
    XCTAssertEqual(registry.flights(.tag("list")).map(\.id), [first, second])
    XCTAssertEqual(registry.flights(.owner(recorder)).map(\.id), [first])
    XCTAssertEqual(registry.flights(.owner(owner)).map(\.id), [second])
    XCTAssertTrue(registry.flights(.manager(TestManager.self)).map(\.id).contains(second))
    XCTAssertEqual(registry.flights(.service("RegistryHomes")).first?.state, .flying)
    homes.cancel()
    rents.cancel()
    XCTAssertTrue(registry.flights(.tag("list")).isEmpty)
  }

  func testFlightsAreFoundByState() async throws {
    let manager = makeManager(tags: ["by state"])
    manager.takeoffPolicy = .queue
    let first = try XCTUnwrap(manager.load().flightID)
    let second = try XCTUnwrap(manager.load().flightID)
    let registry = FlightRegistry.shared
    func ids(_ state: FlightState) -> [FlightID] {
      registry.flights(.state(state)).map(\.id).filter { [first, second].contains($0) }
    }
    XCTAssertEqual(ids(.flying), [first])
    XCTAssertEqual(ids(.waiting), [second])
    for state in FlightState.allCases where state != .flying && state != .waiting {
      XCTAssertEqual(ids(state), [], "\(state)")
    }
    manager.cancel()
    XCTAssertEqual(ids(.flying) + ids(.waiting), [])
  }

  func testCancellingAGroupLandsEachAsCancelled() async throws {
    let homes = makeManager(tags: ["screen"])
    let rents = makeManager(tags: ["screen"])
    let other = makeManager()
    homes.load()
    rents.load()
    other.load()
    XCTAssertEqual(FlightRegistry.shared.cancel(.tag("screen")), 2)
    XCTAssertEqual(recorder.cancellations.count, 2)
    XCTAssertTrue(other.isLoading)
    other.cancel()
  }

  func testAWaitingLoadIsListedAndCanBeCancelled() async throws {
    let manager = makeManager(tags: ["queued"])
    manager.takeoffPolicy = .queue
    manager.load()
    manager.load()
    XCTAssertEqual(FlightRegistry.shared.flights(.tag("queued")).map(\.state), [.flying, .waiting])
    FlightRegistry.shared.cancel(.tag("queued"))
    XCTAssertFalse(manager.isLoading)
  }

  func testALoadThatWaitsIsNotSentByTheEndOfTheOneBefore() async throws {
    let manager = makeManager(tags: ["behind one another"])
    manager.takeoffPolicy = .queue
    let flights = try (0..<3).map { _ in try XCTUnwrap(manager.load().flightID) }
    try await stub.waitForRequests(1)
    XCTAssertEqual(FlightRegistry.shared.cancel(.tag("behind one another")), 3)
    XCTAssertFalse(manager.isLoading)
    XCTAssertEqual(recorder.cancellations.count, 3)
    for flight in flights.dropFirst() {
      let record = try XCTUnwrap(manager.record(of: flight))
      XCTAssertFalse(record.events.contains(where: \.isTakeoff), "\(record.events)")
    }
  }
}

extension FlightEvent {
  fileprivate var isTakeoff: Bool { if case .tookOff = self { true } else { false } }
}
