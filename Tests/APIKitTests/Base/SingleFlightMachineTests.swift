import XCTest

@testable import APIKit

/// The machine alone: waiters come and leave, work is done, closed, given up. Operations are the keys' texts with a number.
final class SingleFlightMachineTests: XCTestCase {
  private typealias Machine = SingleFlightMachine<String, Character, String>
  private var machine = Machine()

  /// What a waiter is told: the operation that it leads, or the id that it follows.
  private func enter(_ id: UInt64, _ key: String) -> String {
    let role = machine.enter(id, key, waiter: Character(String(id))) { "\(key)\($0)" }
    switch role {
    case .leads(let operation): return operation
    case .follows(let leader): return "after \(leader)"
    }
  }

  func testTheFirstLeadsAndTheOthersFollowUntilItIsDone() {
    XCTAssertEqual(enter(1, "a"), "a1")
    XCTAssertEqual(enter(2, "a"), "after 1")
    XCTAssertEqual(enter(3, "b"), "b2")
    XCTAssertEqual(machine.finish(1)?.waiters, ["1", "2"], "in the order in which they came")
    XCTAssertEqual(machine.count, 1)
    XCTAssertEqual(machine.waiterCount, 1)
    XCTAssertEqual(enter(4, "a"), "a3", "what is done begins anew")
  }

  func testWorkIsGivenUpWithTheLastWaiterWhoeverThatIs() {
    _ = enter(1, "a")
    _ = enter(2, "a")
    let first = machine.leave(1)
    XCTAssertEqual(first?.waiter, "1")
    XCTAssertNil(first?.abandoned, "the leader may leave, the work goes on")
    XCTAssertEqual(enter(3, "a"), "after 2", "the first who has not left leads")
    XCTAssertNil(machine.leave(3)?.abandoned)
    XCTAssertEqual(machine.leave(2)?.abandoned?.operation, "a1")
    XCTAssertEqual(machine.count, 0)
    XCTAssertNil(machine.finish(1), "work given up has no waiters")
  }

  func testTheNextLeadsWhenTheOneWhoLedLeaves() {
    for id in 1...4 { _ = enter(UInt64(id), "a") }
    XCTAssertNil(machine.leave(3)?.heir, "it did not lead")
    XCTAssertEqual(machine.leave(1)?.heir?.waiter, "2")
    XCTAssertEqual(machine.leave(2)?.heir?.waiter, "4")
    XCTAssertEqual(enter(5, "a"), "after 4")
    XCTAssertNil(machine.leave(5)?.heir)
    let last = machine.leave(4)
    XCTAssertNil(last?.heir)
    XCTAssertEqual(last?.abandoned?.operation, "a1")
  }

  func testALateEndOfAbandonedWorkDoesNotEndTheNext() {
    _ = enter(1, "a")
    _ = machine.leave(1)
    XCTAssertEqual(enter(1, "a"), "a2")
    XCTAssertNil(machine.finish(1))
    XCTAssertEqual(machine.finish(2)?.waiters, ["1"])
  }

  func testAWaiterThatHasGoneOverToOtherWorkStaysThere() {
    _ = enter(1, "a")
    _ = enter(2, "a")
    _ = machine.leave(2)
    _ = enter(2, "b")
    XCTAssertEqual(machine.finish(1)?.waiters, ["1"])
    XCTAssertEqual(machine.finish(2)?.waiters, ["2"])
  }

  func testLeavingTwiceOrWithoutHavingEnteredIsNothing() {
    _ = enter(1, "a")
    XCTAssertNil(machine.leave(2))
    XCTAssertNotNil(machine.leave(1))
    XCTAssertNil(machine.leave(1))
    XCTAssertEqual(machine.waiterCount, 0)
  }

  func testWorkThatIsWantedGoesOnWithoutAWaiter() {
    _ = enter(1, "a")
    machine.begin("a") { "a\($0)" }
    XCTAssertNil(machine.leave(1)?.abandoned)
    XCTAssertEqual(machine.count, 1)
    machine.begin("b") { "b\($0)" }
    XCTAssertNotEqual(enter(2, "b"), "b3", "it is under way")
    XCTAssertEqual(machine.finish(2)?.waiters, ["2"])
  }

  func testNobodyJoinsWorkThatIsClosedAndItsWaitersWaitOn() {
    _ = enter(1, "a")
    _ = enter(2, "a")
    XCTAssertEqual(machine.work(of: 2)?.waiterCount, 2)
    _ = machine.leave(1)
    XCTAssertEqual(machine.close(1)?.waiters, ["2"], "who has left is not counted")
    XCTAssertNil(machine.close(1))
    XCTAssertEqual(enter(3, "a"), "a2")
    machine.replaceOperation(of: 1, with: "call")
    XCTAssertEqual(machine.leave(2)?.abandoned?.operation, "call")
    XCTAssertEqual(enter(4, "a"), "after 3", "the end of closed work does not close the next")
  }

  func testTenThousandWaitersLeaveInTheirOrderAndOneIsLeft() {
    for id in 1...10_000 { _ = machine.enter(UInt64(id), "a", waiter: "w") { "a\($0)" } }
    for id in 1..<10_000 { XCTAssertNil(machine.leave(UInt64(id))?.abandoned) }
    XCTAssertEqual(machine.finish(1)?.waiters, ["w"])
    XCTAssertEqual(machine.waiterCount, 0)
  }
}
