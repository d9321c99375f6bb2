import APIKitTesting
import XCTest

@testable import APIKit

/// The clock that moves only when told to.
final class TimeSourceTests: XCTestCase {
  func testAManualClockWakesWhoIsDueAndNobodyElse() async throws {
    let time = ManualTime()
    let early = Task { try await time.sleep(for: .seconds(1)) }
    let late = Task { try await time.sleep(for: .seconds(2)) }
    await untilTrue { time.sleeperCount == 2 }
    time.advance(by: .milliseconds(1500))
    try await early.value
    XCTAssertEqual(time.sleeperCount, 1)
    time.advance(by: .milliseconds(500))
    try await late.value
    XCTAssertEqual(time.now, .seconds(2))
  }

  func testACancelledSleeperWakesWithAnError() async throws {
    let time = ManualTime()
    let task = Task { try await time.sleep(for: .seconds(1)) }
    await untilTrue { time.sleeperCount == 1 }
    task.cancel()
    let result = await task.result
    guard case .failure(let error) = result else { return XCTFail("it slept on") }
    XCTAssertTrue(error is CancellationError)
    XCTAssertEqual(time.sleeperCount, 0)
  }

  func testTheWallClockMovesAlongAndMayJump() {
    let time = ManualTime(wallClock: 100)
    time.advance(by: .seconds(5))
    XCTAssertEqual(time.wallClock, 105)
    time.wallClock = 50
    XCTAssertEqual(time.wallClock, 50)
    XCTAssertEqual(time.now, .seconds(5))
  }

  func testTheLongestSleepThereIsDoesNotEndTheProcess() async throws {
    let task = Task { try await SystemTime().sleep(for: .seconds(Int64.max)) }
    try await Task.sleep(for: .milliseconds(20))
    task.cancel()
    let result = await task.result
    XCTAssertThrowsError(try result.get()) { XCTAssertTrue($0 is CancellationError) }
  }

  private func untilTrue(_ condition: () -> Bool) async {
    for _ in 0..<10_000 where !condition() { try? await Task.sleep(for: .milliseconds(1)) }
    XCTAssertTrue(condition())
  }
}
