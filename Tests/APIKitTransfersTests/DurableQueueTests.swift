import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitTransfers

/// What a queue keeps: limits, processes, time, what is left of what was dropped.
final class DurableQueueTests: DurableQueueCase {
  func testWhatWasKeptIsThereForTheNextProcess() async throws {
    let ids = try await queue().enqueue([entry("a"), entry("b")])
    XCTAssertEqual(ids, [1, 2])
    let rows = try await queue().claim(atMost: 9)
    XCTAssertEqual(rows.map { String(decoding: $0.payload, as: UTF8.self) }, ["a", "b"])
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
      let mode = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")[.posixPermissions]
      XCTAssertEqual((mode as? Int).map { $0 & 0o077 }, 0, name)
    }
  }

  func testMoreThanTheLimitsIsRefusedAndNothingOfItKept() async throws {
    let queue = queue(limits: QueueStore.Limits(count: 2, bytes: 10))
    for entries in [[entry(), entry(), entry()], [entry("twelve bytes")]] {
      do {
        _ = try await queue.enqueue(entries)
        XCTFail("they were kept")
      } catch {
        guard case .full = error else { return XCTFail("\(error)") }
      }
    }
    let ids = try await queue.enqueue([entry("12345"), entry("12345")])
    try await queue.finish(ids[0], landing: nil)
    _ = try await queue.enqueue([entry("12345")])
    let totals = try await queue.totals()
    XCTAssertEqual(totals.count, 2)
    XCTAssertEqual(totals.bytes, 10)
  }

  // MARK: Processes

  func testWhatDiedWithItsProcessComesBackAndAtTheThirdTimeIsParked() async throws {
    _ = try await queue().enqueue([entry(lane: "a"), entry(lane: "a")])
    for death in 1...3 {
      var dying: DurableQueue? = queue()
      let taken = try await dying?.claim(atMost: 9).map(\.id)
      XCTAssertEqual(taken, [1], "before death \(death)")
      // While it is there, nobody takes its items.
      _ = try await tidy(queue())
      let running = try await queue().rows(.running).map(\.id)
      XCTAssertEqual(running, [1])
      dying = nil
      _ = try await tidy(queue())
    }
    let parked = try await queue().rows(.parked)
    XCTAssertEqual(parked.map(\.id), [1])
    XCTAssertTrue(parked[0].reason?.contains("3 times") == true)
    let taken = try await queue().claim(atMost: 9).map(\.id)
    XCTAssertEqual(taken, [2])
  }

  func testWhatGoesWhereNobodyCanTellARepetitionIsParkedAtTheFirstDeathUnlessItHasComeBack() async throws {
    _ = try await queue().enqueue([entry(), entry()])
    for death in 1...2 {
      var dying: DurableQueue? = queue()
      for row in try await dying?.claim(atMost: 9) ?? [] { try await dying?.noteCrossing(row.id) }
      if death == 1 {
        // The attempt has ended, and nothing was sent there; the next one does not go there.
        try await dying?.putBack(1, after: .zero, isAttempt: true)
        let taken = try await dying?.claim(atMost: 9).map(\.id)
        XCTAssertEqual(taken, [1])
      }
      dying = nil
      _ = try await tidy(queue())
      let rows = try await queue().rows()
      XCTAssertEqual(rows.map(\.state), death == 1 ? [.waiting, .parked] : [.parked, .parked])
      XCTAssertEqual(rows.map { $0.reason != nil }, rows.map { $0.state == .parked })
    }
  }

  func testTwoQueuesOfOneFolderNeverTakeTheSameItem() async throws {
    let (one, two) = (queue(), queue())
    _ = try await one.enqueue((0..<200).map { entry("\($0)") })
    @Sendable func all(_ queue: DurableQueue) async throws -> [Int64] {
      var taken: [Int64] = []
      while case let rows = try await queue.claim(atMost: 3), !rows.isEmpty { taken += rows.map(\.id) }
      return taken
    }
    async let first = all(one)
    async let second = all(two)
    let taken = try await (first, second)
    XCTAssertEqual((taken.0 + taken.1).sorted(), Array(1...200))
  }

  // MARK: Time

  func testWhatIsTooOldEndsAndAClockThatIsSetMeansNothing() async throws {
    let queue = queue()
    _ = try await queue.enqueue(
      [entry(lifetime: 100), entry(), entry(afterEntries: [0])].map { entry in
        var entry = entry
        entry.recipient = "r"
        return entry
      })
    time.wallClock += 1_000_000
    var expired = try await tidy(queue)
    XCTAssertEqual(expired, [])
    time.wallClock -= 5_000_000
    expired = try await tidy(queue)
    XCTAssertEqual(expired, [])
    // Another process of the same start of the machine counts on.
    time.advance(by: .seconds(99))
    expired = try await tidy(self.queue())
    XCTAssertEqual(expired, [])
    time.advance(by: .seconds(1))
    expired = try await tidy(queue)
    XCTAssertEqual(expired, [1])
    let landings = try await queue.landings(of: "r")
    XCTAssertEqual(landings.map(\.id), [1])
    XCTAssertEqual(landings.map(\.payload), [[7]])
    let parked = try await queue.rows(.parked).map(\.id)
    XCTAssertEqual(parked, [3])
  }

  func testOverARestartOnlyTheWallClockCountsAndNeverBackwards() {
    let time = ManualTime(wallClock: 1000)
    time.advance(by: .seconds(50))
    var clock = QueueClock(time, boot: "one", from: nil)
    XCTAssertEqual(clock.now, 0)
    time.advance(by: .seconds(70))
    XCTAssertEqual(clock.now, 70)
    let anchor = clock.renewedAnchor()
    XCTAssertEqual(anchor, QueueClock.Anchor(boot: "one", steady: 120, wall: 1120, time: 70))
    XCTAssertNil(clock.renewedAnchor(), "once a minute")
    let later = ManualTime(wallClock: 1220)
    XCTAssertEqual(QueueClock(later, boot: "two", from: anchor).now, 170)
    later.wallClock = 3
    let after = QueueClock(later, boot: "two", from: anchor)
    XCTAssertEqual(after.now, 70)
    later.wallClock = 1e9
    XCTAssertEqual(after.now, 70, "set right once it runs")
  }

  func testAnAnchorIsWholeWithItsChecksumOrAsAnEarlierVersionHasWrittenIt() {
    let anchor = QueueClock.Anchor(boot: "one", steady: 1.5, wall: 2, time: 3)
    var kept = anchor
    XCTAssertTrue(QueueClock.isWhole(&kept, at: "two"))
    XCTAssertEqual(kept, anchor)
    kept.boot = QueueClock.text(of: anchor)
    XCTAssertTrue(QueueClock.isWhole(&kept, at: "two"))
    XCTAssertEqual(kept, anchor)
    (kept.boot, kept.time) = (QueueClock.text(of: anchor), 4)
    XCTAssertFalse(QueueClock.isWhole(&kept, at: "two"))
    kept.boot = "on"
    XCTAssertFalse(QueueClock.isWhole(&kept, at: "two"))
  }

  func testWhatWaitsForASignInWaitsForNothingElse() async throws {
    let queue = queue()
    _ = try await queue.enqueue([entry(user: "ann"), entry(user: "bob")])
    _ = try await queue.claim(atMost: 9)
    for id: Int64 in [1, 2] { try await queue.putBack(id, after: nil, isAttempt: false) }
    time.advance(by: .seconds(1_000_000))
    let wait = try await queue.nextWait()
    XCTAssertNil(wait)
    try await queue.wake("bob")
    var taken = try await queue.claim(atMost: 9).map(\.id)
    XCTAssertEqual(taken, [2])
    try await queue.wake()
    taken = try await queue.claim(atMost: 9).map(\.id)
    XCTAssertEqual(taken, [1])
  }

  func testTheItemsOfAUserWhoseNameIsOneTextOfOtherBytesStay() async throws {
    let queue = queue()
    _ = try await queue.enqueue([entry(user: "zo\u{EB}"), entry(user: "zoe\u{308}")])
    let dropped = try await queue.drop(user: "zo\u{EB}").map(\.id)
    XCTAssertEqual(dropped, [1])
    let taken = try await queue.claim(atMost: 9).map(\.id)
    XCTAssertEqual(taken, [2])
  }

  func testWhatGoesNextIsFoundByAnIndexHoweverManyThereAre() async throws {
    _ = try await queue().enqueue([entry()])
    let database = try SQLiteDatabase(path: folder + "/queue.sqlite", patience: 100)
    for (query, index) in [
      (QueueStore.readyQuery, "items_ready"),
      ("UPDATE items SET due = 0 WHERE state = 0 AND head = 1 AND needs = 0 AND due >= 1", "items_ready"),
      ("SELECT min(id) FROM items WHERE lane = 'a' AND state < 2", "items_lane"),
      ("SELECT DISTINCT owner FROM items WHERE state = 1", "items_owner"),
      ("SELECT spool FROM items WHERE spool IS NOT NULL", "items_spool"),
    ] {
      let plan = try database.prepare("EXPLAIN QUERY PLAN \(query)")
      var steps: [String] = []
      while try plan.step() { steps.append(plan.text(3) ?? "") }
      XCTAssertEqual(steps.count, 1, "\(steps)")
      XCTAssertTrue(steps[0].contains("INDEX \(index)"), steps[0])
    }
  }

  // MARK: What is left

  func testWhatIsDroppedIsGoneFromDatabaseLogAndSpool() async throws {
    let queue = queue()
    let secret = "the-very-secret-note-of-ann"
    let file = try await queue.spool(.bytes(Array(secret.utf8)))
    var spooled = entry(String(repeating: secret, count: 400), user: "ann")
    (spooled.spool, spooled.spooledBytes) = (file.name, file.count)
    _ = try await queue.enqueue([entry(user: "bob"), spooled, entry(secret, user: "ann")])
    try await queue.finish(3, landing: Array(secret.utf8))
    XCTAssertFalse(try filesContaining(secret).isEmpty, "it is on the disk")
    let dropped = try await queue.drop(user: "ann")
    XCTAssertEqual(dropped.map(\.id), [2])
    XCTAssertEqual(try filesContaining(secret), [])
    let rows = try await queue.rows().map(\.user)
    XCTAssertEqual(rows, ["bob"])
  }

  func testASignOutThatAProcessDidNotFinishIsFinishedByTheNext() async throws {
    let secret = "the-very-secret-note-of-ann"
    var dying: DurableQueue? = queue()
    let file = try await dying?.spool(.bytes(Array(secret.utf8)))
    var spooled = entry(secret, user: "ann")
    spooled.spool = file?.name
    _ = try await dying?.enqueue([entry(user: "bob"), spooled, entry(secret, user: "ann")])
    try await dying?.finish(3, landing: Array(secret.utf8))
    DurableQueue.noteLeave(of: "ann", in: folder)
    // The process ends before it drops anything; an open connection keeps what the log has.
    let other = try SQLiteDatabase(path: folder + "/queue.sqlite", patience: 100)
    dying = nil
    XCTAssertFalse(try filesContaining(secret).isEmpty, "it is on the disk")
    let discarded = Counter()
    let next = DurableQueue(folder: folder, time: time, boot: "one") { _ in discarded.increment() }
    let rows = try await next.rows().map(\.user)
    XCTAssertEqual(rows, ["bob"])
    XCTAssertEqual(discarded.value, 1)
    XCTAssertEqual(try filesContaining(secret), [])
    let left = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix("leaving") }
    XCTAssertEqual(left, [])
    _ = other
  }

  func testASignOutThatFailedDoesNotTakeWhatTheUserQueuesLater() async throws {
    let first = queue()
    _ = try await first.enqueue([entry("before", user: "ann")])
    let database = try SQLiteDatabase(path: folder + "/queue.sqlite", patience: 100)
    try database.execute(
      "CREATE TRIGGER no BEFORE DELETE ON items BEGIN SELECT RAISE(ABORT, 'no room'); END")
    DurableQueue.noteLeave(of: "ann", in: folder)
    do {
      _ = try await first.drop(user: "ann")
      XCTFail("it was dropped")
    } catch { XCTAssertTrue("\(error)".contains("no room"), "\(error)") }
    try database.execute("DROP TRIGGER no")
    _ = try await first.enqueue([entry("after", user: "ann")])
    for launch in [first, queue()] {
      let rows = try await launch.rows()
      XCTAssertEqual(rows.map { String(decoding: $0.payload, as: UTF8.self) }, ["after"])
    }
  }

  func testWhatADropHasLeftInTheLogWhenTheProcessEndedIsGoneAtTheNextLaunch() async throws {
    let secret = "the-very-secret-note"
    let queue = queue()
    _ = try await queue.enqueue([entry(secret)])
    // The end of the process comes between the commit and the emptying of the log.
    let database = try SQLiteDatabase(path: folder + "/queue.sqlite", patience: 100)
    try database.execute("DELETE FROM items")
    XCTAssertFalse(try filesContaining(secret).isEmpty, "the log has it still")
    try await self.queue().emptyLog()
    XCTAssertEqual(try filesContaining(secret), [])
  }

  func testABodyThatWasNeverKeptIsRemovedOnceItsProcessHasEnded() async throws {
    var dying: DurableQueue? = queue()
    _ = try await dying?.spool(.bytes([1, 2, 3]))
    _ = try await queue().rows()
    XCTAssertEqual(
      try FileManager.default.contentsOfDirectory(atPath: folder + "/spool").count, 1, "it may be kept yet")
    dying = nil
    _ = try await queue().rows()
    XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder + "/spool"), [])
  }

  func testABodyIsKeptThoughTheClockIsSetForwardMeanwhile() async throws {
    let queue = queue()
    let file = try await queue.spool(.bytes([1, 2, 3]))
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -86_400)], ofItemAtPath: queue.spoolPath(file.name))
    var entry = entry()
    (entry.spool, entry.spooledBytes) = (file.name, file.count)
    _ = try await queue.enqueue([entry])
    let objection = await queue.objection(toSpool: file.name)
    XCTAssertNil(objection)
  }

  func testAQueueWaitsForAProcessThatLooksWhetherItIsThere() async throws {
    let queue = queue()
    try PrivateFile.makeFolder(folder)
    let owner = await queue.owner
    let look = try XCTUnwrap(try FileLock(ifFree: DurableQueue.presencePath(folder, owner)))
    Thread {
      usleep(30_000)
      look.release()
    }.start()
    let ids = try await queue.enqueue([entry()])
    XCTAssertEqual(ids, [1])
  }

  private func filesContaining(_ text: String) throws -> [String] {
    let files = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    return files.filter { name in
      FileManager.default.contents(atPath: "\(folder)/\(name)")?.range(of: Data(text.utf8)) != nil
    }
  }
}
