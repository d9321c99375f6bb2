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

  private func left(_ folder: String) -> [String] {
    PrivateFile.names(in: folder).filter { $0.contains("damaged") }
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

  func testItemsOfAUserWhoHasLeftDoNotComeBackFromACopy() async throws {
    do { _ = try await queue().enqueue([entry("a", user: "anna"), entry("b", user: "bert")]) }
    _ = try breakOff(path)
    SQLiteDatabase.discardFiles(of: path)
    let dropped = try await queue().drop(user: "anna")
    XCTAssertEqual(dropped.map(\.user), ["anna"])
    let rows = try await queue().rows()
    XCTAssertEqual(rows.map(\.user), ["bert"])
    XCTAssertEqual(left(folder), [])
  }

  func testACopyOfADatabaseThatIsGoneIsErasedWithAUser() async throws {
    try TransferFolder.make(folder)
    try PrivateFile.replace(path + ".damaged-0", with: [1])
    _ = try await queue().drop(user: "anna")
    XCTAssertEqual(left(folder), [])
  }

  func testErasedActionsDoNotComeBackFromACopy() async throws {
    let path = folder + "/actions.sqlite"
    do { _ = try await ActionStore(folder: folder).append([1], limit: 10) }
    _ = try breakOff(path)
    // Killed while the files were removed.
    SQLiteDatabase.discardFiles(of: path)
    try await ActionStore(folder: folder).erase()
    XCTAssertEqual(left(folder), [])
    let counts = try await ActionStore(folder: folder).counts()
    XCTAssertEqual(counts.waiting, 0)
  }
}
