import XCTest

@testable import APIKit

/// The counting and the queue of one rate alone.
final class RateWindowTests: XCTestCase {
  private func flight(_ number: UInt64) -> FlightID { FlightID(rawValue: number) }

  func testInNoIntervalDoMoreBeginThanTheRateAllows() {
    let rate = RequestRate(3, per: .seconds(1))
    var window = RateWindow(rate)
    var begun: [Duration] = []
    // One wants to begin each 50 ms; every eighth comes together with three others.
    for tick in 0..<200 {
      let now = Duration.milliseconds(50 * tick)
      for _ in 0..<(tick % 8 == 0 ? 4 : 1) where window.enterAtOnce(flight(0), now: now) { begun.append(now) }
    }
    for start in begun {
      XCTAssertLessThanOrEqual(
        begun.count { $0 >= start && $0 < start + rate.interval }, 3, "from \(start) on")
    }
    XCTAssertGreaterThanOrEqual(begun.count, 29, "the rate is used in full: 3 in each of ten seconds")
  }

  func testThoseThatWaitAreCalledUpInOrderAsTheWindowOpens() {
    var window = RateWindow(RequestRate(2, per: .seconds(1)))
    XCTAssertEqual(window.enter(flight(1), .normal, now: .zero), .begin)
    XCTAssertEqual(window.enter(flight(2), .normal, now: .milliseconds(400)), .begin)
    for number in 3...5 as ClosedRange<UInt64> {
      XCTAssertEqual(window.enter(flight(number), .normal, now: .milliseconds(500)), .wait)
    }
    XCTAssertEqual(window.nextOpening, .seconds(1))
    XCTAssertEqual(window.callUp(now: .milliseconds(999)), [])
    XCTAssertEqual(window.callUp(now: .seconds(1)), [flight(3)])
    XCTAssertEqual(window.nextOpening, .milliseconds(1400))
    XCTAssertEqual(window.callUp(now: .seconds(9)), [flight(4), flight(5)])
    XCTAssertNil(window.nextOpening)
  }

  func testAnAttemptThatIsGivenBackNoLongerCountsAndTheOthersDo() {
    var window = RateWindow(RequestRate(2, per: .seconds(1)))
    for (number, time) in [(1, 0), (2, 400), (3, 1000)] as [(UInt64, Int)] {
      XCTAssertEqual(window.enter(flight(number), .normal, now: .milliseconds(time)), .begin)
    }
    XCTAssertEqual(window.enter(flight(4), .normal, now: .seconds(1)), .wait)
    // One that counts no more, and one that never did.
    window.giveBack(flight(1))
    window.giveBack(flight(9))
    XCTAssertEqual(window.nextOpening, .milliseconds(1400))
    window.giveBack(flight(3))
    XCTAssertEqual(window.callUp(now: .seconds(1)), [flight(4)])
    XCTAssertEqual(window.enter(flight(5), .normal, now: .milliseconds(1399)), .wait)
    XCTAssertEqual(window.callUp(now: .milliseconds(1400)), [flight(5)])
  }

  func testNobodyPassesThoseThatWaitWithoutAHigherPriorityAndNobodyWaitsForever() {
    var window = RateWindow(RequestRate(1, per: .seconds(1)))
    XCTAssertEqual(window.enter(flight(1), .normal, now: .zero), .begin)
    XCTAssertEqual(window.enter(flight(2), .background, now: .zero), .wait)
    XCTAssertEqual(window.enter(flight(3), .high, now: .milliseconds(900)), .wait)
    XCTAssertFalse(window.enterAtOnce(flight(0), now: .seconds(1)), "two wait, though the window is open")
    XCTAssertEqual(window.callUp(now: .seconds(1)), [flight(3)])
    for second in 2...9 as ClosedRange<UInt64> {
      _ = window.enter(flight(second + 2), .high, now: .seconds(Int64(second)) - .milliseconds(1))
      if window.callUp(now: .seconds(Int64(second))).contains(flight(2)) {
        return XCTAssertEqual(second, 7, "three steps of priority are six seconds")
      }
    }
    XCTFail("it waits forever")
  }

  func testAboveTheQueueAttemptsAreRefusedAndWhoGivesUpFreesItsPlace() {
    var window = RateWindow(RequestRate(1, per: .seconds(10), excess: .wait(atMost: 2)))
    XCTAssertEqual(window.enter(flight(1), .normal, now: .zero), .begin)
    XCTAssertEqual(window.enter(flight(2), .normal, now: .seconds(1)), .wait)
    XCTAssertEqual(window.enter(flight(3), .normal, now: .seconds(1)), .wait)
    XCTAssertEqual(
      window.enter(flight(4), .normal, now: .seconds(2)), .refuse(opensIn: .seconds(8), waiting: 2))
    XCTAssertTrue(window.giveUp(flight(2)))
    XCTAssertFalse(window.giveUp(flight(2)))
    XCTAssertFalse(window.giveUp(flight(1)), "it has begun")
    XCTAssertEqual(window.enter(flight(5), .normal, now: .seconds(2)), .wait)
    XCTAssertEqual(window.callUp(now: .seconds(10)), [flight(3)], "who has given up uses nothing up")
  }

  func testARateThatRefusesLetsNobodyWait() {
    var window = RateWindow(RequestRate(1, per: .seconds(10), excess: .refuse))
    XCTAssertEqual(window.enter(flight(1), .normal, now: .zero), .begin)
    XCTAssertFalse(window.isIdle(now: .seconds(9)))
    XCTAssertEqual(
      window.enter(flight(2), .high, now: .seconds(4)), .refuse(opensIn: .seconds(6), waiting: 0))
    XCTAssertTrue(window.isIdle(now: .seconds(10)))
    XCTAssertEqual(window.enter(flight(2), .high, now: .seconds(10)), .begin)
  }

  func testARateIsAtLeastOneRequestAndItsTextSaysIt() {
    XCTAssertEqual(RequestRate(0, per: .zero), RequestRate(1, per: .milliseconds(1)))
    XCTAssertEqual(RequestRate(100, per: .seconds(60)).description, "100 requests in 60 s")
    XCTAssertEqual(RequestRate(1, per: .seconds(1)).description, "1 request in 1 s")
    XCTAssertEqual(RequestRate.unlimited.description, "unlimited")
  }
}
