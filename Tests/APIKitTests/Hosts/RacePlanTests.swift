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
    XCTAssertEqual(plan.stands(), [.end])
    XCTAssertEqual(plan.stands(), [], "one wins")
  }

  func testTheNextBeginsAtOnceWhenOneFails() {
    var plan = RacePlan(count: 3)
    _ = plan.begin(now: start)
    let soon = start + .milliseconds(3)
    XCTAssertEqual(plan.failed(now: soon), [.connect(1), .wake(at: soon + stagger)])
    XCTAssertEqual(plan.timeHasCome(now: start + stagger), [], "its time counts from its own beginning")
    XCTAssertEqual(plan.failed(now: soon), [.connect(2)])
    XCTAssertEqual(plan.failed(now: soon), [.end])
  }

  func testItIsLostOnlyWhenAllHaveFailed() {
    var plan = RacePlan(count: 2)
    _ = plan.begin(now: start)
    _ = plan.timeHasCome(now: start + stagger)
    XCTAssertEqual(plan.failed(now: start + stagger), [])
    XCTAssertEqual(plan.stands(), [.end])
    XCTAssertEqual(plan.failed(now: start), [])
  }

  func testARaceOfOneOrNone() {
    var one = RacePlan(count: 1)
    XCTAssertEqual(one.begin(now: start), [.connect(0)])
    XCTAssertEqual(one.failed(now: start), [.end])
    var none = RacePlan(count: 0)
    XCTAssertEqual(none.begin(now: start), [.end])
  }
}
