import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitTransfers

/// Actions that are recorded, kept and sent in batches.
@MainActor final class ActionLogTests: XCTestCase {
  private lazy var folder = temporaryPath()
  private let time = ManualTime()
  private var batches: [ActionBatch] = []
  private var onSend: (ActionBatch) throws -> Void = { _ in }

  private func log(size: Int = 3, limit: Int = 100, hasConsent: Bool = true) -> ActionLog {
    ActionLog(
      folder: folder, batchSize: size, maximumActions: limit, hasConsent: hasConsent, time: time,
      backoff: .constant(.seconds(10))
    ) { [weak self] batch in
      self?.batches.append(batch)
      try self?.onSend(batch)
    }
  }

  private func names(_ batch: ActionBatch) -> [String] {
    batch.actions.compactMap { if case .object(let action) = $0 { action["name"]?.string } else { nil } }
  }

  private func status(_ status: Int) -> APIError {
    var error = APIError(.response, .unacceptableStatus)
    error.context.status = status
    return error
  }

  private func waitForBatches(_ count: Int) async { await waitUntil { self.batches.count >= count } }

  func testARequestGoesWhenABatchIsFull() async throws {
    let log = log()
    log.start()
    await log.flush()
    log.record("a", ["id": 1])
    log.record("b")
    var counts = await log.counts()
    XCTAssertEqual(counts.waiting, 2)
    XCTAssertEqual(batches.count, 0)
    log.record("c")
    await waitForBatches(1)
    XCTAssertEqual(names(batches[0]), ["a", "b", "c"])
    guard case .object(let action) = batches[0].actions[0] else { return XCTFail() }
    XCTAssertEqual(action["sequence"], 1)
    XCTAssertEqual(action["time"], .double(1_767_225_600))
    XCTAssertEqual(action["values"], .object(["id": 1]))
    XCTAssertEqual(action["id"]?.string?.isEmpty, false)
    await waitUntilEmpty(log)
    counts = await log.counts()
    XCTAssertEqual(counts.parked, 0)
  }

  private func waitUntilEmpty(_ log: ActionLog) async {
    for _ in 0..<2000 where await log.counts().waiting > 0 { try? await Task.sleep(for: .milliseconds(1)) }
    let counts = await log.counts()
    XCTAssertEqual(counts.waiting, 0)
  }

  /// Makes the database refuse an event of its rows, or allow it again.
  private func setRefusal(_ isOn: Bool, of event: String) throws {
    let database = try SQLiteDatabase(path: folder + "/actions.sqlite", patience: 10_000)
    try database.execute(
      isOn
        ? "CREATE TRIGGER no BEFORE \(event) ON events BEGIN SELECT RAISE(ABORT, 'no room'); END"
        : "DROP TRIGGER no")
  }

  func testABatchThatCannotBeRemovedIsNotSentAgainAtOnce() async throws {
    for (event, status) in [("DELETE", 200), ("UPDATE", 413)] {
      batches = []
      folder = temporaryPath()
      onSend = { _ in if status != 200 { throw self.status(status) } }
      let log = log(size: 2)
      log.record("a")
      log.record("b")
      log.start()
      onSend = { [self] _ in
        if batches.count == 1 { try setRefusal(true, of: event) }
        if status != 200 { throw self.status(status) }
      }
      await waitForBatches(1)
      try await Task.sleep(for: .milliseconds(300))
      XCTAssertLessThan(batches.count, 3, event)
      try setRefusal(false, of: event)
      await log.setConsent(false)
      try? FileManager.default.removeItem(atPath: folder)
    }
  }

  func testFlushLeavesNothingOfWhatWasRecordedBefore() async throws {
    let log = log(size: 30)
    log.start()
    for round in 0..<300 {
      log.record("a")
      let other = Task { await log.flush() }
      for _ in 0..<round % 7 { await Task.yield() }
      log.record("b")
      await log.flush()
      let counts = await log.counts()
      XCTAssertEqual(counts.waiting, 0, "round \(round)")
      await other.value
    }
  }

  func testFlushReturnsWhenARequestHasFailedAndWhenItIsCancelled() async throws {
    onSend = { _ in throw APIError(.transport, .connectionLost) }
    let log = log()
    log.start()
    log.record("a")
    // The clock stands still, so the next attempt is never made.
    await log.flush()
    XCTAssertEqual(batches.count, 1)
    let waiting = Task { await log.flush() }
    for _ in 0..<20 { await Task.yield() }
    waiting.cancel()
    await waiting.value
  }

  func testFlushDoesNotWaitForTheNextAttempt() async throws {
    onSend = { _ in throw self.status(503) }
    let log = log()
    log.start()
    log.record("a")
    await log.flush()
    XCTAssertEqual(batches.count, 1)
    let second = Task { await log.flush() }
    await waitForBatches(2)
    await second.value
    XCTAssertEqual(batches.count, 2)
    XCTAssertEqual(batches[0].key, batches[1].key)
  }

  /// The database of a log that is closed, with the actions `a` and `b`.
  private func databaseOfTwoActions() async throws -> SQLiteDatabase {
    let log = log()
    log.record("a")
    log.record("b")
    _ = await log.counts()
    return try SQLiteDatabase(path: folder + "/actions.sqlite", patience: 1000)
  }

  func testAnActionOfABatchThatIsGoneIsSentInAnother() async throws {
    let database = try await databaseOfTwoActions()
    try database.execute("UPDATE events SET batch = 4 WHERE sequence = 1")
    let second = log()
    second.start()
    await second.flush()
    XCTAssertEqual(batches.flatMap(names), ["a", "b"])
    await waitUntilEmpty(second)
  }

  func testABatchThatTwoProcessesSendIsHalvedOnce() async throws {
    let (first, second) = (ActionStore(folder: folder), ActionStore(folder: folder))
    for number in 0..<4 { _ = try await first.append([UInt8(number)], limit: 100) }
    func next(_ store: ActionStore) async throws -> ActionStore.Batch {
      let batch = try await store.next(size: 4, atLeast: 1)
      return try XCTUnwrap(batch)
    }
    let (one, other) = (try await next(first), try await next(second))
    XCTAssertEqual(one.key, other.key)
    try await first.halve(one)
    let half = try await next(first)
    try await second.halve(other)
    let again = try await next(second)
    XCTAssertEqual(again.key, half.key, "its actions may be at the server under this key")
    XCTAssertEqual(again.events.map(\.sequence), half.events.map(\.sequence))
  }

  func testAnActionThatOnlyAnIndexHasIsNotAskedForWithoutEnd() async throws {
    let database = try await databaseOfTwoActions()
    try database.execute(
      """
      PRAGMA writable_schema = ON; CREATE TEMP TABLE kept AS SELECT * FROM sqlite_master WHERE name = 'events_batch';
      DELETE FROM sqlite_master WHERE name = 'events_batch'; PRAGMA writable_schema = RESET;
      DELETE FROM events WHERE sequence = 1; PRAGMA writable_schema = ON;
      INSERT INTO sqlite_master SELECT * FROM kept;
      """)
    let second = log()
    second.start()
    let end = Counter()
    let flush = Task {
      await second.flush()
      end.increment()
    }
    await waitUntil { end.value == 1 }
    flush.cancel()
    XCTAssertEqual(batches.flatMap(names), ["b"])
    await second.setConsent(false)
  }

  func testADamagedActionIsParkedAndNotSent() async throws {
    let log = log(size: 30)
    for name in ["one", "two", "six"] { log.record(name) }
    _ = await log.counts()
    let database = try SQLiteDatabase(path: folder + "/actions.sqlite", patience: 100)
    try database.execute("UPDATE events SET payload = zeroblob(50) WHERE sequence = 2")
    log.start()
    await log.flush()
    XCTAssertEqual(batches.map(names), [["one", "six"]])
    let counts = await log.counts()
    XCTAssertEqual(counts.parked, 1)
    XCTAssertEqual(counts.waiting, 0)
  }

  func testADamagedDatabaseOfActionsIsCarriedOver() async throws {
    let log = log(size: 30)
    for name in ["one", "two", "six"] { log.record(name) }
    _ = await log.counts()
    let database = try SQLiteDatabase(path: folder + "/actions.sqlite", patience: 100)
    try database.execute("DROP TABLE batches")
    log.start()
    await log.flush()
    XCTAssertEqual(batches.map(names), [["one", "two", "six"]])
    await log.setConsent(false)
    XCTAssertEqual(
      try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.contains("damaged") }, [])
  }

  func testWhatIsLeftGoesFirstAtTheNextLaunchWithItsMembersAndItsKey() async throws {
    onSend = { _ in throw APIError(.transport, .connectionLost) }
    var first: ActionLog? = log()
    first?.start()
    for name in ["a", "b", "c", "d"] { first?.record(name) }
    await waitForBatches(1)
    first = nil
    onSend = { _ in }
    let second = log()
    second.record("e")
    _ = await second.counts()
    second.start()
    await waitForBatches(3)
    XCTAssertEqual(batches.map { names($0) }, [["a", "b", "c"], ["a", "b", "c"], ["d", "e"]])
    XCTAssertEqual(batches[0].key, batches[1].key)
    XCTAssertNotEqual(batches[1].key, batches[2].key)
  }

  func testAFailureForTheMomentSendsTheSameAgain() async throws {
    var failures = 2
    onSend = { _ in
      failures -= 1
      if failures >= 0 { throw self.status(503) }
    }
    let log = log()
    log.start()
    for name in ["a", "b", "c"] { log.record(name) }
    for count in 1...2 {
      await waitForBatches(count)
      await time.advanceOnceAsleep(by: .seconds(10))
    }
    await waitForBatches(3)
    XCTAssertEqual(Set(batches.map(\.key)).count, 1)
    await waitUntilEmpty(log)
  }

  func testTooLargeABatchIsHalvedAndARefusedActionParked() async throws {
    onSend = { batch in if self.names(batch).contains("bad") { throw self.status(413) } }
    let log = log(size: 4)
    log.start()
    for name in ["a", "bad", "c", "d"] { log.record(name) }
    await waitUntilEmpty(log)
    XCTAssertEqual(
      batches.map { names($0) }, [["a", "bad", "c", "d"], ["a", "bad"], ["c", "d"], ["a"], ["bad"]])
    let counts = await log.counts()
    XCTAssertEqual(counts.parked, 1)
  }

  func testBeyondTheLimitTheOldestAreDroppedAndCounted() async throws {
    let log = log(size: 30, limit: 3)
    for number in 0..<5 { log.record("\(number)") }
    let counts = await log.counts()
    XCTAssertEqual(counts.waiting, 3)
    XCTAssertEqual(counts.dropped, 2)
    log.start()
    await waitForBatches(1)
    XCTAssertEqual(names(batches[0]), ["2", "3", "4"])
    XCTAssertEqual(batches[0].dropped, 2)
  }

  func testWithdrawnConsentErases() async throws {
    let log = log(size: 30)
    log.record("the-very-secret-action")
    _ = await log.counts()
    await log.setConsent(false)
    log.record("the-very-secret-action")
    let counts = await log.counts()
    XCTAssertEqual(counts.waiting, 0)
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
      let bytes = FileManager.default.contents(atPath: "\(folder)/\(name)") ?? Data()
      XCTAssertNil(bytes.range(of: Data("the-very-secret-action".utf8)), name)
    }
    await log.setConsent(true)
    log.record("other")
    let later = await log.counts()
    XCTAssertEqual(later.waiting, 1)
  }

  func testWhoeverSendsMayFlushAndWithdrawTheConsentThere() async throws {
    for withdraws in [false, true] {
      weak var known: ActionLog?
      var sent = 0
      let log = ActionLog(
        folder: folder + "\(withdraws)", batchSize: 1, maximumActions: 100, hasConsent: true, time: time
      ) { _ in
        if withdraws { await known?.setConsent(false) } else { await known?.flush() }
        sent += 1
      }
      known = log
      log.record("a")
      log.start()
      await waitUntil { sent == 1 }
      await waitUntilEmpty(log)
      XCTAssertEqual(log.hasConsent, !withdraws)
      await log.setConsent(true)
      log.record("b")
      await waitUntil { sent == 2 }
    }
  }

  func testALogOfALaterVersionIsLeftAlone() async throws {
    var first: ActionLog? = log(size: 30)
    first?.record("a")
    _ = await first?.counts()
    first = nil
    let database = try SQLiteDatabase(path: folder + "/actions.sqlite", patience: 100)
    try database.execute("PRAGMA user_version = 9")
    let second = log(size: 30)
    second.record("b")
    await second.setConsent(false)
    XCTAssertEqual(try database.number("SELECT count(*) FROM events"), 1)
    XCTAssertTrue(FileManager.default.fileExists(atPath: folder + "/actions.sqlite"))
  }

  func testWithdrawnConsentErasesAtTheNextLaunchWhatAProcessHasLeft() async throws {
    var first: ActionLog? = log(size: 30)
    first?.record("the-very-secret-action")
    _ = await first?.counts()
    // It ended before the withdrawal was carried out; the application knows of it.
    first = nil
    let second = log(hasConsent: false)
    second.start()
    let counts = await second.counts()
    XCTAssertEqual(counts.waiting, 0)
    XCTAssertEqual(batches.count, 0)
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
      let bytes = FileManager.default.contents(atPath: "\(folder)/\(name)") ?? Data()
      XCTAssertNil(bytes.range(of: Data("the-very-secret-action".utf8)), name)
    }
  }
}
