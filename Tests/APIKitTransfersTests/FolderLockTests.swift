import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitTransfers

/// Locks in the folder of an app group are given up before the process is suspended; and no folder of ours is in backups.
final class FolderLockTests: XCTestCase {
  private lazy var folder = temporaryFolder().path

  private func path(_ name: String) -> String { "\(folder)/\(name)" }

  /// Whether another process could take it.
  private func isFree(_ name: String) throws -> Bool { try FileLock(ifFree: path(name)) != nil }

  func testOnlyFoldersOfAnAppGroupGiveTheirLocksUp() {
    XCTAssertTrue(
      SuspensionWatch.isShared("/private/var/mobile/Containers/Shared/AppGroup/1A2B/transfers/owner-a.lock"))
    XCTAssertFalse(
      SuspensionWatch.isShared("/var/mobile/Containers/Data/Application/1A2B/Library/transfers/owner-a.lock"))
    XCTAssertNil(SuspensionWatch.forLocks(at: path("a")))
  }

  func testALockIsGivenUpBeforeTheProcessIsSuspendedAndTakenAgain() throws {
    let system = ActivityOfTests()
    let lock = try XCTUnwrap(try FolderLock(ifFree: path("a"), watch: system.watch))
    XCTAssertFalse(try isFree("a"))
    system.expire()
    XCTAssertTrue(try isFree("a"), "nothing is held while the process is suspended")
    XCTAssertTrue(lock.holds(path("a")))
    XCTAssertFalse(try isFree("a"))
    XCTAssertEqual(system.story, ["begin", "over", "begin"], "the next suspension is announced as well")
  }

  func testALockThatAnotherProcessHasTakenIsLost() throws {
    let system = ActivityOfTests()
    let lock = try XCTUnwrap(try FolderLock(ifFree: path("a"), watch: system.watch))
    system.expire()
    let other = try XCTUnwrap(try FileLock(ifFree: path("a")))
    XCTAssertFalse(lock.retake())
    XCTAssertFalse(lock.holds(path("a")))
    other.release()
    XCTAssertTrue(lock.retake(), "it was not written meanwhile")
  }

  func testAFileThatAnotherProcessHasWrittenOrReplacedIsLost() throws {
    for replaces in [false, true] {
      let system = ActivityOfTests()
      let lock = try XCTUnwrap(try FolderLock(ifFree: path("a"), watch: system.watch))
      system.expire()
      if replaces { unlink(path("a")) }
      try Data([1]).write(to: URL(fileURLWithPath: path("a")))
      XCTAssertFalse(lock.retake())
      unlink(path("a"))
      XCTAssertFalse(lock.retake())
      XCTAssertFalse(PrivateFile.exists(path("a")), "no empty file is left in its place")
    }
  }

  func testOneActivityIsUnderWayForAllLocksAndEndsWithTheLast() throws {
    let system = ActivityOfTests()
    var first = try FolderLock(ifFree: path("a"), watch: system.watch)
    var second = try FolderLock(ifFree: path("b"), watch: system.watch)
    XCTAssertNotNil(first)
    first = nil
    XCTAssertEqual(system.story, ["begin"])
    XCTAssertNotNil(second)
    second = nil
    XCTAssertEqual(system.story, ["begin", "end"])
    let third = try FolderLock(ifFree: path("a"), watch: system.watch)
    XCTAssertEqual(system.story, ["begin", "end", "begin"])
    withExtendedLifetime(third) {}
  }

  func testNoFolderOfQueuesAndJournalsIsInBackups() async throws {
    let queue = DurableQueue(folder: path("queue"))
    _ = try await queue.spool(.bytes([1]))
    var options = TusOptions()
    options.journalFolder = path("journals")
    let journal = try UploadJournal(UploadJournal.path(options, of: ["a"], fingerprint: "b"))
    let outcomes = BackgroundOutcomes(folder: path("queue/session/a"), seal: QueueSeal())
    try outcomes.makeFolder()
    for name in ["queue", "queue/spool", "journals", "queue/session/a"] {
      XCTAssertTrue(TransferFolder.isExcluded(path(name)), name)
    }
    withExtendedLifetime(journal) {}
    let database = DurableQueue(folder: path("outbox"))
    _ = try await database.rows()
    XCTAssertTrue(TransferFolder.isExcluded(path("outbox")))
  }

  func testAFolderThatTheApplicationHasForOtherFilesStaysInBackups() throws {
    try TransferFolder.make(folder, isOwn: false)
    XCTAssertFalse(TransferFolder.isExcluded(folder))
    try TransferFolder.make(folder)
    XCTAssertTrue(TransferFolder.isExcluded(folder))
  }
}

/// Stands for a system that suspends the process.
private final class ActivityOfTests: Sendable {
  private struct Known {
    var story: [String] = []
    var isOver: (@Sendable () -> Void)?
  }

  private let known = Mutex(Known())
  var story: [String] { known.withLock { $0.story } }

  var watch: SuspensionWatch {
    if let made = made.withLock({ $0 }) { return made }
    let watch = SuspensionWatch { isOver in
      self.known.withLock {
        $0.story.append("begin")
        $0.isOver = isOver
      }
      return { self.known.withLock { $0.story.append("end") } }
    }
    made.withLock { $0 = watch }
    return watch
  }
  private let made = Mutex<SuspensionWatch?>(nil)

  func expire() {
    let isOver = known.withLock { known in
      known.story.append("over")
      return known.isOver
    }
    isOver?()
  }
}
