import XCTest

@testable import APIKit

/// The line in front of a host alone.
final class HostQueueTests: XCTestCase {
  private let limits = HostLimits(attemptsPerHost: 2, ageing: .seconds(2))
  private func flight(_ number: UInt64) -> FlightID { FlightID(rawValue: number) }

  func testBeyondTheLimitFlightsWaitAndGoInOrder() {
    var queue = HostQueue(limits)
    XCTAssertTrue(queue.enter(flight(1), .normal, limits: limits, now: .zero))
    XCTAssertTrue(queue.enter(flight(2), .normal, limits: limits, now: .zero))
    XCTAssertFalse(queue.enter(flight(3), .normal, limits: limits, now: .zero))
    XCTAssertFalse(queue.enter(flight(4), .normal, limits: limits, now: .zero))
    XCTAssertEqual(queue.leave(now: .zero), flight(3))
    XCTAssertEqual(queue.leave(now: .zero), flight(4))
    XCTAssertNil(queue.leave(now: .zero))
    XCTAssertNil(queue.leave(now: .zero))
    XCTAssertTrue(queue.isIdle)
  }

  func testTheHighestPriorityGoesFirst() {
    var queue = HostQueue(limits)
    for number in 1...2 { _ = queue.enter(flight(UInt64(number)), .normal, limits: limits, now: .zero) }
    for (number, priority) in [(3, .background), (4, .normal), (5, .high), (6, .low)]
      as [(UInt64, FlightPriority)]
    {
      XCTAssertFalse(queue.enter(flight(number), priority, limits: limits, now: .zero))
    }
    XCTAssertEqual((0..<4).compactMap { _ in queue.leave(now: .zero)?.rawValue }, [5, 4, 6, 3])
  }

  func testWhoWaitsLongRisesPastThosePreferred() {
    var queue = HostQueue(limits)
    for number in 1...2 { _ = queue.enter(flight(UInt64(number)), .normal, limits: limits, now: .zero) }
    _ = queue.enter(flight(3), .background, limits: limits, now: .zero)
    _ = queue.enter(flight(4), .high, limits: limits, now: .seconds(5))
    _ = queue.enter(flight(5), .high, limits: limits, now: .seconds(7))
    XCTAssertEqual(queue.leave(now: .seconds(5)), flight(4), "three steps are six seconds")
    XCTAssertEqual(queue.leave(now: .seconds(7)), flight(3))
  }

  func testWhoGivesUpIsPassedOver() {
    var queue = HostQueue(limits)
    for number in 1...5 { _ = queue.enter(flight(UInt64(number)), .normal, limits: limits, now: .zero) }
    XCTAssertTrue(queue.giveUp(flight(3)))
    XCTAssertFalse(queue.giveUp(flight(3)))
    XCTAssertFalse(queue.giveUp(flight(1)), "it flies already")
    XCTAssertEqual(queue.waitingCount, 2)
    XCTAssertEqual(queue.leave(now: .zero), flight(4))
  }

  func testALoweredLimitIsReachedByWaiting() {
    var queue = HostQueue(limits)
    for number in 1...2 { _ = queue.enter(flight(UInt64(number)), .normal, limits: limits, now: .zero) }
    XCTAssertFalse(queue.enter(flight(3), .normal, limits: HostLimits(attemptsPerHost: 1), now: .zero))
    XCTAssertNil(queue.leave(now: .zero))
    XCTAssertEqual(queue.leave(now: .zero), flight(3))
  }

  func testALongLineIsWorkedOffInOrder() {
    var queue = HostQueue(HostLimits(attemptsPerHost: 1))
    let limits = HostLimits(attemptsPerHost: 1)
    for number in 1...1000 { _ = queue.enter(flight(UInt64(number)), .normal, limits: limits, now: .zero) }
    for number in 2...1000 { XCTAssertEqual(queue.leave(now: .zero), flight(UInt64(number))) }
  }

  func testARaisedLimitCallsUpAsManyAsItLets() {
    let one = HostLimits(attemptsPerHost: 1)
    var queue = HostQueue(one)
    for number in 1...4 { _ = queue.enter(flight(UInt64(number)), .normal, limits: one, now: .zero) }
    XCTAssertNil(queue.callUp(now: .zero))
    let three = HostLimits(attemptsPerHost: 3)
    XCTAssertFalse(queue.enter(flight(5), .normal, limits: three, now: .zero), "others were first")
    XCTAssertEqual(queue.callUp(now: .zero), flight(2))
    XCTAssertEqual(queue.callUp(now: .zero), flight(3))
    XCTAssertNil(queue.callUp(now: .zero))
    XCTAssertEqual(queue.flying, 3)
  }
}
