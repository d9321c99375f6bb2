import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// Time for which the process was suspended, told by timers that ring late.
@MainActor final class SuspendedTimeTests: XCTestCase {
  private let time = ManualTime()

  /// Moves the clock as it goes while the process runs.
  private func run(for seconds: Int) async {
    for _ in 0..<seconds {
      time.advance(by: .seconds(1))
      await waitUntil { self.time.sleeperCount == 1 }
    }
  }

  private func watched() async -> (SuspendedTime, SuspendedTime.Watch) {
    let suspended = SuspendedTime(time)
    let watch = SuspendedTime.Watch(suspended)
    await waitUntil { self.time.sleeperCount == 1 }
    return (suspended, watch)
  }

  func testWhileTheProcessRunsNothingIsSuspended() async {
    let (suspended, watch) = await watched()
    await run(for: 60)
    XCTAssertEqual(suspended.total, .zero)
    withExtendedLifetime(watch) {}
  }

  func testATimeWithoutALookCountsWhenTheProcessGoesOn() async {
    let (suspended, watch) = await watched()
    await run(for: 12)
    time.advance(by: .seconds(300))
    // Since the look at ten seconds.
    XCTAssertEqual(suspended.total, .seconds(302))
    XCTAssertEqual(suspended.total, .seconds(302))
    await waitUntil { self.time.sleeperCount == 1 }
    await run(for: 30)
    XCTAssertEqual(suspended.total, .seconds(302))
    withExtendedLifetime(watch) {}
  }

  func testABusyMachineIsNotASuspendedProcess() async {
    let (suspended, watch) = await watched()
    for _ in 0..<5 {
      time.advance(by: .seconds(6.5))
      await waitUntil { self.time.sleeperCount == 1 }
    }
    XCTAssertEqual(suspended.total, .zero)
    withExtendedLifetime(watch) {}
  }

  func testNothingRingsAndNothingCountsWithoutAWatch() async {
    let suspended = SuspendedTime(time)
    time.advance(by: .seconds(300))
    XCTAssertEqual(suspended.total, .zero)
    var watches = [SuspendedTime.Watch(suspended), SuspendedTime.Watch(suspended)]
    await waitUntil { self.time.sleeperCount == 1 }
    watches.removeLast()
    time.advance(by: .seconds(300))
    watches.removeAll()
    XCTAssertEqual(suspended.total, .seconds(300))
    await waitUntil { self.time.sleeperCount == 0 }
    time.advance(by: .seconds(300))
    XCTAssertEqual(suspended.total, .seconds(300))
  }

  func testASleepByTheRunningTimeIsLongerByTheTimeOfASuspension() async throws {
    let time = PausedTime()
    let sleep = Task { try await time.sleep(running: .seconds(10)) }
    await waitUntil { time.base.sleeperCount == 1 }
    time.base.advance(by: .seconds(4))
    time.pause(for: .seconds(300))
    await waitUntil { time.base.sleeperCount == 1 }
    time.base.advance(by: .seconds(5))
    XCTAssertEqual(time.base.sleeperCount, 1, "a second is left")
    time.base.advance(by: .seconds(1))
    try await sleep.value
    XCTAssertEqual(time.running, .seconds(10))
  }

  func testALimitDoesNotEndWorkBecauseOfASuspension() async throws {
    let time = PausedTime()
    let work = Task {
      await failure { () async throws in
        try await TimeLimit.run(.seconds(10), by: time) { () throws(APIError) in
          do { try await Task.sleep(for: .seconds(60)) } catch { throw APIError(.transport, .cancelled) }
        }
      }
    }
    await waitUntil { time.base.sleeperCount == 1 }
    time.pause(for: .seconds(300))
    await waitUntil { time.base.sleeperCount == 1 }
    time.base.advance(by: .seconds(10))
    let error = await work.value
    XCTAssertEqual(error?.reason, .deadlineExceeded)
    XCTAssertEqual(time.running, .seconds(10))
  }

  func testTheDeadlineOfALoadIsByTheTimeForWhichTheProcessRuns() async throws {
    let time = PausedTime()
    let stub = StubTransport(.json("{}", status: 503), .json(someJSON))
    var service = TestService(stub)
    service.retryPolicy = RetryPolicy(attempts: 2, deadline: .seconds(20))
    service.retryPolicy.backoff = .constant(.seconds(5))
    let manager = TestManager(service)
    manager.time = time
    stub.hold()
    let load = Task { try await manager.response() }
    await waitUntil { stub.requests.count == 1 }
    time.pause(for: .seconds(300))
    stub.release()
    await waitUntil { time.base.sleeperCount == 1 }
    time.base.advance(by: .seconds(5))
    let response = try await load.value
    XCTAssertEqual(response.status, 200)
    XCTAssertEqual(stub.requests.count, 2)
  }
}
