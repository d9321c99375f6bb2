import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitTransfers

/// A process that is killed between the two halves of a repair, or of an erasure: the copy has the only rows.
final class BrokenOffRescueTests: DurableQueueCase {
  private var path: String { folder + "/queue.sqlite" }

  /// Copies a database, notes that its rows are to be carried over, and empties it, as a repair that is killed then.
  private func breakOff(_ path: String) throws -> String {
    let copy = path + ".damaged-0"
    try SQLiteDatabase.copyFiles(of: path, to: copy)
    try ErasureMark(path: copy + ".unfinished").set()
    try SQLiteDatabase(path: path, patience: 1_000).reset()
    return copy
  }

  func testAProcessThatHasTheDatabaseOpenFinishesTheRepairOfAnother() async throws {
    let queue = queue()
    let ids = try await queue.enqueue([entry("a"), entry("b")])
    _ = try breakOff(path)
    let more = try await queue.enqueue([entry("c")])
    let rows = try await queue.rows()
    XCTAssertEqual(rows.map(\.id), ids + more)
    XCTAssertEqual(rows.map(\.payload), [Array("a".utf8), Array("b".utf8), Array("c".utf8)])
    XCTAssertNil(try DatabaseRescue.unfinished(of: path))
  }
}
