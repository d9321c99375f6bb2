import APIKitTesting
import Foundation
import XCTest

@testable import APIKit
@testable import APIKitTransfers

/// Work for each item of a long queue.
final class QueueGrowthTests: DurableQueueCase {
  func testALongCircleIsFoundInATimeThatGrowsWithItsLength() {
    let count = 20_000
    let entries = (0..<count).map { entry(afterEntries: [$0 == 0 ? count - 1 : $0 - 1]) }
    let start = ContinuousClock.now
    XCTAssertEqual(QueueOrder.cycle(in: entries)?.count, count)
    XCTAssertLessThan(ContinuousClock.now - start, .seconds(3), "it was ten seconds")
  }

  func testOnlyTheEntriesOfTheCircleAreNamed() {
    let entries = [entry(afterEntries: [1]), entry(afterEntries: [2]), entry(afterEntries: [1])]
    XCTAssertEqual(QueueOrder.cycle(in: entries).map(Set.init), [1, 2])
  }
}
