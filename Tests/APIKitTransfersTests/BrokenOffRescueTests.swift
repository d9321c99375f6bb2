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

  #if os(Linux)
    func testACopyThatCannotBeFoundIsNotTakenForErased() async throws {
      let queue = queue()
      _ = try await queue.enqueue([entry("a", user: "anna")])
      try PrivateFile.replace(path + ".damaged-0", with: [1])
      let limit = ProcessLimit.noDescriptors
      let dropped = try? await queue.drop(user: "anna")
      limit.remove()
      XCTAssertEqual(left(folder), ["queue.sqlite.damaged-0"])
      XCTAssertNil(dropped)
      _ = try await queue.drop(user: "anna")
      XCTAssertEqual(left(folder), [])
    }

    func testRepairsThatAreKilledWhileTheyCopyLeaveOneCopyAtMost() async throws {
      let ids = try await queue().enqueue((0..<500).map { entry(String(repeating: "\($0)", count: 400)) })
      try SQLiteDatabase(path: path, patience: 1_000).execute("UPDATE totals SET bytes = 1 << 40")
      for _ in 0..<3 {
        let child = Process()
        child.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        child.arguments = ["\(String(reflecting: KilledRescueTests.self))/testBeKilledInARepair"]
        child.environment = ProcessInfo.processInfo.environment.merging(["APIKIT_RESCUE_FOLDER": folder]) {
          $1
        }
        (child.standardOutput, child.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
        try child.run()
        for _ in 0..<12_000 where child.isRunning { try await Task.sleep(for: .milliseconds(5)) }
        XCTAssertFalse(child.isRunning, "the other process does not end")
        if child.isRunning { kill(child.processIdentifier, SIGKILL) }
        XCTAssertEqual(child.terminationReason, .uncaughtSignal)
      }
      XCTAssertEqual(left(folder).count, 1, "\(left(folder))")
      try await queue().checkWhole()
      let rows = try await queue().rows()
      XCTAssertEqual(rows.map(\.id), ids)
      XCTAssertEqual(
        left(folder).filter { !$0.hasSuffix("-wal") },
        DatabaseRescue.copies(of: path).map { ($0 as NSString).lastPathComponent })
      XCTAssertEqual(DatabaseRescue.copies(of: path).count, 1)
    }
  #endif
}

#if os(Linux)
  /// Not a test of its own: what the other process of ``BrokenOffRescueTests`` does.
  final class KilledRescueTests: XCTestCase {
    func testBeKilledInARepair() throws {
      guard let folder = ProcessInfo.processInfo.environment["APIKIT_RESCUE_FOLDER"] else {
        throw XCTSkip("runs as the child of BrokenOffRescueTests")
      }
      // The system ends the process where a file becomes longer.
      let limit = FileSizeLimit(100_000)
      signal(SIGXFSZ, SIG_DFL)
      // A process inherits what the thread that starts it has blocked.
      var signals = sigset_t()
      sigemptyset(&signals)
      sigaddset(&signals, SIGXFSZ)
      pthread_sigmask(SIG_UNBLOCK, &signals, nil)
      defer { limit.remove() }
      _ = try DatabaseRescue(path: "\(folder)/queue.sqlite", schema: .queue, remains: .queue)
        .run(isForced: true)
    }
  }
#endif
