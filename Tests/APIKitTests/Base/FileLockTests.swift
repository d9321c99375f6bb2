import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit

/// Locks on files that are removed while others take them.
final class FileLockTests: XCTestCase {
  private lazy var folder = temporaryFolder()

  private var path: String { folder.appendingPathComponent("file.lock").path }

  func testOneHolderAtATimeEvenWhereEachRemovesTheFile() {
    let path = path
    let holders = AtomicInt()
    let taken = AtomicInt()
    let doubles = AtomicInt()
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<20_000 {
        guard let lock = try? FileLock(ifFree: path) else { continue }
        if holders.add(1) != 1 { doubles.add(1) }
        taken.add(1)
        holders.add(-1)
        unlink(path)
        withExtendedLifetime(lock) {}
      }
    }
    XCTAssertEqual(doubles.load(), 0)
    XCTAssertGreaterThan(taken.load(), 1_000)
  }

  func testALockIsFreeOnceItsHolderIsGone() throws {
    var lock = try FileLock(ifFree: path)
    XCTAssertNotNil(lock)
    XCTAssertNil(try FileLock(ifFree: path))
    lock = nil
    XCTAssertNotNil(try FileLock(ifFree: path))
  }

  func testALockThatAProcessHoldsWithoutEndIsWaitedForALimitedTime() throws {
    // As by a process that was suspended while it wrote.
    var held: FileLock? = try FileLock(folder: folder.path)
    XCTAssertThrowsError(try FileLock(folder: folder.path, patience: .milliseconds(50))) {
      XCTAssertTrue("\($0)".contains("another process has held it for 50 ms"), "\($0)")
    }
    withExtendedLifetime(held) {}
    held = nil
    XCTAssertNoThrow(try FileLock(folder: folder.path, patience: .zero))
  }

  func testWhatCannotBeOpenedIsAnErrorAndNotALockThatIsHeld() {
    XCTAssertThrowsError(try FileLock(ifFree: folder.path))
    XCTAssertThrowsError(try FileLock(ifFree: path + "/below"))
  }
}
