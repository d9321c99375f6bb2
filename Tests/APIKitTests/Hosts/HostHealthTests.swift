import XCTest

@testable import APIKit

final class HostHealthTests: XCTestCase {
  private var health = HostHealth()
  private var now = Duration.seconds(1000)

  private func fail(_ count: Int) { for _ in 0..<count { health.failed(now: now) } }

  func testFiveFailuresInARowPutAServerAsideForHalfAMinute() {
    fail(4)
    XCTAssertEqual(health.standing(now: now), .doubtful)
    health.succeeded(now: now)
    fail(4)
    XCTAssertEqual(health.standing(now: now), .doubtful, "a success has begun the row anew")
    fail(1)
    XCTAssertEqual(health.standing(now: now), .aside)
    XCTAssertEqual(health.standing(now: now + .seconds(29)), .aside)
    XCTAssertEqual(health.standing(now: now + .seconds(30)), .due)
  }

  func testOneProbeIsMadeWhenItComesBack() {
    fail(5)
    now += .seconds(30)
    health.probe(now: now)
    XCTAssertEqual(health.standing(now: now), .aside, "nobody else asks it meanwhile")
    health.succeeded(now: now)
    XCTAssertEqual(health.standing(now: now), .good)
    XCTAssertEqual(health.failures, 0)
  }

  func testEachFailedProbeMakesItsRestLongerUpToFiveMinutes() {
    fail(5)
    for rest in [30, 60, 120, 240, 300, 300] {
      XCTAssertEqual(health.standing(now: now + .seconds(rest) - .milliseconds(1)), .aside, "\(rest)")
      now += .seconds(rest)
      XCTAssertEqual(health.standing(now: now), .due, "\(rest)")
      health.probe(now: now)
      health.failed(now: now)
    }
  }

  func testOneThatComesAndGoesRestsLongerEachTime() {
    for rest in [30, 60, 120, 240, 300] {
      fail(5)
      XCTAssertEqual(health.standing(now: now + .seconds(rest) - .milliseconds(1)), .aside, "\(rest)")
      now += .seconds(rest)
      health.probe(now: now)
      health.succeeded(now: now)
      now += .seconds(5)
    }
    now += .seconds(301)
    fail(5)
    XCTAssertEqual(health.standing(now: now + .seconds(30)), .due, "a quiet time is not forgotten")
  }

  func testAProbeThatWasCancelledOrLostLeavesItDue() {
    fail(5)
    now += .seconds(30)
    health.probe(now: now)
    health.leftProbe(now: now)
    XCTAssertEqual(health.standing(now: now), .due)
    health.probe(now: now)
    XCTAssertEqual(health.standing(now: now + .seconds(30)), .due)
  }

  func testAFailureIsHeldAgainstItForHalfAMinuteButStillCounts() {
    fail(1)
    XCTAssertEqual(health.standing(now: now + .seconds(29)), .doubtful)
    now += .seconds(30)
    XCTAssertEqual(health.standing(now: now), .good)
    fail(4)
    XCTAssertEqual(health.standing(now: now), .aside)
  }

  func testFailuresOfBeforeDoNotLengthenARest() {
    fail(20)
    for _ in 0..<5 { health.putAside(now: now) }
    XCTAssertEqual(health.standing(now: now + .seconds(30)), .due)
  }
}
