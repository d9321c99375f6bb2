import APIKit
import XCTest

final class BackoffTests: XCTestCase {
  func testTheUpperEndDoublesUpToTheMaximum() {
    let backoff = Backoff(initial: .milliseconds(100), maximum: .seconds(1))
    let waits = (1...6).map { backoff.wait(before: $0, jitter: 1) }
    XCTAssertEqual(
      waits,
      [
        .milliseconds(100), .milliseconds(200), .milliseconds(400), .milliseconds(800), .seconds(1),
        .seconds(1),
      ])
  }

  func testJitterIsFullAndTheFloorHolds() {
    var backoff = Backoff(initial: .seconds(4))
    XCTAssertEqual(backoff.wait(before: 1, jitter: 0), .zero)
    XCTAssertEqual(backoff.wait(before: 1, jitter: 0.5), .seconds(2))
    backoff.floor = .seconds(1)
    XCTAssertEqual(backoff.wait(before: 1, jitter: 0), .seconds(1))
  }

  func testNoNumberOverflows() {
    for multiplier in [1e30, 1e300, .greatestFiniteMagnitude, .infinity] {
      for maximum in [Duration.seconds(20), .seconds(Int64.max)] {
        let backoff = Backoff(multiplier: multiplier, maximum: maximum, isJittered: false)
        XCTAssertEqual(backoff.wait(before: 1, jitter: 1), .milliseconds(200))
        XCTAssertGreaterThan(backoff.wait(before: 2, jitter: 1), .seconds(19))
        XCTAssertEqual(backoff.wait(before: .max, jitter: 1), maximum)
      }
    }
    let backoff = Backoff(initial: .seconds(-1), multiplier: 1e30, maximum: .seconds(1))
    XCTAssertEqual(backoff.wait(before: 300, jitter: 1), .zero)
    XCTAssertEqual(Backoff(multiplier: .nan).wait(before: 9, jitter: 1), .milliseconds(200))
  }

  func testWithoutJitterEveryWaitIsItsLimit() {
    let backoff = Backoff(initial: .milliseconds(500), maximum: .seconds(3), isJittered: false)
    XCTAssertEqual(
      (1...4).map { backoff.wait(before: $0, jitter: 0.1) },
      [.milliseconds(500), .seconds(1), .seconds(2), .seconds(3)])
  }

  func testNoNumberOfRetriesOverflows() {
    XCTAssertEqual(Backoff().wait(before: .max, jitter: 1), .seconds(20))
    XCTAssertEqual(Backoff.constant(.seconds(3)).wait(before: 1000, jitter: 0.1), .seconds(3))
  }
}
