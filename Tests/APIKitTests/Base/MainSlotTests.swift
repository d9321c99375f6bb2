import TestServers
@testable import TestSupport
import XCTest

@testable import APIKit

/// A task of the main actor waits for a value, and resumes in a round of deliveries.
@MainActor final class MainSlotTests: XCTestCase {
  func testAValueThatIsThereIsReturnedAtOnce() async {
    let slot = MainSlot<Int>()
    slot.resume(returning: 7)
    let value = await slot.wait()
    XCTAssertEqual(value, 7)
  }

  func testTheTaskGoesOnAsADeliveryAfterTheCallerHasReturned() async {
    let slot = MainSlot<Int>()
    let (main, seen) = (MainDelivery.main, Record<String>())
    let task = Task {
      let value = await slot.wait()
      MainActor.assertIsolated()
      XCTAssertTrue(main.isInRound)
      XCTAssertFalse(main.isInDelivery, "it is no delegate")
      seen.add("the task with \(value)")
    }
    await withCheckedContinuation { isOver in
      // The task waits by then.
      main.put {
        main.put {
          slot.resume(returning: 1)
          main.put {
            seen.add("a delivery")
            isOver.resume()
          }
          seen.add("the caller")
        }
      }
    }
    await task.value
    XCTAssertEqual(seen.all, ["the caller", "the task with 1", "a delivery"])
  }

  func testManyTasksOnAndOffTheMainActorGetTheirOwnValues() async {
    let slots = (0..<200).map { _ in MainSlot<Int>() }
    var tasks: [Task<Int, Never>] = []
    for (index, slot) in slots.enumerated() {
      tasks.append(index.isMultiple(of: 2) ? Task.detached { await slot.wait() } : Task { await slot.wait() })
      if index.isMultiple(of: 3) { await Task.yield() }
    }
    for (index, slot) in slots.enumerated() { slot.resume(returning: index) }
    var sum = 0
    for task in tasks { sum += await task.value }
    XCTAssertEqual(sum, 199 * 100)
  }

  func testATaskThatIsCancelledWaitsForItsValue() async {
    let slot = MainSlot<Int>()
    let task = Task { await slot.wait() }
    await Task.yield()
    task.cancel()
    slot.resume(returning: 3)
    let value = await task.value
    XCTAssertEqual(value, 3)
  }

  // On other platforms these files import functions of CAPIKit.
  #if os(Linux)
    /// The optimizer removes the hop to an actor whose method does nothing; the task would then continue without its value.
    func testItWaitsInAProgramThatIsOptimized() throws {
      let folder = PackageFolder.url.appendingPathComponent("Sources/APIKit/Base/Sync")
      var files = [
        "Program.swift": """
        @main struct Program {
          @MainActor static func main() async {
            let slots = (0..<100).map { _ in MainSlot<Int>() }
            let tasks = slots.enumerated().map { index, slot in
              index < 50 ? Task.detached { await slot.wait() } : Task { await slot.wait() }
            }
            await Task.yield()
            for (index, slot) in slots.enumerated() { slot.resume(returning: index) }
            var sum = 0
            for task in tasks { sum += await task.value }
            print(sum)
          }
        }
        """
      ]
      for name in ["MainSlot.swift", "MainDelivery.swift", "Mutex.swift", "Atomics.swift"] {
        files[name] = try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
      }
      let (text, status) = try SwiftCompiler().output(ofOptimized: files)
      XCTAssertEqual(status, 0, text)
      XCTAssertEqual(text, "4950")
    }
  #endif
}
