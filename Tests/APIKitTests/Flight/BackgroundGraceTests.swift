import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// One background task for all loads in flight.
@MainActor final class BackgroundGraceTests: XCTestCase {
  /// The system's side: what was begun and ended.
  private final class Tasks: GraceTasks {
    private(set) var begun = 0
    private(set) var ended: [Int] = []
    private(set) var expire: (@MainActor @Sendable () -> Void)?
    var isRefused = false
    var returned: (@MainActor @Sendable () -> Void)?

    func begin(expired: @escaping @MainActor @Sendable () -> Void) -> Int? {
      begun += 1
      expire = expired
      return isRefused ? nil : begun
    }

    func end(_ task: Int) { ended.append(task) }
  }

  private let tasks = Tasks()
  private let stub = StubTransport(.json(someJSON))

  private func makeGrace() -> FlightGrace {
    let grace = FlightGrace(tasks)
    grace.isOn = true
    addTeardownBlock { @MainActor in grace.isOn = false }
    return grace
  }

  func testOneTaskIsHeldFromTheFirstTakeoffToTheLastLanding() async throws {
    let grace = makeGrace()
    stub.hold()
    let (one, two) = (TestManager(stub), TestManager(stub))
    one.load()
    two.load()
    await waitUntil { self.tasks.begun == 1 }
    one.cancel()
    await waitUntil { !one.isLoading }
    XCTAssertEqual(tasks.ended, [])
    stub.release()
    await waitUntil { self.tasks.ended == [1] }
    _ = try await one.response()
    await waitUntil { self.tasks.ended == [1, 2] }
    XCTAssertEqual(tasks.begun, 2)
    XCTAssertTrue(grace.isOn)
  }

  func testALoadWhoseManagerIsReleasedHoldsNothing() async {
    let grace = makeGrace()
    stub.hold()
    var manager: TestManager? = TestManager(stub)
    manager?.load()
    await waitUntil { self.tasks.begun == 1 }
    manager = nil
    await waitUntil { self.tasks.ended == [1] }
    XCTAssertTrue(grace.isOn)
  }

  func testATaskWhoseTimeIsOverEndsAtOnceAndTheNextTakeoffAsksAgain() async {
    let grace = makeGrace()
    stub.hold()
    let manager = TestManager(stub)
    manager.load()
    await waitUntil { self.tasks.begun == 1 }
    tasks.expire?()
    XCTAssertEqual(tasks.ended, [1])
    tasks.expire?()
    XCTAssertEqual(tasks.ended, [1])
    manager.load()
    await waitUntil { self.tasks.begun == 2 }
    manager.cancel()
    await waitUntil { self.tasks.ended == [1, 2] }
    XCTAssertTrue(grace.isOn)
  }

  func testWhatIsStillInFlightGetsATaskWhenTheApplicationHasComeBack() async {
    let grace = makeGrace()
    tasks.returned?()
    XCTAssertEqual(tasks.begun, 0, "nothing is in flight")
    stub.hold()
    let manager = TestManager(stub)
    manager.load()
    await waitUntil { self.tasks.begun == 1 }
    tasks.returned?()
    XCTAssertEqual(tasks.begun, 1, "it has one")
    tasks.expire?()
    tasks.returned?()
    XCTAssertEqual(tasks.begun, 2)
    manager.cancel()
    await waitUntil { self.tasks.ended == [1, 2] }
    grace.isOn = false
    XCTAssertNil(tasks.returned, "nothing is heard of the application any more")
  }

  func testAProcessWithoutBackgroundTasksSaysSo() {
    defer { BackgroundGrace.turnOff() }
    var reason: APIError.Reason?
    do { try BackgroundGrace.turnOn() } catch { reason = error.reason }
    let hasTasks = ApplicationTasks.ofProcess != nil
    XCTAssertEqual(reason, hasTasks ? nil : .unsupportedCapability)
    XCTAssertEqual(BackgroundGrace.isOn, hasTasks)
  }

  func testARefusedTaskIsNotEnded() async throws {
    let grace = makeGrace()
    tasks.isRefused = true
    _ = try await TestManager(stub).response()
    await waitUntil { self.tasks.begun == 1 }
    grace.isOn = false
    XCTAssertEqual(tasks.ended, [])
  }

  func testTurningItOffEndsTheTaskAndAsksForNoMore() async {
    let grace = makeGrace()
    stub.hold()
    let manager = TestManager(stub)
    manager.load()
    await waitUntil { self.tasks.begun == 1 }
    manager.load()
    grace.isOn = false
    XCTAssertEqual(tasks.ended, [1])
    manager.load()
    for _ in 0..<20 { await Task.yield() }
    XCTAssertEqual(tasks.begun, 1)
    manager.cancel()
    XCTAssertEqual(tasks.ended, [1])
  }

  func testALoadThatWasInFlightBeforeIsNotCounted() {
    func flight(_ number: UInt64) -> FlightID { FlightID(rawValue: number) }
    var machine = GraceMachine()
    XCTAssertNil(machine.landed(flight(1)))
    XCTAssertTrue(machine.tookOff(flight(2)))
    machine.granted(7)
    XCTAssertFalse(machine.tookOff(flight(3)))
    XCTAssertNil(machine.landed(flight(1)))
    XCTAssertNil(machine.landed(flight(2)))
    XCTAssertEqual(machine.landed(flight(3)), 7)
    XCTAssertNil(machine.landed(flight(3)))
  }
}
