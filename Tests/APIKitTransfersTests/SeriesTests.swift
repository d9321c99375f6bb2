import APIKitTesting
import Foundation
import XCTest

@testable import APIKit
@testable import APIKitTransfers

/// Items that are kept many at a time: the same as one by one, by fewer statements.
final class SeriesTests: DurableQueueCase {
  private func series(_ texts: [String], like entry: QueueStore.QueueEntry) -> QueueStore.Series {
    var series = QueueStore.Series(of: texts.count, like: entry)
    for text in texts { series.append { $0.append(contentsOf: Array(text.utf8)) } }
    return series
  }

  private func like(lane: String? = nil, lifetime: Double? = nil) -> QueueStore.QueueEntry {
    var entry = entry("", lane: lane, user: "me", lifetime: lifetime)
    (entry.type, entry.recipient) = ("Notes", "notes")
    return entry
  }

  private func text(_ row: QueueStore.Row) -> String { String(decoding: row.payload, as: UTF8.self) }

  func testItHasTheItemsOfAnyNumberInOrder() async throws {
    // A statement has 64 rows: none, less, as many, more, several and a rest.
    for number in [0, 1, 63, 64, 65, 200] {
      let queue = DurableQueue(folder: "\(folder)/\(number)", time: time, boot: "one")
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      _ = try await queue.enqueue([entry("before")])
      // Also an empty payload.
      let texts = (0..<number).map { $0 == 5 ? "" : "note \($0)" }
      let ids = try await queue.enqueue(series(texts, like: like()))
      XCTAssertEqual(ids, (0..<number).map { Int64($0 + 2) })
      let rows = try await queue.rows()
      XCTAssertEqual(rows.map(\.id), Array(1...Int64(number + 1)))
      XCTAssertEqual(rows.dropFirst().map(text), texts)
      XCTAssertTrue(
        rows.dropFirst().allSatisfy { $0.type == "Notes" && $0.recipient == "notes" && $0.user == "me" })
      let totals = try await queue.totals()
      XCTAssertEqual(totals.count, Int64(number + 1))
      XCTAssertEqual(totals.bytes, Int64(6 + texts.reduce(0) { $0 + $1.utf8.count }))
      XCTAssertEqual(totals.highest, Int64(number + 1))
      // Without a lane each may go at once.
      let taken = try await queue.claim(atMost: 1000).map(\.id)
      XCTAssertEqual(taken.count, number + 1)
      let next = try await queue.enqueue([entry("after")])
      XCTAssertEqual(next, [Int64(number + 2)])
    }
  }

  func testOfALaneOnlyTheFirstMayGo() async throws {
    let queue = queue()
    let first = try await queue.enqueue(series((0..<70).map { "\($0)" }, like: like(lane: "a")))
    var taken = try await queue.claim(atMost: 1000).map(\.id)
    XCTAssertEqual(taken, [1])
    // One more series of the lane comes behind the first.
    _ = try await queue.enqueue(series(["x", "y"], like: like(lane: "a")))
    taken = try await queue.claim(atMost: 1000).map(\.id)
    XCTAssertEqual(taken, [])
    for id in first {
      try await queue.finish(id, landing: nil)
      taken = try await queue.claim(atMost: 1000).map(\.id)
      XCTAssertEqual(taken, [id + 1])
    }
  }

  func testItsTimeAndItsFilesAreThoseOfItsItems() async throws {
    let queue = queue()
    var some = series((0..<66).map { "\($0)" }, like: like(lifetime: 100))
    let file = try await queue.spool(.bytes([1, 2, 3]))
    some.files[65] = file
    _ = try await queue.enqueue(some)
    let rows = try await queue.rows()
    XCTAssertEqual(rows.map(\.spool), Array(repeating: nil, count: 65) + [file.name])
    let totals = try await queue.totals()
    XCTAssertEqual(totals.bytes, some.size)
    time.advance(by: .seconds(99))
    var expired = try await tidy(queue)
    XCTAssertEqual(expired, [])
    time.advance(by: .seconds(2))
    expired = try await tidy(queue)
    XCTAssertEqual(expired.count, 66)
    let rest = try await queue.totals()
    XCTAssertEqual(rest.bytes, 0, "the bytes of the file were counted with its item")
    XCTAssertFalse(FileManager.default.fileExists(atPath: queue.spoolPath(file.name)))
  }

  func testMoreThanTheLimitsIsRefusedAndNothingOfItKept() async throws {
    let queue = queue(limits: QueueStore.Limits(count: 100, bytes: 1000))
    for texts in [Array(repeating: "x", count: 101), [String(repeating: "x", count: 1001)]] {
      do {
        _ = try await queue.enqueue(series(texts, like: like()))
        XCTFail("they were kept")
      } catch {
        guard case .full = error else { return XCTFail("\(error)") }
      }
    }
    let totals = try await queue.totals()
    XCTAssertEqual(totals.count, 0)
    _ = try await queue.enqueue(series(Array(repeating: "x", count: 100), like: like()))
  }

  func testAFailureInTheMiddleKeepsNothing() async throws {
    let queue = queue()
    _ = try await queue.enqueue([entry("before")])
    // The second statement fails.
    let database = try SQLiteDatabase(path: "\(folder)/queue.sqlite", patience: 1000)
    try database.execute(
      "CREATE TRIGGER full BEFORE INSERT ON items WHEN NEW.id = 100 BEGIN SELECT RAISE(ABORT, 'full'); END")
    do {
      _ = try await queue.enqueue(series((0..<150).map { "\($0)" }, like: like()))
      XCTFail("they were kept")
    } catch {
      guard case .failed = error else { return XCTFail("\(error)") }
    }
    let ids = try await queue.rows().map(\.id)
    XCTAssertEqual(ids, [1])
    let totals = try await queue.totals()
    XCTAssertEqual(totals.highest, 1)
    let next = try await queue.enqueue(series(["a"], like: like()))
    XCTAssertEqual(next, [2])
  }
}
