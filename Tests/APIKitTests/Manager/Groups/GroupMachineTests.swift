import XCTest

@testable import APIKit

/// The rules of groups, without tasks, time or sockets.
final class GroupMachineTests: XCTestCase {
  private func machine(_ count: Int, _ policy: GroupPolicy, atOnce: Int = .max) -> GroupMachine {
    GroupMachine(count: count, policy: policy, maximumInFlight: atOnce)
  }

  func testAllStartTogetherAndSucceedTogether() {
    var machine = machine(2, .failFast)
    XCTAssertEqual(machine.start(), [.start(0), .start(1)])
    XCTAssertEqual(machine.landed(1, succeeded: true), [])
    XCTAssertEqual(machine.landed(0, succeeded: true), [.finish(.succeeded)])
  }

  func testTheFirstFailureCancelsTheOthers() {
    var machine = machine(4, .failFast, atOnce: 3)
    XCTAssertEqual(machine.start(), [.start(0), .start(1), .start(2)])
    XCTAssertEqual(machine.landed(0, succeeded: true), [.start(3)])
    XCTAssertEqual(
      machine.landed(2, succeeded: false), [.cancel(1), .cancel(3), .finish(.failed(by: 2))])
    XCTAssertEqual(machine.members, [.succeeded, .dropped, .failed, .dropped])
  }

  func testSettlingWaitsForAllEnds() {
    var machine = machine(3, .settleAll)
    _ = machine.start()
    XCTAssertEqual(machine.landed(0, succeeded: false), [])
    XCTAssertEqual(machine.landed(1, succeeded: false), [])
    XCTAssertEqual(machine.landed(2, succeeded: true), [.finish(.succeeded)])
    XCTAssertEqual(machine.settledCount, 3)
  }

  func testAQuorumIsEnoughAndCancelsTheRest() {
    var machine = machine(4, .quorum(2))
    _ = machine.start()
    XCTAssertEqual(machine.landed(0, succeeded: false), [])
    XCTAssertEqual(machine.landed(1, succeeded: true), [])
    XCTAssertEqual(machine.landed(3, succeeded: true), [.cancel(2), .finish(.succeeded)])
  }

  func testAQuorumFailsAsSoonAsTooFewAreLeft() {
    var machine = machine(3, .quorum(2))
    _ = machine.start()
    XCTAssertEqual(machine.landed(0, succeeded: false), [])
    XCTAssertEqual(machine.landed(1, succeeded: false), [.cancel(2), .finish(.tooFew)])
  }

  func testTheFirstSuccessOfAnyIsEnoughAndItFailsOnlyWhenAllHave() {
    var lucky = machine(2, .firstSuccess)
    _ = lucky.start()
    XCTAssertEqual(lucky.landed(0, succeeded: false), [])
    XCTAssertEqual(lucky.landed(1, succeeded: true), [.finish(.succeeded)])
    var unlucky = machine(1, .firstSuccess)
    _ = unlucky.start()
    XCTAssertEqual(unlucky.landed(0, succeeded: false), [.finish(.tooFew)])
  }

  func testNoMoreFlyAtOnceThanAllowed() {
    var machine = machine(3, .settleAll, atOnce: 1)
    XCTAssertEqual(machine.start(), [.start(0)])
    XCTAssertEqual(machine.landed(0, succeeded: false), [.start(1)])
    XCTAssertEqual(machine.landed(1, succeeded: true), [.start(2)])
  }

  func testWithoutMembersItIsOverAtOnce() {
    var all = machine(0, .failFast)
    XCTAssertEqual(all.start(), [.finish(.succeeded)])
    var some = machine(1, .quorum(2))
    XCTAssertEqual(some.start(), [.finish(.tooFew)], "two of one can never succeed: nothing is sent")
  }

  func testTheDeadlineEndsARunAndSettlesOneThatOnlyLooks() {
    for (policy, end) in [(GroupPolicy.failFast, GroupMachine.End.timedOut), (.settleAll, .succeeded)] {
      var machine = machine(2, policy)
      _ = machine.start()
      _ = machine.landed(0, succeeded: true)
      XCTAssertEqual(machine.timeUp(), [.cancel(1), .finish(end)])
      XCTAssertEqual(machine.landed(1, succeeded: true), [], "it comes too late")
      XCTAssertEqual(machine.timeUp(), [])
      XCTAssertEqual(machine.cancel(), [])
    }
  }

  func testAMemberLandsOnce() {
    var machine = machine(2, .settleAll)
    _ = machine.start()
    _ = machine.landed(0, succeeded: true)
    XCTAssertEqual(machine.landed(0, succeeded: false), [])
    XCTAssertEqual(machine.members[0], .succeeded)
  }
}
