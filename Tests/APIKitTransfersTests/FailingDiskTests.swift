import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitTransfers

/// A disk that takes nothing for a while: what was sent is not sent again, in this launch and the next.
@MainActor final class FailingDiskTests: OutboxCase {
  /// Has the queue's database refuse a kind of changes, until it is told otherwise.
  private func setRefusal(_ isOn: Bool, of event: String, _ condition: String = "") throws {
    let database = try SQLiteDatabase(path: "\(folder)/queue.sqlite", patience: 10_000)
    try database.execute(
      isOn
        ? "CREATE TRIGGER no BEFORE \(event) ON items \(condition) BEGIN SELECT RAISE(ABORT, 'no room'); END"
        : "DROP TRIGGER no")
  }

  func testAnItemThatWasSentGoesAsSoonAsTheDiskTakesIt() async throws {
    let (first, delegate) = (outbox(), OutboxRecorder())
    let manager = manager(delegate)
    manager.load(["text": "hello"])
    await first.flush()
    try setRefusal(true, of: "DELETE")
    first.start()
    // Who waits is told, although the item cannot go.
    try await turn { delegate.story.count == 2 }
    for _ in 0..<20 { time.advance(by: .seconds(1)) }
    XCTAssertEqual(delegate.story, ["queued 1", "succeeded 42"])
    var items = try await first.items()
    XCTAssertEqual(items.map(\.state), [.sending])
    try setRefusal(false, of: "DELETE")
    try await turn { try await first.items().isEmpty }
    await first.stop()
    // Nothing of it is left for the next launch: neither to send nor to tell.
    let (second, later) = (outbox(), OutboxRecorder())
    let attached = self.manager(later)
    second.attach(attached)
    second.start()
    for _ in 0..<20 {
      time.advance(by: .seconds(1))
      try await Task.sleep(for: .milliseconds(2))
    }
    items = try await second.items()
    XCTAssertEqual(items, [])
    XCTAssertEqual(later.story, [])
    XCTAssertEqual(stub.requests.count, 1)
  }

  func testALandingOfWhichNobodyWasToldIsToldOnceTheDiskTakesIt() async throws {
    let (outbox, delegate) = (outbox(), OutboxRecorder())
    var gone: QueuedNoteManager? = manager()
    gone?.load(["text": "hello"])
    await outbox.flush()
    gone = nil
    try setRefusal(true, of: "DELETE")
    outbox.start()
    // Sent, and not written.
    try await turn { outbox.runner.running.isEmpty && outbox.runner.holds(1) }
    XCTAssertEqual(stub.requests.count, 1)
    let attached = manager(delegate)
    outbox.attach(attached)
    try setRefusal(false, of: "DELETE")
    try await turn { try await outbox.items().isEmpty }
    try await turn { !delegate.story.isEmpty }
    XCTAssertEqual(delegate.story, ["succeeded 42"])
    XCTAssertEqual(stub.requests.count, 1)
  }

  func testAnItemThatCannotGoBackToItsPlaceDoesSoLater() async throws {
    stub = StubTransport(.status(503))
    stub.on("/api/notes", .status(503), .json(#"{"id": 42}"#))
    service.client = HTTPClient(transport: stub)
    let (outbox, delegate) = (outbox(), OutboxRecorder())
    let manager = manager(delegate)
    manager.load(["text": "hello"])
    await outbox.flush()
    try setRefusal(true, of: "UPDATE", "WHEN old.state = 1 AND new.state = 0")
    outbox.start()
    try await turn { self.stub.requests.count == 1 }
    for _ in 0..<20 {
      time.advance(by: .seconds(1))
      try await Task.sleep(for: .milliseconds(2))
    }
    XCTAssertEqual(stub.requests.count, 1)
    try setRefusal(false, of: "UPDATE")
    try await turn { delegate.story.count == 2 }
    XCTAssertEqual(delegate.story, ["queued 1", "succeeded 42"])
    XCTAssertEqual(stub.requests.count, 2)
  }
}
