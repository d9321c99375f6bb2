@testable import TestSupport
import XCTest

@testable import APIKit

/// Elements that wait for their consumer: bounded, in order, and what is lost is said.
final class BoundedQueueTests: XCTestCase {
  func testABufferKeepsTheFirstAndMarksWhatHadNoRoom() {
    var buffer = BoundedBuffer<Int>(capacity: 3)
    for number in 1...5 { buffer.put(number) }
    XCTAssertEqual(buffer.dropped, 2)
    XCTAssertEqual(buffer.take { first, count in -(first * 10 + count) }, [1, 2, 3, -42])
    XCTAssertTrue(buffer.isEmpty)
    buffer.put(6)
    XCTAssertEqual(buffer.take { _, _ in 0 }, [6], "what was said once is not said again")
    XCTAssertEqual(buffer.dropped, 2)
  }

  func testAQueueHandsOnInOrderAndCounts() async {
    let taken = Record<Int>()
    let queue = BoundedQueue<Int>("test", capacity: 100) { number in
      if number == 3 { throw CancellationError() }
      taken.add(number)
    }
    for number in 1...5 { queue.put(number) }
    await queue.flush()
    XCTAssertEqual(taken.all, [1, 2, 4, 5])
    XCTAssertEqual(queue.counts.taken, 4)
    XCTAssertEqual(queue.counts.failed, 1)
  }

  func testWhoeverPutsNeverWaitsForAFunctionThatDoesNotReturn() async {
    let (latch, begun, taken) = (Latch(), Latch(), Record<Int>())
    let queue = BoundedQueue<Int>("test", capacity: 2, mark: { _, count in -count }) { number in
      begun.open()
      latch.wait()
      taken.add(number)
    }
    queue.put(1)
    begun.wait()
    for number in 2...6 { queue.put(number) }
    XCTAssertEqual(queue.counts.dropped, 3)
    latch.open()
    await queue.flush()
    XCTAssertEqual(taken.all, [1, 2, 3, -3])
  }

  func testNothingBeginsInAQueueThatWasClosed() async {
    let (latch, begun, taken) = (Latch(), Latch(), Record<Int>())
    let queue = BoundedQueue<Int>("test", capacity: 9) { number in
      begun.open()
      latch.wait()
      taken.add(number)
    }
    queue.put(1)
    begun.wait()
    queue.put(2)
    queue.close()
    queue.put(3)
    latch.open()
    await queue.flush()
    XCTAssertEqual(taken.all, [1])
  }
}
