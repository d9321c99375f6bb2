import XCTest

@testable import APIKit

final class RacePlanTests: XCTestCase {
  private let start = Duration.seconds(10)
  private let stagger = RacePlan.stagger

  func testTheNextBeginsWhenTheOneBeforeHasHadItsTime() {
    var plan = RacePlan(count: 3)
    XCTAssertEqual(plan.begin(now: start), [.connect(0), .wake(at: start + stagger)])
    XCTAssertEqual(plan.timeHasCome(now: start + stagger - .milliseconds(1)), [])
    XCTAssertEqual(
      plan.timeHasCome(now: start + stagger), [.connect(1), .wake(at: start + stagger * 2)])
    XCTAssertEqual(plan.timeHasCome(now: start + stagger * 2), [.connect(2)])
    XCTAssertEqual(plan.stands(1), [.end(winner: 1)])
    XCTAssertEqual(plan.stands(0), [], "one wins")
  }

  func testTheNextBeginsAtOnceWhenOneFails() {
    var plan = RacePlan(count: 3)
    _ = plan.begin(now: start)
    let soon = start + .milliseconds(3)
    XCTAssertEqual(plan.failed(0, now: soon), [.connect(1), .wake(at: soon + stagger)])
    XCTAssertEqual(plan.timeHasCome(now: start + stagger), [], "its time counts from its own beginning")
    XCTAssertEqual(plan.failed(1, now: soon), [.connect(2)])
    XCTAssertEqual(plan.failed(2, now: soon), [.lost])
  }

  func testItIsLostOnlyWhenAllHaveFailed() {
    var plan = RacePlan(count: 2)
    _ = plan.begin(now: start)
    _ = plan.timeHasCome(now: start + stagger)
    XCTAssertEqual(plan.failed(1, now: start + stagger), [])
    XCTAssertEqual(plan.stands(0), [.end(winner: 0)])
    XCTAssertEqual(plan.failed(0, now: start), [])
  }

  func testARaceOfOneOrNone() {
    var one = RacePlan(count: 1)
    XCTAssertEqual(one.begin(now: start), [.connect(0)])
    XCTAssertEqual(one.failed(0, now: start), [.lost])
    var none = RacePlan(count: 0)
    XCTAssertEqual(none.begin(now: start), [.lost])
  }
}
