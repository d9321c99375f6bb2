import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitTransfers

/// Bits that flip on the disk: nothing of it is sent, nothing goes in silence.
final class DamagedQueueTests: DurableQueueCase {
  private var path: String { folder + "/queue.sqlite" }

  /// A database with 40 items, all in its main file; their contents.
  private func fill() async throws -> Set<[UInt8]> {
    let queue = queue()
    let entries = (0..<40).map { number in
      entry(
        "item \(number) " + String(repeating: "x", count: 150),
        lane: number % 2 == 0 ? "l\(number % 6)" : nil,
        user: "ann", lifetime: number % 3 == 0 ? 1e6 : nil)
    }
    _ = try await queue.enqueue(entries)
    try await queue.emptyLog()
    return Set(entries.map(\.payload))
  }

  func testNumbersThatNothingCanBeAddedToAreDamageAndEndNoProcess() async throws {
    for column in ["count", "bytes", "highest"] {
      try? FileManager.default.removeItem(atPath: folder)
      let queue = queue()
      _ = try await queue.enqueue([entry("a")])
      try SQLiteDatabase(path: path, patience: 1000).execute("UPDATE totals SET \(column) = \(Int64.max)")
      let given = try? await queue.enqueue([entry("b")])
      XCTAssertNotEqual(given, [1], column)
    }
    try? FileManager.default.removeItem(atPath: folder)
    let queue = queue()
    _ = try await queue.enqueue([entry("a", lifetime: 1e6)])
    let database = try SQLiteDatabase(path: path, patience: 1000)
    try database.execute("UPDATE items SET expiry = 1e159, due = \(QueueStore.never)")
    let wait = try await queue.nextWait()
    XCTAssertEqual(wait, .seconds(365 * 86_400))
  }

  func testNoFlippedBitIsSentAsAnItemOrTakesOneInSilence() async throws {
    let contents = try await fill()
    let whole = try XCTUnwrap(FileManager.default.contents(atPath: path))
    var random = SeededGenerator(seed: 26)
    var (damagedRows, damagedDatabases) = (0, 0)
    for _ in 0..<150 {
      try? FileManager.default.removeItem(atPath: folder)
      try PrivateFile.makeFolder(folder)
      var bytes = whole
      let place = Int.random(in: 0..<bytes.count, using: &random)
      let bit = UInt8(1) << UInt8.random(in: 0..<8, using: &random)
      bytes[place] ^= bit
      try PrivateFile.replace(path, with: bytes)
      let what = "byte \(place), bit \(bit)"
      let queue = queue()
      var claimed: [QueueStore.Row] = []
      do {
        claimed = try await queue.claim(atMost: 100)
        try await queue.checkWhole()
        _ = try await tidy(queue)
      } catch DurableQueue.Fault.failed(let failure) {
        // Its application id or its version was hit: it is no database of ours, and is told, not used.
        XCTAssertTrue(
          "\(failure)".contains("belongs to another") || "\(failure)".contains("it has version"),
          "\(what): \(failure)")
        continue
      }
      for row in claimed where !row.isDamaged { XCTAssertTrue(contents.contains(row.payload), what) }
      let (rows, copies) = (try await queue.rows(), await queue.damagedDatabases)
      for row in rows where !row.isDamaged { XCTAssertTrue(contents.contains(row.payload), what) }
      if copies.isEmpty { XCTAssertEqual(rows.count, 40, what) }
      XCTAssertGreaterThan(rows.count, 0, what)
      damagedRows += rows.filter(\.isDamaged).count
      damagedDatabases += copies.count
      let added = try await queue.enqueue([entry("new")])
      let last = try await queue.rows().last
      XCTAssertEqual(last?.id, added.first, what)
    }
    XCTAssertGreaterThan(damagedRows, 5)
    XCTAssertGreaterThan(damagedDatabases, 5)
  }

  func testAFlippedBitInTheClockNeitherHoldsUpItemsNorEndsThem() async throws {
    let boot = "the boot of this machine"
    time.advance(by: .seconds(100.25))
    let first = queue(boot: boot)
    _ = try await first.enqueue([entry("kept", lifetime: 86_400)])
    time.advance(by: .seconds(61.5))
    // It writes the time down.
    try await first.wake()
    try await first.emptyLog()
    let whole = try XCTUnwrap(FileManager.default.contents(atPath: path))
    let text = try XCTUnwrap(whole.range(of: Data(boot.utf8)))
    // The row is the last thing in its page.
    for place in text.lowerBound - 8..<(text.lowerBound / 4096 + 1) * 4096 {
      for (bit, next) in [(1, boot), (4, boot), (7, boot), (5, "the next one")] {
        let what = "byte \(place - text.lowerBound), bit \(bit) in \(next)"
        try? FileManager.default.removeItem(atPath: folder)
        try PrivateFile.makeFolder(folder)
        var bytes = whole
        bytes[place] ^= 1 << UInt8(bit)
        try bytes.write(to: URL(fileURLWithPath: path))
        let queue = queue(boot: next)
        try await queue.checkWhole()
        let ended = try await tidy(queue)
        XCTAssertEqual(ended, [], what)
        guard let row = try await queue.claim(atMost: 1).first else {
          XCTFail(what)
          continue
        }
        try await queue.putBack(row.id, after: .seconds(5), isAttempt: true)
        time.advance(by: .seconds(6))
        let again = try await queue.claim(atMost: 1)
        XCTAssertEqual(again.map(\.id), [row.id], what)
      }
    }
  }

  func testADamagedDatabaseIsMendedWhileAnotherProcessHasItOpen() async throws {
    let (first, second) = (queue(), queue())
    let ids = try await first.enqueue([entry("a"), entry("b")])
    let harm = try SQLiteDatabase(path: path, patience: 100)
    try harm.execute("UPDATE totals SET bytes = 1 << 40")
    try harm.emptyLog()
    try await second.checkWhole()
    let copies = await second.damagedDatabases
    XCTAssertEqual(copies.count, 1)
    for queue in [second, first] {
      let rows = try await queue.rows()
      XCTAssertEqual(rows.map(\.id), ids)
      _ = try await queue.totals()
    }
    _ = try await first.enqueue([entry("c")])
  }

  func testDamageThatHoldsUpItemsIsSeen() async throws {
    let definition =
      "sql = 'CREATE INDEX items_ready ON items (due, id) WHERE state = 0 AND head = 1 AND needs"
    for harm in [
      "UPDATE items SET head = 0 WHERE id = 1", "UPDATE items SET head = 0 WHERE id = 3",
      "UPDATE items SET needs = 1 WHERE id = 3", "UPDATE totals SET bytes = 1 << 40",
      // An index without its entries.
      """
      PRAGMA writable_schema = RESET; PRAGMA writable_schema = ON;
      UPDATE sqlite_master SET \(definition) = 9' WHERE name = 'items_ready';
      PRAGMA writable_schema = RESET; REINDEX items_ready; PRAGMA writable_schema = ON;
      UPDATE sqlite_master SET \(definition) = 0' WHERE name = 'items_ready';
      """,
    ] {
      try? FileManager.default.removeItem(atPath: folder)
      let ids = try await queue().enqueue([entry("a", lane: "l"), entry("b", lane: "l"), entry("c")])
      try SQLiteDatabase(path: path, patience: 100).execute(harm)
      let queue = queue()
      try await queue.checkWhole()
      var sent: [Int64] = []
      for _ in 0..<3 {
        for row in try await queue.claim(atMost: 10) {
          sent.append(row.id)
          try await queue.finish(row.id, landing: nil)
        }
      }
      XCTAssertEqual(sent.sorted(), ids, harm)
      let copies = await queue.damagedDatabases
      XCTAssertEqual(copies.count, 1, harm)
      _ = try await queue.enqueue([entry("new")])
    }
  }

  func testWhatCanBeReadOfADamagedDatabaseIsCarriedOverAndToldAtEachLaunch() async throws {
    _ = try await queue().enqueue(
      (0..<500).map { entry(String(repeating: "\($0) ", count: 60), lane: $0 < 10 ? "a" : nil) })
    let database = try SQLiteDatabase(path: path, patience: 100)
    _ = try database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").step()
    var bytes = try XCTUnwrap(FileManager.default.contents(atPath: path))
    // One page in the middle.
    let page = bytes.count / 4096 / 2 * 4096
    bytes.replaceSubrange(page..<page + 4096, with: [UInt8](repeating: 0xA5, count: 4096))
    try bytes.write(to: URL(fileURLWithPath: path))
    let first = queue()
    let rows = try await first.rows()
    XCTAssertGreaterThan(rows.count, 450)
    XCTAssertLessThan(rows.count, 500)
    XCTAssertTrue(rows.allSatisfy { !$0.isDamaged })
    let claimed = try await first.claim(atMost: 1000)
    XCTAssertEqual(claimed.count, rows.count - 9, "of the lane of ten, one goes")
    for launch in [first, queue(), queue()] {
      let told = Record<[String]>()
      await launch.tellOfDamage { told.add($0) }
      XCTAssertEqual(told.all.map(\.count), [1])
    }
    await first.forgetDamage()
    let told = Record<[String]>()
    await queue().tellOfDamage { told.add($0) }
    XCTAssertEqual(told.all.count, 0)
  }

  func testRowsOfAnEarlierVersionAreReadAndGetTheirChecksums() async throws {
    try PrivateFile.makeFolder(folder)
    var old = SQLiteSchema.queue
    old.migrations.removeLast()
    let database = try SQLiteDatabase(path: path, patience: 100)
    XCTAssertNil(try old.prepare(database))
    try database.execute(
      """
      INSERT INTO items (id, lane, state, head, needs, due, attempts, deaths, size, type, recipient, user, payload)
      VALUES (1, NULL, 0, 1, 0, 0, 0, 0, 3, 't', 'r', 'u', CAST('old' AS BLOB));
      INSERT INTO landings VALUES (9, 'r', 'u', CAST('gone' AS BLOB));
      UPDATE totals SET count = 1, bytes = 3, highest = 9;
      """)
    let rows = try await queue().rows()
    XCTAssertEqual(rows.map { String(decoding: $0.payload, as: UTF8.self) }, ["old"])
    let landings = try await queue().landings(of: "r")
    XCTAssertEqual(landings.map { String(decoding: $0.payload, as: UTF8.self) }, ["gone"])
    XCTAssertEqual(
      try database.number(
        "SELECT (SELECT count(*) FROM items WHERE checksum IS NULL) + (SELECT count(*) FROM landings WHERE checksum IS NULL)"
      ), 0)
    try database.execute("UPDATE items SET payload = CAST('bad' AS BLOB); UPDATE landings SET user = 'v'")
    let damaged = try await queue().rows()
    XCTAssertEqual(damaged.map(\.isDamaged), [true])
    XCTAssertEqual(damaged.map(\.payload), [[]])
    let ended = try await queue().landings(of: "r")
    XCTAssertEqual(ended.map(\.isDamaged), [true])
  }

  func testARowThatHasLostItsChecksumIsDamaged() async throws {
    let ids = try await queue().enqueue((0..<3).map { entry("item \($0)") })
    try await queue().finish(ids[0], landing: [7])
    let database = try SQLiteDatabase(path: path, patience: 100)
    try database.execute(
      "UPDATE items SET checksum = NULL WHERE id = \(ids[1]); UPDATE landings SET checksum = NULL")
    let rows = try await queue().rows()
    XCTAssertEqual(rows.map(\.isDamaged), [true, false])
    let landings = try await queue().landings(of: "")
    XCTAssertEqual(landings.map(\.isDamaged), [true])
  }

  func testWhatWaitsForAnItemAndWhatHasEndedIsCarriedOverToo() async throws {
    let queue = queue()
    var ended = entry("ended")
    ended.recipient = "r"
    _ = try await queue.enqueue(
      [
        ended, entry("parent", lifetime: 50), entry("child", afterEntries: [1]), entry("first", lane: "a"),
        entry("second", lane: "a"),
      ])
    try await queue.finish(1, landing: [7])
    let database = try SQLiteDatabase(path: path, patience: 100)
    // The next id that is given is not free.
    try database.execute("UPDATE totals SET highest = 2")
    let added = try await queue.enqueue([entry("new")])
    XCTAssertEqual(added, [6])
    let copies = await queue.damagedDatabases
    XCTAssertEqual(copies.count, 1)
    let landings = try await queue.landings(of: "r")
    XCTAssertEqual(landings.map(\.payload), [[7]])
    var taken = try await queue.claim(atMost: 9).map(\.id)
    XCTAssertEqual(taken, [2, 4, 6])
    try await queue.finish(4, landing: nil)
    taken = try await queue.claim(atMost: 9).map(\.id)
    XCTAssertEqual(taken, [5])
    try await queue.putBack(2, after: .zero, isAttempt: true)
    time.advance(by: .seconds(50))
    let expired = try await tidy(queue)
    XCTAssertEqual(expired, [2])
    let parked = try await queue.rows(.parked).map(\.id)
    XCTAssertEqual(parked, [3])
  }

  func testADatabaseWhoseTablesDoNotFitIsMadeAnew() async throws {
    for change in [
      "DROP TABLE needs", "ALTER TABLE items RENAME COLUMN due TO dew", "UPDATE totals SET highest = 3",
    ] {
      try? FileManager.default.removeItem(atPath: folder)
      _ = try await queue().enqueue((0..<5).map { entry("item \($0)") })
      let database = try SQLiteDatabase(path: path, patience: 100)
      try database.execute(change)
      let queue = queue()
      _ = try await queue.enqueue([entry("new")])
      let texts = try await queue.rows().map { String(decoding: $0.payload, as: UTF8.self) }
      XCTAssertEqual(texts.last, "new", change)
      if change.contains("totals") || change.contains("needs") { XCTAssertEqual(texts.count, 6, change) }
      let copies = await queue.damagedDatabases
      XCTAssertEqual(copies.count, 1, change)
    }
  }
}

/// What the outbox does about it.
@MainActor final class DamagedOutboxTests: OutboxCase {
  func testADamagedItemIsListedAsSuchAndNotSent() async throws {
    let outbox = outbox()
    let ids = [
      try await outbox.enqueue(manager(), ["text": "one"]),
      try await outbox.enqueue(manager(), ["text": "two"]),
    ]
    let database = try SQLiteDatabase(path: folder + "/queue.sqlite", patience: 100)
    try database.run(
      "UPDATE items SET payload = CAST(replace(CAST(payload AS TEXT), 'one', 'eno') AS BLOB) WHERE id = ?",
      ids[0].rawValue)
    let items = try await outbox.items()
    XCTAssertEqual(items.map(\.state), [.damaged, .waiting])
    XCTAssertTrue(items[0].parameters.isEmpty)
    outbox.start()
    try await turn { try await outbox.items().count == 1 }
    XCTAssertEqual(stub.requests.count, 1)
    guard case .bytes(let body) = stub.requests[0].body else { return XCTFail() }
    XCTAssertEqual(try RawData(parsing: body).text.string, "two")
    let left = try await outbox.items()
    XCTAssertEqual(left.map(\.state), [.damaged])
    try await outbox.drop(ids[0])
    let none = try await outbox.items()
    XCTAssertEqual(none.count, 0)
  }

  func testADamagedBodyInAFileIsNotSent() async throws {
    let outbox = outbox()
    let manager = manager()
    manager.body = .bytes([UInt8](repeating: 7, count: 200_000))
    _ = try await outbox.enqueue(manager, [:])
    let spool = folder + "/spool"
    let name = try XCTUnwrap(try FileManager.default.contentsOfDirectory(atPath: spool).first)
    var bytes = try XCTUnwrap(FileManager.default.contents(atPath: "\(spool)/\(name)"))
    bytes[150_000] ^= 1
    try bytes.write(to: URL(fileURLWithPath: "\(spool)/\(name)"))
    outbox.start()
    try await turn { if case .parked = try await outbox.items()[0].state { true } else { false } }
    XCTAssertEqual(stub.requests.count, 0)
  }

  func testTheApplicationIsToldOfDamageAtEachLaunchUntilItForgetsIt() async throws {
    _ = try await outbox().enqueue(manager(), ["text": "kept"])
    let database = try SQLiteDatabase(path: folder + "/queue.sqlite", patience: 100)
    try database.execute("DROP TABLE needs")
    for launch in 0..<3 {
      let outbox = outbox()
      var told: [[String]] = []
      outbox.onDamage = { told.append($0) }
      outbox.start()
      try await turn { launch == 2 ? try await outbox.items().isEmpty : !told.isEmpty }
      XCTAssertEqual(told.last?.count, launch == 2 ? nil : 1)
      if launch == 1 { await outbox.forgetDamage() }
      await outbox.stop()
    }
    // An outbox that is stopped while its item is under way sends it again.
    let keys = stub.requests.map { $0.headers["Idempotency-Key"] }
    XCTAssertEqual(Set(keys).count, 1, "what could be read was carried over: \(keys)")
  }

  func testWithAKeyNothingOfAnItemIsReadableOnTheDisk() async throws {
    let key = SecretKey(bytes: [UInt8](repeating: 9, count: 32))
    for isSealed in [true, false] {
      try? FileManager.default.removeItem(atPath: folder)
      let outbox = outbox { $0.storageKey = isSealed ? key : nil }
      _ = try await outbox.enqueue(manager(), ["password": "canary-1"])
      _ = try await outbox.enqueue(manager(), each: [["password": "canary-2"], ["password": "canary-3"]])
      for canary in ["canary-1", "canary-2", "canary-3"] {
        let isReadable = try FileManager.default.contentsOfDirectory(atPath: folder).contains { name in
          FileManager.default.contents(atPath: "\(folder)/\(name)")?.range(of: Data(canary.utf8)) != nil
        }
        XCTAssertEqual(isReadable, !isSealed, canary)
      }
      let items = try await outbox.items()
      XCTAssertEqual(items.map { $0.parameters["password"]?.string }, ["canary-1", "canary-2", "canary-3"])
      await outbox.stop()
    }
    // Those were kept before there was a key, and go all the same.
    let later = self.outbox { $0.storageKey = key }
    later.start()
    try await turn { try await later.items().isEmpty }
    XCTAssertEqual(stub.requests.count, 3)
  }

  func testAKeyThatIsNoneIsRefused() async throws {
    let outbox = outbox { $0.storageKey = SecretKey(bytes: [1, 2, 3]) }
    let error = await failure { try await outbox.enqueue(self.manager(), [:]) }
    XCTAssertEqual(error?.detail.contains("32 bytes, not 3"), true, "\(String(describing: error))")
  }
}
