import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitTransfers

/// Work for each item of a long queue.
final class QueueGrowthTests: DurableQueueCase {
  func testALongCircleIsFoundInATimeThatGrowsWithItsLength() {
    let count = 20_000
    let entries = (0..<count).map { entry(afterEntries: [$0 == 0 ? count - 1 : $0 - 1]) }
    let start = Duration.ofProcessor
    XCTAssertEqual(QueueOrder.cycle(in: entries)?.count, count)
    XCTAssertLessThan(.ofProcessor - start, .seconds(3), "it was ten seconds")
  }

  func testOnlyTheEntriesOfTheCircleAreNamed() {
    let entries = [entry(afterEntries: [1]), entry(afterEntries: [2]), entry(afterEntries: [1])]
    XCTAssertEqual(QueueOrder.cycle(in: entries).map(Set.init), [1, 2])
  }

  func testWhatIsKeptAfterADatabaseWasRemovedOrReplacedIsNotLostWithIt() async throws {
    for isReplaced in [false, true] {
      folder += "x"
      let queue = queue()
      _ = try await queue.enqueue([entry("a")])
      try FileManager.default.removeItem(atPath: folder)
      if isReplaced { _ = try await self.queue().enqueue([entry("z")]) }
      _ = try await queue.enqueue([entry("b")])
      let later = try await self.queue().rows().map { String(decoding: $0.payload, as: UTF8.self) }
      XCTAssertEqual(later, isReplaced ? ["z", "b"] : ["b"])
      let isGone = await self.queue().isGone(queue.owner)
      XCTAssertFalse(isGone)
    }
  }

  func testActionsAfterADatabaseWasRemovedAreNotLostWithIt() async throws {
    let store = ActionStore(folder: folder)
    _ = try await store.append([1], limit: 100)
    try FileManager.default.removeItem(atPath: folder)
    _ = try await store.append([2], limit: 100)
    let waiting = try await ActionStore(folder: folder).counts().waiting
    XCTAssertEqual(waiting, 1)
  }

  func testACutDatabaseIsMendedInABoundedTimeWhoeverHasItOpen() async throws {
    for (length, isShared) in [(0, false), (0, true), (5_000, false), (5_000, true)] {
      folder += "x"
      let (queue, actions) = (queue(), ActionStore(folder: folder))
      _ = try await queue.enqueue((0..<50).map { entry("\($0)") })
      for number in 0..<50 { _ = try await actions.append([UInt8(number)], limit: 100) }
      let others = isShared ? (self.queue(), ActionStore(folder: folder)) : nil
      _ = try await others?.0.totals()
      _ = try await others?.1.counts()
      for name in ["queue", "actions"] {
        let path = "\(folder)/\(name).sqlite"
        try SQLiteDatabase(path: path, patience: 100).emptyLog()
        truncate(path, off_t(length))
      }
      let start = ContinuousClock.now
      _ = try await queue.enqueue([entry("new")])
      _ = try await actions.append([100], limit: 100)
      _ = try await others?.0.enqueue([entry("other")])
      _ = try await others?.1.append([101], limit: 100)
      let rows = try await queue.rows().map { String(decoding: $0.payload, as: UTF8.self) }
      XCTAssertEqual(rows, isShared ? ["new", "other"] : ["new"], "\(length)")
      let waiting = try await actions.counts().waiting
      XCTAssertEqual(waiting, rows.count, "\(length)")
      XCTAssertLessThan(ContinuousClock.now - start, .seconds(2), "\(length) \(isShared)")
    }
  }

  func testADatabaseThatWasCutWhileAnIdleProcessHasItOpenCanBeOpenedByANewOne() async throws {
    for length in [0, 50] {
      folder += "x"
      let (idle, path) = (queue(), "\(folder)/queue.sqlite")
      _ = try await idle.enqueue([entry("old")])
      try SQLiteDatabase(path: path, patience: 100).emptyLog()
      truncate(path, off_t(length))
      let start = ContinuousClock.now
      let queue = queue()
      _ = try await queue.enqueue([entry("new")])
      XCTAssertLessThan(ContinuousClock.now - start, .seconds(2))
      _ = try await idle.enqueue([entry("other")])
      let rows = try await queue.rows().map { String(decoding: $0.payload, as: UTF8.self) }
      XCTAssertEqual(rows, ["new", "other"])
    }
  }
}

@MainActor final class OutboxGrowthTests: OutboxCase {
  func testManyLoadsAreCancelledInATimeThatGrowsWithTheirNumber() async throws {
    let count = 2_000
    let (outbox, manager) = (outbox(), manager())
    var flights: [FlightID] = []
    for _ in 0..<count {
      if case .waiting(let id) = manager.load(["text": "x"]) { flights.append(id) }
    }
    await outbox.flush()
    XCTAssertEqual(outbox.kept.count, count)
    let start = Duration.ofProcessor
    for flight in flights { outbox.giveUp(flight) }
    XCTAssertLessThan(.ofProcessor - start, .milliseconds(100), "it was 276 ms, now 4")
    XCTAssertEqual(outbox.kept.count, 0)
    try await turn { try await outbox.items().isEmpty }
  }

  func testALoadThatIsCancelledOnAFullDiskIsNotSent() async throws {
    let outbox = outbox()
    let delegate = OutboxRecorder()
    let manager = manager(delegate)
    manager.load(["text": "x"])
    await outbox.flush()
    let database = try SQLiteDatabase(path: "\(folder)/queue.sqlite", patience: 10_000)
    try database.execute(
      "CREATE TRIGGER no BEFORE DELETE ON items BEGIN SELECT RAISE(ABORT, 'no room'); END")
    manager.cancel()
    for _ in 0..<50 { try await Task.sleep(for: .milliseconds(2)) }
    try database.execute("DROP TRIGGER no")
    outbox.start()
    try await turn { try await outbox.items().isEmpty }
    XCTAssertEqual(delegate.story.filter { !$0.hasPrefix("queued") }, ["cancelled by-caller"])
    XCTAssertEqual(stub.requests.count, 0, "it was cancelled")
  }
}
