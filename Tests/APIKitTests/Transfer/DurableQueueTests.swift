import APIKitTesting
import Foundation
import XCTest

@testable import APIKit

/// The queue on the disk by itself: order, dependencies, owners, time, what is left of what was dropped.
final class DurableQueueTests: XCTestCase {
  private var folder = ""
  private let time = ManualTime()

  override func setUp() async throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
  }

  override func tearDown() async throws { try? FileManager.default.removeItem(atPath: folder) }

  private func queue(
    limits: QueueStore.Limits = QueueStore.Limits(), schema: QueueSchema = QueueSchema(), boot: String = "one"
  ) -> DurableQueue {
    DurableQueue(folder: folder, limits: limits, schema: schema, time: time, boot: boot)
  }

  private func entry(
    _ text: String = "x", lane: String? = nil, user: String = "", lifetime: Double? = nil,
    after: [Int64] = [],
    afterEntries: [Int] = []
  ) -> QueueStore.Entry {
    var entry = QueueStore.Entry()
    entry.lane = lane
    entry.user = user
    entry.payload = Array(text.utf8)
    entry.lifetime = lifetime
    entry.after = after
    entry.afterEntries = afterEntries
    return entry
  }

  private func tidy(_ queue: DurableQueue) async throws -> [Int64] {
    try await queue.tidy { _ in [7] }.map(\.id)
  }

  // MARK: Keeping

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

  // MARK: Order

  func testALaneGoesInOrderAndLanesGoSideBySide() async throws {
    let queue = queue()
    _ = try await queue.enqueue([
      entry("a1", lane: "a"), entry("a2", lane: "a"), entry("b1", lane: "b"), entry("free"), entry("free"),
    ])
    _ = try await queue.enqueue([entry("a3", lane: "a")])
    var taken = try await queue.claim(atMost: 9).map(\.id)
    XCTAssertEqual(taken, [1, 3, 4, 5])
    taken = try await queue.claim(atMost: 9).map(\.id)
    XCTAssertEqual(taken, [])
    // What waits for its next attempt holds its lane.
    try await queue.putBack(1, after: .seconds(5), isAttempt: true)
    taken = try await queue.claim(atMost: 9).map(\.id)
    XCTAssertEqual(taken, [])
    let wait = try await queue.nextWait()
    XCTAssertEqual(wait, .seconds(5))
    time.advance(by: .seconds(5))
    let rows = try await queue.claim(atMost: 9)
    XCTAssertEqual(rows.map(\.id), [1])
    XCTAssertEqual(rows.map(\.attempts), [1])
    try await queue.finish(1, landing: nil)
    taken = try await queue.claim(atMost: 9).map(\.id)
    XCTAssertEqual(taken, [2])
    // What is parked does not.
    try await queue.park(2, "why")
    taken = try await queue.claim(atMost: 9).map(\.id)
    XCTAssertEqual(taken, [6])
  }

  func testAnItemThatIsTakenBackHasItsOldPlace() async throws {
    let queue = queue()
    _ = try await queue.enqueue([entry(lane: "a"), entry(lane: "a"), entry(lane: "a")])
    _ = try await queue.claim(atMost: 1)
    try await queue.park(1, "why")
    try await queue.unpark(1)
    var taken = try await queue.claim(atMost: 9).map(\.id)
    XCTAssertEqual(taken, [1])
    try await queue.park(1, "why")
    taken = try await queue.claim(atMost: 9).map(\.id)
    XCTAssertEqual(taken, [2])
    // The one that is on its way keeps its place; the earlier one is next.
    try await queue.unpark(1)
    taken = try await queue.claim(atMost: 9).map(\.id)
    XCTAssertEqual(taken, [])
    try await queue.finish(2, landing: nil)
    taken = try await queue.claim(atMost: 9).map(\.id)
    XCTAssertEqual(taken, [1])
  }

  func testAChildWaitsForItsParentsAndIsParkedWithThem() async throws {
    let queue = queue()
    _ = try await queue.enqueue([entry(), entry(), entry(after: []), entry(afterEntries: [0, 1])])
    _ = try await queue.enqueue([entry(after: [4])])
    var taken = try await queue.claim(atMost: 9).map(\.id)
    XCTAssertEqual(taken, [1, 2, 3])
    try await queue.finish(1, landing: nil)
    taken = try await queue.claim(atMost: 9).map(\.id)
    XCTAssertEqual(taken, [])
    try await queue.park(2, "poisoned")
    let parked = try await queue.rows(.parked)
    XCTAssertEqual(parked.map(\.id), [2, 4, 5])
    XCTAssertEqual(parked[1].reason, "it waits for item 2, which is parked")
    // One that waits for a parked one is parked at once.
    _ = try await queue.enqueue([entry(after: [5])])
    try await queue.unpark(2)
    taken = try await queue.claim(atMost: 9).map(\.id)
    XCTAssertEqual(taken, [2])
    for id: Int64 in [2, 4, 5, 6] {
      try await queue.finish(id, landing: nil)
      taken = try await queue.claim(atMost: 9).map(\.id)
      XCTAssertEqual(taken, id == 6 ? [] : [id == 2 ? 4 : id + 1])
    }
  }

  func testAChildOfAnItemThatIsDoneGoesAtOnceAndOneOfNoneIsRefused() async throws {
    let queue = queue()
    _ = try await queue.enqueue([entry()])
    try await queue.finish(1, landing: nil)
    _ = try await queue.enqueue([entry(after: [1])])
    let taken = try await queue.claim(atMost: 9).map(\.id)
    XCTAssertEqual(taken, [2])
    do {
      _ = try await queue.enqueue([entry(after: [3])])
      XCTFail("there is no item 3")
    } catch {
      guard case .unknown(3) = error else { return XCTFail("\(error)") }
    }
  }

  func testACircleIsRefusedAlsoThroughALane() async throws {
    let circles = [
      [entry(afterEntries: [0])], [entry(afterEntries: [1]), entry(afterEntries: [0])],
      [entry(lane: "a", afterEntries: [1]), entry(lane: "a")],
      [entry(lane: "a"), entry(afterEntries: [2]), entry(lane: "a", afterEntries: [1])],
    ]
    for circle in circles {
      do {
        _ = try await queue().enqueue(circle)
        XCTFail("it was kept")
      } catch {
        guard case .cycle = error else { return XCTFail("\(error)") }
      }
    }
    XCTAssertNil(QueueOrder.cycle(in: [entry(lane: "a"), entry(lane: "a", afterEntries: [2]), entry()]))
  }

  func testWhatIsGivenUpParksItsChildren() async throws {
    let queue = queue()
    _ = try await queue.enqueue([entry(lane: "a"), entry(lane: "a"), entry(afterEntries: [0])])
    let wasThere = try await queue.drop(1)
    XCTAssertTrue(wasThere)
    let again = try await queue.drop(1)
    XCTAssertFalse(again)
    let parked = try await queue.rows(.parked).map(\.id)
    XCTAssertEqual(parked, [3])
    var taken = try await queue.claim(atMost: 9).map(\.id)
    XCTAssertEqual(taken, [2])
    try await queue.unpark(3)
    taken = try await queue.claim(atMost: 9).map(\.id)
    XCTAssertEqual(taken, [3])
  }

  func testAChildTakesValuesOfItsParentsResponseOrIsParked() async throws {
    let queue = queue()
    _ = try await queue.enqueue([entry(), entry("child", afterEntries: [0]), entry("odd", afterEntries: [0])])
    try await queue.finish(1, landing: nil) { row in
      row.id == 2 ? (Array("filled".utf8), "") : (nil, "no value")
    }
    let taken = try await queue.claim(atMost: 9)
    XCTAssertEqual(taken.map { String(decoding: $0.payload, as: UTF8.self) }, ["filled"])
    let parked = try await queue.rows(.parked)
    XCTAssertEqual(parked.map(\.reason), ["no value"])
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
    XCTAssertEqual(dropped, [2])
    XCTAssertEqual(try filesContaining(secret), [])
    let rows = try await queue.rows().map(\.user)
    XCTAssertEqual(rows, ["bob"])
  }

  private func filesContaining(_ text: String) throws -> [String] {
    let files = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    return files.filter { name in
      FileManager.default.contents(atPath: "\(folder)/\(name)")?.range(of: Data(text.utf8)) != nil
    }
  }

  // MARK: Versions

  func testAnOlderDatabaseIsMigratedAndANewerIsRefused() async throws {
    _ = try await queue().enqueue([entry("kept")])
    var schema = QueueSchema()
    schema.migrations.append("ALTER TABLE items ADD COLUMN note TEXT NOT NULL DEFAULT 'none';")
    let rows = try await queue(schema: schema).rows()
    XCTAssertEqual(rows.map { String(decoding: $0.payload, as: UTF8.self) }, ["kept"])
    let database = try SQLiteDatabase(path: folder + "/queue.sqlite", patience: 100)
    XCTAssertEqual(try database.number("SELECT count(*) FROM items WHERE note = 'none'"), 1)
    do {
      _ = try await queue().rows()
      XCTFail("it belongs to a later version")
    } catch {
      XCTAssertTrue("\(error)".contains("version 2"), "\(error)")
    }
    // A step that fails changes nothing.
    schema.migrations += ["CREATE TABLE more (id INTEGER)", "no SQL"]
    do {
      _ = try await queue(schema: schema).rows()
      XCTFail("the step is wrong")
    } catch {
      XCTAssertEqual(try database.number("PRAGMA user_version"), 2)
      XCTAssertEqual(try database.number("SELECT count(*) FROM sqlite_master WHERE name = 'more'"), 0)
    }
  }

  func testADatabaseOfOthersIsLeftAlone() async throws {
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let database = try SQLiteDatabase(path: folder + "/queue.sqlite", patience: 100)
    try database.execute("CREATE TABLE theirs (id INTEGER)")
    do {
      _ = try await queue().rows()
      XCTFail("it is not ours")
    } catch {
      XCTAssertTrue("\(error)".contains("another application"), "\(error)")
    }
  }

  func testADamagedDatabaseIsPutAsideAndTheQueueGoesOn() async throws {
    _ = try await queue().enqueue((0..<500).map { entry(String(repeating: "\($0)", count: 200)) })
    let path = folder + "/queue.sqlite"
    try? FileManager.default.removeItem(atPath: path + "-wal")
    for damage in [0..<100, 4096..<40_960] {
      var bytes = try XCTUnwrap(FileManager.default.contents(atPath: path))
      bytes.replaceSubrange(damage, with: [UInt8](repeating: 0xA5, count: damage.count))
      try bytes.write(to: URL(fileURLWithPath: path))
      let queue = queue()
      _ = try await queue.enqueue([entry("new")])
      _ = try await queue.claim(atMost: 9)
      let aside = await queue.setAside
      XCTAssertEqual(aside.count, 1)
      XCTAssertTrue(FileManager.default.contents(atPath: aside.first ?? "") == bytes)
      let rows = try await queue.rows().map { String(decoding: $0.payload, as: UTF8.self) }
      XCTAssertEqual(rows, ["new"])
      _ = try await queue.enqueue((0..<500).map { entry(String(repeating: "\($0)", count: 200)) })
    }
  }

  // MARK: Contents

  func testTheContentOfALoadIsReadAsItWasWritten() {
    var call = QueuedCall()
    call.key = "k"
    call.service = "Homes"
    call.environment = "staging"
    call.apiName = "notes/{id}"
    call.method = "PROPPATCH"
    call.parameters = Parameters([
      ("text", .string("ä\u{0}")), ("int", .integer(-5)), ("double", .double(0.1)), ("yes", .bool(true)),
      ("no", .bool(false)), ("null", .null), ("date", .date(Date(timeIntervalSince1970: 1.5))),
      ("data", .data([0, 255])), ("list", .array([.integer(1), .object(["deep": "er"])])),
    ])
    call.headers.add("X-A", "b")
    call.contentType = "text/plain"
    call.fills = [QueuedCall.Fill(parameter: "p", parent: 9, path: "a.b[0]")]
    for body in [QueuedCall.Body.none, .bytes([1, 2]), .spooled] {
      call.body = body
      XCTAssertEqual(QueuedCall(call.encode()), call)
    }
    // Bytes that are none never trap.
    let whole = call.encode()
    for count in 0..<whole.count { XCTAssertNil(QueuedCall(Array(whole[..<count]))) }
    for index in whole.indices {
      var bytes = whole
      bytes[index] ^= 0xFF
      _ = QueuedCall(bytes)
    }
  }
}
