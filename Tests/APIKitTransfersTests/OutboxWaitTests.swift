import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitTransfers

/// Calls that wait behind a load whose body comes slowly.
@MainActor final class OutboxWaitTests: OutboxCase {
  private var ends: [APIError.Reason?] = []

  /// An outbox that keeps a load whose body does not come before the gate is open.
  private func busyOutbox(_ gate: StubGate) async throws -> Outbox {
    let outbox = outbox()
    let streaming = manager()
    streaming.body = .stream(
      HTTPBodyStream {
        {
          _ = await gate.arrive()
          return nil
        }
      })
    streaming.load(["text": "slow"])
    try await gate.waitForArrivals(1)
    return outbox
  }

  /// Runs work, and notes how it has ended.
  private func ended(_ work: @escaping @MainActor () async throws -> Void) -> Task<Void, Never> {
    Task {
      do {
        try await work()
        ends.append(nil)
      } catch {
        ends.append((error as? APIError)?.reason)
      }
    }
  }

  func testWhoeverWaitsForTheOutboxReturnsWhenItsTaskIsCancelled() async throws {
    let (gate, ended) = (StubGate(), Counter())
    let outbox = try await busyOutbox(gate)
    outbox.start()
    let tasks = [
      Task { await outbox.flush() }, Task { await outbox.finish() },
      Task { _ = try? await outbox.items() },
    ]
    for task in tasks {
      Task {
        await task.value
        ended.increment()
      }
    }
    for _ in 0..<10 { await Task.yield() }
    XCTAssertEqual(ended.value, 0)
    for task in tasks { task.cancel() }
    await waitUntil { ended.value == 3 }
    gate.open()
    await outbox.flush()
    let items = try await outbox.items()
    XCTAssertEqual(items.map(\.parameters), [["text": "slow"]])
  }

  func testACancelledEnqueueBehindASlowBodyEndsAndKeepsNothing() async throws {
    let gate = StubGate()
    let outbox = try await busyOutbox(gate)
    let streaming = manager()
    streaming.body = .stream(HTTPBodyStream { { nil } })
    let tasks = [
      ended { _ = try await outbox.enqueue(self.manager(), ["text": "one"]) },
      ended { _ = try await outbox.enqueue(self.manager(), each: [["text": "each"]]) },
      ended { _ = try await outbox.enqueue(streaming, ["text": "stream"]) },
    ]
    for _ in 0..<10 { await Task.yield() }
    XCTAssertEqual(ends.count, 0)
    for task in tasks { task.cancel() }
    await waitUntil { ends.count == 3 }
    XCTAssertEqual(ends, [.cancelled, .cancelled, .cancelled])
    gate.open()
    let items = try await outbox.items()
    XCTAssertEqual(items.map(\.parameters), [["text": "slow"]])
    XCTAssertEqual(PrivateFile.names(in: folder + "/spool").count, 1, "the slow one")
  }

  func testACallInACancelledTaskKeepsNothingWhateverItsBody() async throws {
    let (outbox, path) = (outbox(), folder + "/body")
    try PrivateFile.replace(path, with: [1])
    let bodies: [HTTPBody?] = [
      nil, .bytes([UInt8](repeating: 1, count: 100_000)), .file(path: path),
      .stream(HTTPBodyStream { { nil } }),
    ]
    for body in bodies {
      for isSeries in [false, true] {
        let manager = manager()
        manager.body = body
        let task = ended {
          await Task.yield()
          withUnsafeCurrentTask { $0?.cancel() }
          if isSeries {
            _ = try await outbox.enqueue(manager, each: [["text": "each"]])
          } else {
            _ = try await outbox.enqueue(manager, ["text": "one"])
          }
        }
        await task.value
      }
    }
    XCTAssertEqual(ends, Array(repeating: .cancelled, count: 8))
    let items = try await outbox.items()
    XCTAssertEqual(items.map(\.parameters), [])
    XCTAssertEqual(PrivateFile.names(in: folder + "/spool"), [])
  }
}
