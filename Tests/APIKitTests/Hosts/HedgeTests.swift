import XCTest

@testable import APIKit

/// When a second attempt is made, and which counts.
final class HedgeTests: XCTestCase {
  private let key = HedgeStore.HedgeKey(service: "Homes", method: "GET", api: "list")

  func testThePercentileIsKnownFromAHundredSamplesOn() throws {
    var window = LatencyWindow()
    for _ in 0..<99 { window.add(.milliseconds(10)) }
    XCTAssertNil(window.percentile(95))
    window.add(.seconds(1))
    let slow = try XCTUnwrap(window.percentile(95))
    XCTAssertGreaterThanOrEqual(slow, .milliseconds(10))
    XCTAssertLessThan(slow, .milliseconds(12))
    let slowest = try XCTUnwrap(window.percentile(100))
    XCTAssertGreaterThanOrEqual(slowest, .seconds(1))
    XCTAssertLessThan(slowest, .milliseconds(1200))
  }

  func testOldSamplesAreForgotten() throws {
    var window = LatencyWindow()
    for _ in 0..<500 { window.add(.seconds(1)) }
    for _ in 0..<1000 { window.add(.milliseconds(10)) }
    window.add(.milliseconds(10))
    XCTAssertLessThan(try XCTUnwrap(window.percentile(100)), .milliseconds(12))
    XCTAssertLessThanOrEqual(window.count, 1000)
  }

  /// Loads of which some are slow; how many get a second attempt.
  private func hedges(_ books: inout HedgeStore, loads: Int, now: Duration, isSlow: (Int) -> Bool) -> Int {
    var count = 0
    for index in 0..<loads {
      let delay = books.begin(key, now: now)
      let time: Duration = isSlow(index) ? .seconds(1) : .milliseconds(10)
      if let delay, time > delay, books.draw(key, now: now) { count += 1 }
      books.responded(key, after: time, status: 200, now: now)
    }
    return count
  }

  func testNoMoreThanOneLoadInTwentyGetsASecondAttempt() {
    var books = HedgeStore()
    _ = hedges(&books, loads: 1000, now: .zero) { _ in false }
    // All of them slow at once: a burst of what was saved, then a twentieth of the loads.
    let count = hedges(&books, loads: 1000, now: .zero) { _ in true }
    XCTAssertLessThanOrEqual(count, 1000 / 20 + Int(HedgeStore.capacity))
  }

  func testTheSlowTwoInAHundredAllGetOne() {
    var books = HedgeStore()
    _ = hedges(&books, loads: 200, now: .zero) { $0 % 50 == 0 }
    XCTAssertEqual(hedges(&books, loads: 1000, now: .zero) { $0 % 50 == 0 }, 20)
  }

  func testItIsNotBegunBeforeFiftyMilliseconds() {
    var books = HedgeStore()
    _ = hedges(&books, loads: 200, now: .zero) { _ in false }
    XCTAssertEqual(books.begin(key, now: .zero), .milliseconds(50))
    XCTAssertNil(books.begin(HedgeStore.HedgeKey(service: "Homes", method: "GET", api: "other"), now: .zero))
  }

  func testAServerThatIsOverloadedGetsNoneForAWhile() {
    for status in [429, 503] {
      var books = HedgeStore()
      _ = hedges(&books, loads: 200, now: .zero) { _ in false }
      books.responded(key, after: .milliseconds(10), status: status, now: .seconds(1))
      XCTAssertNil(books.begin(key, now: .seconds(10)))
      XCTAssertFalse(books.draw(key, now: .seconds(10)), "one that waits is not begun either")
      XCTAssertNotNil(books.begin(key, now: .seconds(11)))
    }
  }

  func testNamesThatAreMadeUpAreNotKeptForEver() {
    var books = HedgeStore()
    for index in 0..<10_000 {
      let key = HedgeStore.HedgeKey(service: "Homes", method: "GET", api: "\(index)")
      _ = books.begin(key, now: .zero)
      books.responded(key, after: .zero, status: 200, now: .zero)
    }
    XCTAssertGreaterThan(books.count, 0)
    XCTAssertLessThanOrEqual(books.count, 256)
  }

  func testTheFirstGoodOneCounts() {
    var machine = HedgeMachine()
    XCTAssertEqual(machine.timeHasCome(), .start)
    XCTAssertEqual(machine.timeHasCome(), .nothing, "one second attempt, not two")
    XCTAssertEqual(machine.ended(.second, isGood: true), .finish(.second))
    XCTAssertEqual(machine.ended(.first, isGood: true), .nothing)
  }

  func testAFailureBesideOneUnderWayIsWaitedOut() {
    var machine = HedgeMachine()
    _ = machine.timeHasCome()
    XCTAssertEqual(machine.ended(.second, isGood: false), .nothing)
    XCTAssertEqual(machine.ended(.first, isGood: true), .finish(.first))
    machine = HedgeMachine()
    _ = machine.timeHasCome()
    XCTAssertEqual(machine.ended(.first, isGood: false), .nothing)
    XCTAssertEqual(machine.ended(.second, isGood: false), .finish(.first), "the first one's failure is told")
  }

  func testOneThatEndsInTimeHasNoSecond() {
    for isGood in [true, false] {
      var machine = HedgeMachine()
      XCTAssertEqual(machine.ended(.first, isGood: isGood), .finish(.first))
      XCTAssertEqual(machine.timeHasCome(), .nothing)
    }
  }
}
