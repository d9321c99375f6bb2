import XCTest

@testable import APIKit

/// The rules of chains, without tasks, time or sockets.
final class ChainMachineTests: XCTestCase {
  func testLinksRunOneAfterTheOtherAndTheLastEndsTheRun() {
    var machine = ChainMachine(count: 3)
    XCTAssertNil(machine.position)
    XCTAssertEqual(machine.start(), [.start(0)])
    XCTAssertEqual(machine.landed(0), [.start(1)])
    XCTAssertEqual(machine.landed(1), [.start(2)])
    XCTAssertEqual(machine.position, 2)
    XCTAssertEqual(machine.landed(2), [.finish(.succeeded)])
    XCTAssertNil(machine.position)
  }

  func testAFailedLinkEndsTheRunThereAndStartsNoOther() {
    var machine = ChainMachine(count: 3)
    _ = machine.start()
    _ = machine.landed(0)
    XCTAssertEqual(machine.failed(1), [.finish(.failed(at: 1))])
    XCTAssertEqual(machine.state, .ended(.failed(at: 1)))
    XCTAssertEqual(machine.landed(1), [], "it is over")
  }

  func testALinkLandsOnceAndOnlyWhileItRuns() {
    var machine = ChainMachine(count: 2)
    XCTAssertEqual(machine.landed(0), [], "nothing was started")
    _ = machine.start()
    XCTAssertEqual(machine.start(), [], "it is started once")
    XCTAssertEqual(machine.landed(1), [], "its turn has not come")
    XCTAssertEqual(machine.landed(0), [.start(1)])
    XCTAssertEqual(machine.landed(0), [])
    XCTAssertEqual(machine.failed(0), [])
    XCTAssertEqual(machine.position, 1)
  }

  func testTheDeadlineAndACancellationEndTheLinkThatRuns() {
    let ends: [(ChainMachine.End, (inout ChainMachine) -> [ChainMachine.Action])] = [
      (.timedOut(at: 1), { $0.timeUp() }), (.cancelled(at: 1), { $0.cancel() }),
    ]
    for (end, event) in ends {
      var machine = ChainMachine(count: 2)
      XCTAssertEqual(event(&machine), [], "nothing was started")
      _ = machine.start()
      _ = machine.landed(0)
      XCTAssertEqual(event(&machine), [.cancel(1), .finish(end)])
      XCTAssertEqual(machine.landed(1), [], "it comes too late")
      XCTAssertEqual(machine.timeUp() + machine.cancel(), [], "it ends once")
    }
  }

  func testLinksShareTheProgressAndLateReportsAreNotHeard() {
    var machine = ChainMachine(count: 4)
    _ = machine.start()
    XCTAssertEqual(machine.fraction(of: 0, at: 0.5), 0.125)
    _ = machine.landed(0)
    XCTAssertNil(machine.fraction(of: 0, at: 0.9))
    XCTAssertEqual(machine.fraction(of: 1, at: 7), 0.5, "no link is more than done")
  }
}
