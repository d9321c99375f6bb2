import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitTransfers

/// The mending of a damaged database that is broken off: nothing is lost, nothing comes back, nothing is left.
final class DatabaseRescueTests: DurableQueueCase {
  private var path: String { folder + "/queue.sqlite" }

  /// Makes a queue whose database looks whole and has a wrong sum.
  private func harm(_ entries: [QueueStore.QueueEntry]) async throws -> [Int64] {
    let ids = try await queue().enqueue(entries)
    let harm = try SQLiteDatabase(path: path, patience: 100)
    try harm.execute("UPDATE totals SET bytes = 1 << 40")
    try harm.emptyLog()
    return ids
  }

  func testAMendingThatIsBrokenOffIsFinishedByTheNextProcess() async throws {
    let ids = try await harm([entry("a"), entry("b")])
    let failing = DatabaseRescue.Remains(
      tables: DatabaseRescue.Remains.queue.tables, repair: "INSERT INTO nothing VALUES (1)")
    for _ in 0..<3 {
      XCTAssertThrowsError(
        try DatabaseRescue(path: path, schema: .queue, remains: failing).run(isForced: true))
      // What is left where the process is killed.
      for copy in DatabaseRescue.copies(of: path) {
        for ending in [".draft", ".model-wal"] { try PrivateFile.replace(copy + ending, with: [1]) }
      }
    }
    let queue = queue()
    await queue.forgetDamage()
    let rows = try await queue.rows()
    XCTAssertEqual(rows.map(\.id), ids)
    XCTAssertFalse(rows.contains(where: \.isDamaged))
    let more = try await queue.enqueue([entry("c")])
    XCTAssertEqual(more, [3])
    let copies = await queue.damagedDatabases
    XCTAssertEqual(copies.count, 1)
    // Killed when all was done: what has been sent since does not come back.
    for id in ids + more { try await queue.finish(id, landing: nil) }
    try ErasureMark(path: copies[0] + ".unfinished").set()
    let left = try await self.queue().rows()
    XCTAssertEqual(left.count, 0)
    XCTAssertNil(try DatabaseRescue.unfinished(of: path))
    await queue.forgetDamage()
    XCTAssertEqual(PrivateFile.names(in: folder).filter { $0.contains("damaged") }, [])
  }

  #if os(Linux)
    func testADamagedDatabaseThatCannotBeCopiedLeavesNothingAtEachTry() async throws {
      let ids = try await harm((0..<100).map { entry(String(repeating: "\($0)", count: 2000)) })
      let queue = queue()
      _ = try await queue.totals()
      let limit = FileSizeLimit(100_000)
      defer { limit.remove() }
      for _ in 0..<3 {
        do {
          try await queue.checkWhole()
          XCTFail("it was mended")
        } catch { XCTAssertTrue("\(error)".contains("cannot be copied"), "\(error)") }
      }
      XCTAssertEqual(PrivateFile.names(in: folder).filter { $0.contains("damaged") }, [])
      limit.remove()
      try await queue.checkWhole()
      let rows = try await queue.rows()
      XCTAssertEqual(rows.map(\.id), ids)
    }

    func testACopyInAFolderThatCannotBeListedIsNotTakenForFinished() async throws {
      _ = try await harm([entry("a")])
      let copy = path + ".damaged-0"
      try PrivateFile.replace(copy, with: [1])
      try ErasureMark(path: copy + ".unfinished").set()
      XCTAssertEqual(try DatabaseRescue.unfinished(of: path), copy)
      let limit = ProcessLimit.noDescriptors
      let found = Result { try DatabaseRescue.unfinished(of: path) }
      limit.remove()
      XCTAssertThrowsError(try found.get()) { XCTAssertTrue("\($0)".contains("cannot be listed"), "\($0)") }
    }
  #endif
}
