import XCTest

@testable import APIKit

/// When an attempt of the system's session is ended by its limits.
final class AttemptLimitsTests: XCTestCase {
  private let start = ContinuousClock.now
  private func at(_ seconds: Double) -> ContinuousClock.Instant { start + .seconds(seconds) }

  /// Lets the timer ring when it is due until the attempt ends; what is awake is awake all the time.
  private func end(_ limits: inout AttemptLimits, from now: Double = 0) -> (Double, AttemptLimits.Verdict) {
    var now = now
    while true {
      let verdict = limits.check(at: at(now))
      guard case .wait(let wait) = verdict else { return (now, verdict) }
      XCTAssertLessThanOrEqual(wait, AttemptLimits.longestWait)
      now += wait / .seconds(1)
    }
  }

  func testEachLimitEndsTheAttemptWhenItIsReached() {
    var idle = AttemptLimits(HTTPTimeouts(idle: .seconds(30), total: .seconds(300)), start: start)
    var (time, verdict) = end(&idle)
    XCTAssertEqual(time, 30, accuracy: 0.01)
    XCTAssertEqual(verdict, .idleReached(.seconds(30)))
    var total = AttemptLimits(HTTPTimeouts(idle: .zero, total: .seconds(12)), start: start)
    (time, verdict) = end(&total)
    XCTAssertEqual(time, 12, accuracy: 0.01)
    XCTAssertEqual(verdict, .totalReached(.seconds(12)))
    XCTAssertTrue(AttemptLimits(HTTPTimeouts(idle: .zero), start: start).isEmpty)
  }

  func testBytesBeginTheIdleLimitAnew() {
    var limits = AttemptLimits(HTTPTimeouts(idle: .seconds(10)), start: start)
    _ = limits.check(at: at(0))
    limits.noteActivity(at: at(4))
    let (time, _) = end(&limits, from: 5)
    XCTAssertEqual(time, 14, accuracy: 0.01)
  }

  func testTheTimeForWhichTheProcessWasSuspendedDoesNotCount() {
    for asleep in [10.0, 60, 3600, 86_400] {
      var limits = AttemptLimits(HTTPTimeouts(idle: .seconds(30), total: .seconds(40)), start: start)
      XCTAssertEqual(limits.check(at: at(0)), .wait(.seconds(5)))
      limits.noteActivity(at: at(5))
      XCTAssertEqual(limits.check(at: at(5)), .wait(.seconds(5)))
      // The timer of second 10 rings when the process runs again.
      let (time, verdict) = end(&limits, from: 10 + asleep)
      XCTAssertEqual(verdict, .idleReached(.seconds(30)))
      XCTAssertEqual(time, 10 + asleep + 30, accuracy: 0.01)
    }
    var limits = AttemptLimits(HTTPTimeouts(total: .seconds(20)), start: start)
    _ = limits.check(at: at(0))
    let (time, verdict) = end(&limits, from: 3600)
    XCTAssertEqual(verdict, .totalReached(.seconds(20)))
    XCTAssertEqual(time, 3620, accuracy: 0.01)
  }

  func testATimerThatIsLateOnABusyMachineCounts() {
    var limits = AttemptLimits(HTTPTimeouts(total: .seconds(6)), start: start)
    _ = limits.check(at: at(0))
    XCTAssertEqual(limits.check(at: at(6.5)), .totalReached(.seconds(6)))
  }

  func testTheTimeForWhichItsCallerHasSuspendedItDoesNotCount() {
    var limits = AttemptLimits(HTTPTimeouts(idle: .seconds(4), total: .seconds(10)), start: start)
    _ = limits.check(at: at(0))
    XCTAssertFalse(limits.resume(at: at(1)), "it is not suspended")
    XCTAssertTrue(limits.suspend(at: at(1)))
    XCTAssertFalse(limits.suspend(at: at(2)))
    XCTAssertEqual(limits.check(at: at(60)), .suspended)
    XCTAssertTrue(limits.resume(at: at(101)))
    let (time, verdict) = end(&limits, from: 101)
    XCTAssertEqual(verdict, .idleReached(.seconds(4)))
    XCTAssertEqual(time, 105, accuracy: 0.01)
  }
}
