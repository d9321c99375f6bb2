@testable import APIKitGroups
@testable import TestSupport
import XCTest

@testable import APIKit

/// The rules of groups and chains, without tasks, time or sockets.
final class GroupMachineTests: XCTestCase {
  private func machine(_ count: Int, _ policy: GroupPolicy, atOnce: Int = .max) -> GroupMachine {
    GroupMachine(count: count, policy: policy, maximumInFlight: atOnce)
  }

  func testAllStartTogetherAndSucceedTogether() {
    var machine = machine(2, .failFast)
    XCTAssertEqual(machine.advance(), [.start(0), .start(1)])
    XCTAssertEqual(machine.landed(1, succeeded: true), [])
    XCTAssertEqual(machine.landed(0, succeeded: true), [.finish(.succeeded)])
  }

  func testTheFirstFailureCancelsTheOthers() {
    var machine = machine(4, .failFast, atOnce: 3)
    XCTAssertEqual(machine.advance(), [.start(0), .start(1), .start(2)])
    XCTAssertEqual(machine.landed(0, succeeded: true), [.start(3)])
    XCTAssertEqual(
      machine.landed(2, succeeded: false), [.cancel(1), .cancel(3), .finish(.failed(by: 2))])
    XCTAssertEqual(machine.members, [.succeeded, .dropped, .failed, .dropped])
  }

  func testSettlingWaitsForAllEnds() {
    var machine = machine(3, .settleAll)
    _ = machine.advance()
    XCTAssertEqual(machine.landed(0, succeeded: false), [])
    XCTAssertEqual(machine.landed(1, succeeded: false), [])
    XCTAssertEqual(machine.landed(2, succeeded: true), [.finish(.succeeded)])
    XCTAssertEqual(machine.progress, GroupProgress(settled: 3, total: 3, fraction: 1))
  }

  func testAQuorumIsEnoughAndCancelsTheRest() {
    var machine = machine(4, .quorum(2))
    _ = machine.advance()
    XCTAssertEqual(machine.landed(0, succeeded: false), [])
    XCTAssertEqual(machine.landed(1, succeeded: true), [])
    XCTAssertEqual(machine.landed(3, succeeded: true), [.cancel(2), .finish(.succeeded)])
  }

  func testAQuorumFailsAsSoonAsTooFewAreLeft() {
    var machine = machine(3, .quorum(2))
    _ = machine.advance()
    XCTAssertEqual(machine.landed(0, succeeded: false), [])
    XCTAssertEqual(machine.landed(1, succeeded: false), [.cancel(2), .finish(.tooFew)])
  }

  func testTheFirstSuccessOfAnyIsEnoughAndItFailsOnlyWhenAllHave() {
    var lucky = machine(2, .firstSuccess)
    _ = lucky.advance()
    XCTAssertEqual(lucky.landed(0, succeeded: false), [])
    XCTAssertEqual(lucky.landed(1, succeeded: true), [.finish(.succeeded)])
    var unlucky = machine(1, .firstSuccess)
    _ = unlucky.advance()
    XCTAssertEqual(unlucky.landed(0, succeeded: false), [.finish(.tooFew)])
  }

  func testNoMoreFlyAtOnceThanAllowed() {
    var machine = machine(3, .settleAll, atOnce: 1)
    XCTAssertEqual(machine.advance(), [.start(0)])
    XCTAssertEqual(machine.landed(0, succeeded: false), [.start(1)])
    XCTAssertEqual(machine.landed(1, succeeded: true), [.start(2)])
  }

  func testWithoutMembersItIsOverAtOnce() {
    var all = machine(0, .failFast)
    XCTAssertEqual(all.advance(), [.finish(.succeeded)])
    var some = machine(1, .quorum(2))
    XCTAssertEqual(some.advance(), [.finish(.tooFew)], "two of one can never succeed: nothing is sent")
  }

  func testTheDeadlineEndsARunAndSettlesOneThatOnlyLooks() {
    for (policy, end) in [(GroupPolicy.failFast, GroupMachine.End.timedOut), (.settleAll, .succeeded)] {
      var machine = machine(2, policy)
      _ = machine.advance()
      _ = machine.landed(0, succeeded: true)
      XCTAssertEqual(machine.timeUp(), [.cancel(1), .finish(end)])
      XCTAssertEqual(machine.landed(1, succeeded: true), [], "it comes too late")
      XCTAssertEqual(machine.timeUp(), [])
      XCTAssertEqual(machine.cancel(because: .byCaller), [])
    }
  }

  func testAMemberLandsOnce() {
    var machine = machine(2, .settleAll)
    _ = machine.advance()
    _ = machine.landed(0, succeeded: true)
    XCTAssertEqual(machine.landed(0, succeeded: false), [])
    XCTAssertEqual(machine.members[0], .succeeded)
  }

  func testARunMayBeCancelledBetweenTheEndOfAMemberAndWhatFollows() {
    for count in 1...3 {
      var machine = machine(count, .failFast, atOnce: 2)
      _ = machine.advance()
      XCTAssertTrue(machine.settle(0, succeeded: true))
      let ends: [GroupMachine.Action] = [.finish(.cancelled(.byCaller))]
      XCTAssertEqual(machine.cancel(because: .byCaller), count == 1 ? ends : [.cancel(1)] + ends)
      XCTAssertEqual(machine.advance(), [], "it is over")
    }
  }

  func testEachMemberCountsAlikeInTheProgressWithThePartItReports() {
    var machine = machine(4, .settleAll, atOnce: 2)
    XCTAssertFalse(machine.report(0, 0.5), "it has not started")
    _ = machine.advance()
    XCTAssertTrue(machine.report(0, 0.5))
    XCTAssertTrue(machine.report(0, 0.25), "a part that shrinks is heard, and counts for nothing")
    XCTAssertEqual(machine.progress, GroupProgress(settled: 0, total: 4, fraction: 0.125))
    _ = machine.landed(1, succeeded: false)
    XCTAssertFalse(machine.report(1, 0.5), "it has ended")
    XCTAssertEqual(machine.progress, GroupProgress(settled: 1, total: 4, fraction: 0.375))
    _ = machine.cancel(because: .byCaller)
    XCTAssertFalse(machine.report(0, 0.9), "the run is over")
    XCTAssertEqual(machine.progress, GroupProgress(settled: 4, total: 4, fraction: 1))
  }

  func testAnEventOfALargeGroupTakesNoLongerThanOneOfASmallGroup() {
    let count = 10_000
    for (policy, limit) in [(GroupPolicy.settleAll, Int.max), (.failFast, 1), (.quorum(count), 8)] {
      var machine = machine(count, policy, atOnce: limit)
      var flying = machine.advance()
      let start = Duration.ofProcessor
      var settled = 0
      while case .start(let member)? = flying.popLast() {
        flying += machine.landed(member)
        settled += 1
        if settled < count { XCTAssertEqual(machine.progress.settled, settled) }
      }
      XCTAssertEqual(settled, count)
      XCTAssertEqual(machine.end, .succeeded)
      XCTAssertLessThan(.ofProcessor - start, .seconds(2), "\(policy)")
    }
  }

  // MARK: Chains: one at a time, and the first failure is the run's

  private func chain(_ count: Int) -> GroupMachine { machine(count, .failFast, atOnce: 1) }

  func testLinksRunOneAfterTheOtherAndTheLastEndsTheRun() {
    var machine = chain(3)
    XCTAssertEqual(machine.members, [.waiting, .waiting, .waiting])
    XCTAssertEqual(machine.advance(), [.start(0)])
    XCTAssertEqual(machine.landed(0), [.start(1)])
    XCTAssertEqual(machine.landed(1), [.start(2)])
    XCTAssertEqual(machine.members, [.succeeded, .succeeded, .flying])
    XCTAssertEqual(machine.landed(2), [.finish(.succeeded)])
    XCTAssertEqual(machine.end, .succeeded)
  }

  func testAFailedLinkEndsTheRunThereAndStartsNoOther() {
    var machine = chain(3)
    _ = machine.advance()
    _ = machine.landed(0)
    XCTAssertEqual(machine.landed(1, succeeded: false), [.finish(.failed(by: 1))])
    XCTAssertEqual(machine.end, .failed(by: 1))
    XCTAssertEqual(machine.members, [.succeeded, .failed, .dropped])
    XCTAssertEqual(machine.landed(1), [], "it is over")
  }

  func testALinkLandsOnceAndOnlyWhileItRuns() {
    var machine = chain(2)
    XCTAssertEqual(machine.landed(0), [], "nothing was started")
    _ = machine.advance()
    XCTAssertEqual(machine.advance(), [], "it is started once")
    XCTAssertEqual(machine.landed(1), [], "its turn has not come")
    XCTAssertEqual(machine.landed(0), [.start(1)])
    XCTAssertEqual(machine.landed(0), [])
    XCTAssertEqual(machine.landed(0, succeeded: false), [])
    XCTAssertEqual(machine.members, [.succeeded, .flying])
  }

  func testTheDeadlineAndACancellationEndTheLinkThatRuns() {
    let ends: [(GroupMachine.End, (inout GroupMachine) -> [GroupMachine.Action])] = [
      (.timedOut, { $0.timeUp() }), (.cancelled(.byCaller), { $0.cancel(because: .byCaller) }),
    ]
    for (end, event) in ends {
      var early = chain(2)
      XCTAssertEqual(event(&early), [.finish(end)], "nothing was started, so nothing is cancelled")
      XCTAssertEqual(early.advance(), [], "nothing starts any more")
      var machine = chain(2)
      _ = machine.advance()
      _ = machine.landed(0)
      XCTAssertEqual(event(&machine), [.cancel(1), .finish(end)])
      XCTAssertEqual(machine.landed(1), [], "it comes too late")
      XCTAssertEqual(machine.timeUp() + machine.cancel(because: .byCaller), [], "it ends once")
    }
  }

  func testLinksShareTheProgressAndLateReportsAreNotHeard() {
    var machine = chain(4)
    _ = machine.advance()
    XCTAssertTrue(machine.report(0, 0.5))
    XCTAssertEqual(machine.progress.fraction, 0.125)
    _ = machine.landed(0)
    XCTAssertFalse(machine.report(0, 0.9))
    XCTAssertTrue(machine.report(1, 7))
    XCTAssertEqual(machine.progress.fraction, 0.5, "no link is more than done")
  }
}

extension GroupMachine {
  /// A member ends, and what follows is asked for.
  fileprivate mutating func landed(_ member: Int, succeeded: Bool = true) -> [Action] {
    settle(member, succeeded: succeeded) ? advance() : []
  }
}
