import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

final class SingleFlightTests: XCTestCase {
  func testWorkIsDoneOnceForAllWhoAskWhileItIsUnderWay() async {
    let work = SingleFlight<String, Int>()
    let gate = StubGate(isOpen: false)
    let runs = Counter()
    let asking = (0..<10).map { _ in
      Task {
        await work.value("a") {
          let run = runs.next()
          _ = await gate.arrive()
          return run
        }
      }
    }
    await waitUntil { gate.waiting == 1 }
    let other = await work.value("b") { 7 }
    XCTAssertEqual(other, 7, "keys do not wait for one another")
    gate.open()
    for one in asking {
      let value = await one.value
      XCTAssertNotNil(value)
    }
    let again = await work.value("a") { runs.next() }
    XCTAssertNotNil(again)
    XCTAssertGreaterThanOrEqual(runs.value, 2, "what is over is done anew")
  }

  func testWhoLeavesDoesNotEndItForTheOthersAndTheLastDoes() async {
    let work = SingleFlight<Int, Bool>()
    let ended = Counter()
    let gate = StubGate(isOpen: false)
    let asking = (0..<2).map { _ in
      Task {
        await work.value(0) {
          let arrived = await gate.arrive()
          ended.increment()
          return arrived
        }
      }
    }
    await waitUntil { gate.waiting == 1 && work.waiterCount == 2 }
    asking[0].cancel()
    let left = await asking[0].value
    XCTAssertNil(left)
    XCTAssertEqual(ended.value, 0)
    asking[1].cancel()
    let last = await asking[1].value
    XCTAssertNil(last)
    await waitUntil { ended.value == 1 }
  }

  func testWorkThatIsWantedGoesOnWithoutAnybodyWaiting() async {
    let work = SingleFlight<Int, Int>()
    let gate = StubGate(isOpen: false)
    let done = Counter()
    let body: @Sendable () async -> Int = {
      if await gate.arrive() { done.increment() }
      return 1
    }
    work.begin(0, body)
    work.begin(0, body)
    await waitUntil { gate.waiting == 1 }
    let asking = Task { await work.value(0, body) }
    asking.cancel()
    _ = await asking.value
    gate.open()
    await waitUntil { done.value == 1 }
  }

  func testATaskThatIsCancelledAlreadyBeginsNothing() async {
    let work = SingleFlight<Int, Int>()
    let runs = Counter()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await work.value(0) { runs.next() }
    }
    let value = await task.value
    XCTAssertNil(value)
    XCTAssertEqual(runs.value, 0)
  }
}
