@testable import TestSupport
import XCTest

@testable import APIKit

/// Landings reach the main actor in order, many in one hop.
@MainActor final class MainDeliveryTests: XCTestCase {
  func testLandingsKeepTheirOrderAndComeOnTheMainActor() async throws {
    let strip = MainDelivery()
    var seen: [Int] = []
    for index in 0..<1000 { strip.put { seen.append(index) } }
    XCTAssertEqual(seen, [], "nothing lands while the main actor is busy")
    await withCheckedContinuation { continuation in strip.put { continuation.resume() } }
    XCTAssertEqual(seen, Array(0..<1000))
  }

  func testWhatLandsMayPutDownMore() async throws {
    let strip = MainDelivery()
    await withCheckedContinuation { continuation in
      strip.put { strip.put { strip.put { continuation.resume() } } }
    }
  }

  func testNothingIsLostWhenManyThreadsPutAtOnce() async throws {
    let strip = MainDelivery()
    let count = Counter()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<100 { group.addTask { for _ in 0..<100 { strip.put { count.increment() } } } }
    }
    await withCheckedContinuation { continuation in strip.put { continuation.resume() } }
    XCTAssertEqual(count.value, 10_000)
  }
}
