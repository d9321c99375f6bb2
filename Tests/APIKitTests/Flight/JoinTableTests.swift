import XCTest

@testable import APIKit

/// The join table alone: flights enter and leave, calls finish.
final class JoinTableTests: XCTestCase {
  private let flights = (1...4).map { FlightID(rawValue: $0) }

  func testTheFirstLeadsAndTheOthersFollowUntilItIsDone() {
    var table = JoinTable<String>()
    XCTAssertEqual(table.enter(flights[0], "a"), .lead)
    XCTAssertEqual(table.enter(flights[1], "a"), .follow(flights[0]))
    XCTAssertEqual(table.enter(flights[2], "b"), .lead)
    XCTAssertEqual(table.finish(flights[0], "a"), [flights[0], flights[1]])
    XCTAssertEqual(table.count, 1)
    XCTAssertEqual(table.enter(flights[3], "a"), .lead)
  }

  func testTheCallIsGivenUpWithTheLastWaiterWhoeverThatIs() {
    var table = JoinTable<String>()
    _ = table.enter(flights[0], "a")
    _ = table.enter(flights[1], "a")
    XCTAssertNil(table.leave(flights[0], "a"), "the leader may leave, the call goes on")
    XCTAssertTrue(table.isLed(by: flights[0], "a"))
    XCTAssertEqual(table.leave(flights[1], "a"), flights[0])
    XCTAssertEqual(table.count, 0)
    XCTAssertEqual(table.finish(flights[0], "a"), [], "a call given up lands on nobody")
  }

  func testALateEndOfAnAbandonedCallDoesNotEndTheNextOne() {
    var table = JoinTable<String>()
    _ = table.enter(flights[0], "a")
    _ = table.leave(flights[0], "a")
    XCTAssertEqual(table.enter(flights[1], "a"), .lead)
    XCTAssertEqual(table.finish(flights[0], "a"), [])
    XCTAssertEqual(table.finish(flights[1], "a"), [flights[1]])
  }

  func testLeavingTwiceOrWithoutHavingEnteredIsNothing() {
    var table = JoinTable<String>()
    _ = table.enter(flights[0], "a")
    XCTAssertNil(table.leave(flights[1], "a"))
    XCTAssertNil(table.leave(flights[0], "b"))
    XCTAssertEqual(table.leave(flights[0], "a"), flights[0])
    XCTAssertNil(table.leave(flights[0], "a"))
  }
}
