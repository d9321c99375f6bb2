import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

final class KeyedMutexTests: XCTestCase {
  func testOneTaskAtATimeDoesItsWorkForAKeyAndAllHaveTheirTurn() async {
    let mutex = KeyedMutex<String>()
    let (inside, done) = (Counter(), Counter())
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<100 {
        group.addTask {
          await mutex.withLock("a") {
            let before = inside.value
            inside.increment()
            await Task.yield()
            // Nobody else has come meanwhile.
            if inside.value == before + 1 { done.increment() }
          }
        }
      }
    }
    XCTAssertEqual(done.value, 100)
  }

  func testKeysDoNotWaitForOneAnotherAndTasksComeInTheirOrder() async throws {
    let mutex = KeyedMutex<String>()
    let (gate, order) = (StubGate(isOpen: false), Record<Int>())
    let first = Task { await mutex.withLock("a") { _ = await gate.arrive() } }
    try await gate.waitForArrivals(1)
    let other = await mutex.withLock("b") { 7 }
    XCTAssertEqual(other, 7)
    var waiting: [Task<Void, Never>] = []
    for number in 1...3 {
      waiting.append(Task { await mutex.withLock("a") { order.add(number) } })
      // Each waits before the next comes.
      try? await Task.sleep(for: .milliseconds(5))
    }
    XCTAssertEqual(order.all, [])
    gate.open()
    await first.value
    for task in waiting { await task.value }
    XCTAssertEqual(order.all, [1, 2, 3])
  }
}
