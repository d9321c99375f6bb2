import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitTransfers

/// A body whose bytes come when a gate is opened.
private func slowBody(_ asked: Counter, _ gate: StubGate) -> HTTPBody {
  .stream(
    HTTPBodyStream {
      let sent = Counter()
      return {
        asked.increment()
        _ = await gate.arrive()
        return sent.next() == 0 ? [UInt8](repeating: 1, count: 100_000) : nil
      }
    })
}

/// What a user was about to have kept when the user left.
@MainActor final class LeavingUserOutboxTests: OutboxCase {
  func testWhatIsBeingKeptWhenItsUserLeavesIsNotKept() async throws {
    for isSeries in [false, true] {
      let authenticator = Authenticator()
      service.authenticator = authenticator
      try authenticator.signIn(with: Credential(accessToken: "ann", notes: ["user": "ann"]))
      let outbox = outbox { $0.folder = self.folder + "/\(isSeries)" }
      let (asked, gate, manager) = (Counter(), StubGate(), manager())
      manager.body = slowBody(asked, gate)
      let task = Task {
        await failure {
          isSeries
            ? try await outbox.enqueue(manager, each: [["text": "ann's"]])
            : [try await outbox.enqueue(manager, ["text": "ann's"])]
        }
      }
      await waitUntil { asked.value > 0 }
      try authenticator.signOut()
      await waitUntil { outbox.runner.departures == 1 }
      gate.open()
      let error = await task.value
      XCTAssertEqual(error?.reason, .signedOut)
      let items = try await outbox.items()
      XCTAssertEqual(items, [])
      XCTAssertEqual(PrivateFile.names(in: outbox.configuration.folder + "/spool"), [])
    }
  }

  func testWhatIsBeingKeptIsKeptWhereItemsOutliveTheSignOut() async throws {
    let authenticator = Authenticator()
    service.authenticator = authenticator
    try authenticator.signIn(with: Credential(accessToken: "ann", notes: ["user": "ann"]))
    let outbox = outbox { $0.keepsItemsAtSignOut = true }
    let (asked, gate, manager) = (Counter(), StubGate(), manager())
    manager.body = slowBody(asked, gate)
    let task = Task { try await outbox.enqueue(manager, ["text": "ann's"]) }
    await waitUntil { asked.value > 0 }
    try authenticator.signOut()
    await waitUntil { outbox.runner.departures == 1 }
    gate.open()
    _ = try await task.value
    let items = try await outbox.items()
    XCTAssertEqual(items.count, 1)
  }

  func testALoadThatIsGivenUpWhileItsBodyIsReadHoldsUpNobody() async throws {
    for signsOut in [false, true] {
      let authenticator = Authenticator()
      service.authenticator = authenticator
      try authenticator.signIn(with: Credential(accessToken: "ann", notes: ["user": "ann"]))
      let (outbox, delegate) = (outbox { $0.folder = self.folder + "/\(signsOut)" }, OutboxRecorder())
      let (asked, gate, slow) = (Counter(), StubGate(), manager(delegate))
      // Ignores the cancellation of its task.
      slow.body = .stream(
        HTTPBodyStream {
          let sent = Counter()
          return {
            asked.increment()
            await Task { _ = await gate.arrive() }.value
            return sent.next() == 0 ? [UInt8](repeating: 1, count: 100_000) : nil
          }
        })
      slow.load(["text": "slow"])
      await waitUntil { asked.value > 0 }
      if signsOut {
        try authenticator.signOut()
        try authenticator.signIn(with: Credential(accessToken: "bob", notes: ["user": "bob"]))
      } else {
        slow.cancel()
      }
      let next = OutboxRecorder()
      let other = manager(next)
      other.load(["text": "next"])
      await waitUntil { !next.story.isEmpty }
      XCTAssertEqual(next.story, ["queued 1"], "signs out: \(signsOut)")
      await waitUntil { !delegate.story.isEmpty }
      XCTAssertEqual(delegate.story, ["cancelled \(signsOut ? "signed-out" : "by-caller")"])
      XCTAssertFalse(slow.isLoading)
      gate.open()
      await waitUntil { PrivateFile.names(in: outbox.configuration.folder + "/spool").isEmpty }
      let items = try await outbox.items()
      XCTAssertEqual(items.count, 1)
    }
  }
}

@MainActor final class LeavingUserTransferTests: TransferQueueCase {
  func testWhatIsBeingKeptWhenItsUserLeavesIsNotKept() async throws {
    let authenticator = Authenticator()
    let server = try ScriptedServer.serving { _ in ScriptedServer.response(200) }
    defer { server.stop() }
    var service = try service(server)
    service.authenticator = authenticator
    try authenticator.signIn(with: Credential(accessToken: "ann", notes: ["user": "ann"]))
    let (queue, manager) = (queue(service), KeptUploads(service))
    let (asked, gate) = (Counter(), StubGate())
    let task = Task {
      await failure { try await queue.enqueue(manager, uploading: slowBody(asked, gate)) }
    }
    await waitUntil { asked.value > 0 }
    try authenticator.signOut()
    await waitUntil { queue.runner.departures == 1 }
    gate.open()
    let error = await task.value
    XCTAssertEqual(error?.reason, .signedOut)
    let transfers = try await queue.transfers()
    XCTAssertEqual(transfers.count, 0)
  }
}
