import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitTransfers

/// What an outbox does while it may not send.
@MainActor final class OutboxStoppingTests: OutboxCase {
  func testNothingIsSentBehindStop() async throws {
    for round in 0..<60 {
      let outbox = outbox { $0.folder = self.folder + "/\(round)" }
      _ = try await outbox.enqueue(manager(), ["text": "hello"])
      outbox.start()
      // The runner is at another step each time.
      for _ in 0..<(round % 30) { await Task.yield() }
      await outbox.stop()
      XCTAssertTrue(outbox.runner.running.isEmpty)
      let count = stub.requests.count
      try await Task.sleep(for: .milliseconds(5))
      XCTAssertEqual(stub.requests.count, count, "round \(round)")
      let items = try await outbox.items()
      XCTAssertEqual(items.filter { $0.state == .sending }, [])
    }
  }

  func testAnItemExpiresWithoutANetwork() async throws {
    network.force(.offline)
    let (outbox, delegate) = (outbox { $0.lifetime = .seconds(60) }, OutboxRecorder())
    outbox.start()
    let manager = manager(delegate)
    manager.load(["text": "hello"])
    try await turn { delegate.story.count == 2 }
    XCTAssertEqual(delegate.story, ["queued 1", "failed deadline-exceeded 0"])
    XCTAssertEqual(stub.requests.count, 0)
  }

  func testFinishReturnsWhereTheOutboxCannotBeUsed() async throws {
    let first = outbox()
    _ = try await first.enqueue(manager(), ["text": "hello"])
    try SQLiteDatabase(path: "\(folder)/queue.sqlite", patience: 1000).execute("PRAGMA user_version = 99")
    let (second, done) = (outbox(), Counter())
    second.start()
    Task {
      await second.finish()
      done.increment()
    }
    try await turn { done.value == 1 }
    XCTAssertEqual(stub.requests.count, 0)
  }

  func testACancelledEnqueueOfAStreamEndsWhileOtherLoadsAreKept() async throws {
    let (outbox, opened, ended) = (outbox(), Counter(), Counter())
    let streaming = manager()
    streaming.body = .stream(
      HTTPBodyStream {
        opened.increment()
        return {
          try await Task.sleep(for: .seconds(60))
          return nil
        }
      })
    manager().load(["text": "before"])
    let task = Task {
      defer { ended.increment() }
      _ = try await outbox.enqueue(streaming)
    }
    await waitUntil { opened.value == 1 }
    manager().load(["text": "behind"])
    task.cancel()
    await waitUntil { ended.value == 1 }
    let items = try await outbox.items()
    XCTAssertEqual(items.map(\.parameters), [["text": "before"], ["text": "behind"]])
  }

  func testAStoppedTransportIsNotAskedWithoutEnd() async throws {
    stub.reset()
    let stopped = StubResponse.failure(APIError(.transport, .transportStopped))
    stub.on("/api/notes", stopped, stopped, .json(#"{"id": 42}"#))
    let outbox = outbox { $0.maximumAttempts = 1 }
    outbox.start()
    _ = try await outbox.enqueue(manager(), ["text": "hello"])
    try await stub.waitForRequests(1)
    try await Task.sleep(for: .milliseconds(100))
    XCTAssertEqual(stub.requests.count, 1)
    // Another one may take its place, and the item has lost no attempt.
    try await turn { try await outbox.items().isEmpty }
    XCTAssertEqual(stub.requests.count, 3)
  }

  func testAReleasedOutboxLeavesNothingOpenWhileItsAuthenticatorStays() async throws {
    let authenticator = Authenticator()
    try authenticator.signIn(with: Credential(accessToken: "ann", notes: ["user": "ann"]))
    service.authenticator = authenticator
    var released: Outbox? = outbox()
    outboxes = []
    weak let queue = released?.runner.queue
    _ = try await released?.enqueue(manager(), ["text": "hello"])
    network.force(.offline)
    released?.start()
    await released?.stop()
    released = nil
    try await turn { queue == nil }
    XCTAssertEqual(PrivateFile.names(in: folder).filter { $0.hasPrefix("owner-") }, [])
    // The sign-out counts for what it has kept all the same.
    try authenticator.signOut()
    network.force(.wifi)
    let items = try await outbox().items()
    XCTAssertEqual(items, [])
  }

  func testALoadThatTheOutboxKeepsIsNotSuspended() async throws {
    let (outbox, delegate) = (outbox(), OutboxRecorder())
    let manager = manager(delegate)
    let flight = try XCTUnwrap(manager.load(["text": "hello"]).flightID)
    assertFails(.unsupportedCapability, "isQueued") { try manager.suspend(flight) }
    XCTAssertEqual(manager.progress(of: flight)?.isPausable, false)
    XCTAssertEqual(manager.state(of: flight), .waiting)
    outbox.start()
    try await turn { delegate.story.count == 2 }
    XCTAssertEqual(delegate.story, ["queued 1", "succeeded 42"])
  }
}
