@testable import TestSupport
import XCTest

@testable import APIKit

/// The line in front of a host alone.
final class HostQueueTests: XCTestCase {
  private let limits = HostLimits(attemptsPerHost: 2, ageing: .seconds(2))
  private func flight(_ number: UInt64) -> FlightID { FlightID(rawValue: number) }

  func testBeyondTheLimitFlightsWaitAndGoInOrder() {
    var queue = HostQueue(limits)
    XCTAssertTrue(queue.enter(flight(1), .normal, limits: limits, of: "A", now: .zero))
    XCTAssertTrue(queue.enter(flight(2), .normal, limits: limits, of: "A", now: .zero))
    XCTAssertFalse(queue.enter(flight(3), .normal, limits: limits, of: "A", now: .zero))
    XCTAssertFalse(queue.enter(flight(4), .normal, limits: limits, of: "A", now: .zero))
    XCTAssertEqual(queue.leave("A", now: .zero), flight(3))
    XCTAssertEqual(queue.leave("A", now: .zero), flight(4))
    XCTAssertNil(queue.leave("A", now: .zero))
    XCTAssertNil(queue.leave("A", now: .zero))
    XCTAssertTrue(queue.isIdle)
  }

  func testTheHighestPriorityGoesFirst() {
    var queue = HostQueue(limits)
    for number in 1...2 {
      _ = queue.enter(flight(UInt64(number)), .normal, limits: limits, of: "A", now: .zero)
    }
    for (number, priority) in [(3, .background), (4, .normal), (5, .high), (6, .low)]
      as [(UInt64, FlightPriority)]
    {
      XCTAssertFalse(queue.enter(flight(number), priority, limits: limits, of: "A", now: .zero))
    }
    XCTAssertEqual((0..<4).compactMap { _ in queue.leave("A", now: .zero)?.rawValue }, [5, 4, 6, 3])
  }

  func testWhoWaitsLongRisesPastThosePreferred() {
    var queue = HostQueue(limits)
    for number in 1...2 {
      _ = queue.enter(flight(UInt64(number)), .normal, limits: limits, of: "A", now: .zero)
    }
    _ = queue.enter(flight(3), .background, limits: limits, of: "A", now: .zero)
    _ = queue.enter(flight(4), .high, limits: limits, of: "A", now: .seconds(5))
    _ = queue.enter(flight(5), .high, limits: limits, of: "A", now: .seconds(7))
    XCTAssertEqual(queue.leave("A", now: .seconds(5)), flight(4), "three steps are six seconds")
    XCTAssertEqual(queue.leave("A", now: .seconds(7)), flight(3))
  }

  func testAPriorityRisesAsFastWhereManyWait() {
    var queue = HostQueue(limits)
    let last = 12_000
    for number in 1...last {
      let now = Duration.milliseconds(number)
      _ = queue.enter(flight(UInt64(number)), .low, limits: limits, of: "A", now: now)
    }
    let start = Duration.ofProcessor
    for number in (3...last).reversed() { XCTAssertTrue(queue.raise(flight(UInt64(number)), to: .high)) }
    XCTAssertLessThan(.ofProcessor - start, .seconds(1), "it was six seconds")
    let now = Duration.milliseconds(last)
    XCTAssertEqual(
      (3...last).compactMap { _ in queue.leave("A", now: now)?.rawValue }, Array(3...UInt64(last)))
  }

  func testWhosePriorityRisesGoesAsIfItHadHadItFromTheBeginning() {
    var queue = HostQueue(limits)
    for number in 1...2 {
      _ = queue.enter(flight(UInt64(number)), .normal, limits: limits, of: "A", now: .zero)
    }
    for (number, priority) in [(3, .high), (4, .low), (5, .low), (6, .high), (7, .low)]
      as [(UInt64, FlightPriority)]
    {
      _ = queue.enter(flight(number), priority, limits: limits, of: "A", now: .milliseconds(Int64(number)))
    }
    XCTAssertTrue(queue.raise(flight(5), to: .high))
    XCTAssertFalse(queue.raise(flight(5), to: .high))
    XCTAssertFalse(queue.raise(flight(3), to: .normal), "it does not fall")
    XCTAssertFalse(queue.raise(flight(1), to: .high), "it flies already")
    XCTAssertEqual(queue.waitingCount, 5)
    XCTAssertTrue(queue.raise(flight(7), to: .high))
    XCTAssertTrue(queue.giveUp(flight(7), of: "A"))
    XCTAssertEqual((0..<4).compactMap { _ in queue.leave("A", now: .zero)?.rawValue }, [3, 5, 6, 4])
    XCTAssertNil(queue.leave("A", now: .zero))
  }

  func testWhoGivesUpIsPassedOver() {
    var queue = HostQueue(limits)
    for number in 1...5 {
      _ = queue.enter(flight(UInt64(number)), .normal, limits: limits, of: "A", now: .zero)
    }
    XCTAssertTrue(queue.giveUp(flight(3), of: "A"))
    XCTAssertFalse(queue.giveUp(flight(3), of: "A"))
    XCTAssertFalse(queue.giveUp(flight(1), of: "A"), "it flies already")
    XCTAssertEqual(queue.waitingCount, 2)
    XCTAssertEqual(queue.leave("A", now: .zero), flight(4))
  }

  func testALoweredLimitIsReachedByWaiting() {
    var queue = HostQueue(limits)
    for number in 1...2 {
      _ = queue.enter(flight(UInt64(number)), .normal, limits: limits, of: "A", now: .zero)
    }
    XCTAssertFalse(
      queue.enter(flight(3), .normal, limits: HostLimits(attemptsPerHost: 1), of: "A", now: .zero))
    XCTAssertNil(queue.leave("A", now: .zero))
    XCTAssertEqual(queue.leave("A", now: .zero), flight(3))
  }

  func testALongLineIsWorkedOffInOrder() {
    var queue = HostQueue(HostLimits(attemptsPerHost: 1))
    let limits = HostLimits(attemptsPerHost: 1)
    for number in 1...1000 {
      _ = queue.enter(flight(UInt64(number)), .normal, limits: limits, of: "A", now: .zero)
    }
    for number in 2...1000 { XCTAssertEqual(queue.leave("A", now: .zero), flight(UInt64(number))) }
  }

  func testARaisedLimitCallsUpAsManyAsItLets() {
    let one = HostLimits(attemptsPerHost: 1)
    var queue = HostQueue(one)
    for number in 1...4 { _ = queue.enter(flight(UInt64(number)), .normal, limits: one, of: "A", now: .zero) }
    XCTAssertNil(queue.callUp(now: .zero))
    let three = HostLimits(attemptsPerHost: 3)
    XCTAssertFalse(queue.enter(flight(5), .normal, limits: three, of: "A", now: .zero), "others were first")
    XCTAssertEqual(queue.callUp(now: .zero), flight(2))
    XCTAssertEqual(queue.callUp(now: .zero), flight(3))
    XCTAssertNil(queue.callUp(now: .zero))
    XCTAssertEqual(queue.flying, 3)
  }

  func testTheSmallestLimitHoldsOfTheServicesThatAreThere() {
    let (one, three) = (HostLimits(attemptsPerHost: 1), HostLimits(attemptsPerHost: 3))
    var queue = HostQueue(one)
    XCTAssertTrue(queue.enter(flight(1), .normal, limits: one, of: "A", now: .zero))
    XCTAssertFalse(queue.enter(flight(2), .normal, limits: one, of: "A", now: .zero))
    XCTAssertFalse(queue.enterAtOnce(three, of: "B"))
    for number in 3...5 {
      XCTAssertFalse(queue.enter(flight(UInt64(number)), .normal, limits: three, of: "B", now: .zero))
    }
    XCTAssertNil(queue.callUp(now: .zero), "one of A flies")
    XCTAssertEqual(queue.leave("A", now: .zero), flight(2))
    XCTAssertNil(queue.callUp(now: .zero))
    XCTAssertEqual(queue.leave("A", now: .zero), flight(3), "B is alone")
    XCTAssertEqual(queue.callUp(now: .zero), flight(4))
    XCTAssertFalse(queue.enter(flight(6), .normal, limits: one, of: "A", now: .zero))
    XCTAssertNil(queue.callUp(now: .zero), "A waits")
    XCTAssertTrue(queue.giveUp(flight(6), of: "A"))
    XCTAssertEqual(queue.callUp(now: .zero), flight(5))
  }
}
