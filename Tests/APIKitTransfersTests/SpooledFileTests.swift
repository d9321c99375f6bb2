import Foundation
import XCTest

@testable import APIKit
@testable import APIKitTransfers

/// Files that a queue copies, and that are not what they should be.
final class SpooledFileTests: DurableQueueCase {
  private var source: String { "\(folder)-source" }

  func testAnOffsetBehindTheEndIsRefused() async throws {
    try Data([1, 2, 3]).write(to: URL(fileURLWithPath: source))
    do throws(APIError) {
      _ = try await queue().spool(.file(path: source, offset: 4))
      XCTFail("an empty body was kept")
    } catch { XCTAssertEqual(error.reason, .unreadableBody) }
    XCTAssertEqual(PrivateFile.names(in: folder + "/spool"), [])
  }

  func testAFileThatChangesWhileItIsCopiedIsNotKept() async throws {
    let (queue, source) = (queue(), source)
    try Data(repeating: 1, count: 8 << 20).write(to: URL(fileURLWithPath: source))
    let isDone = AtomicFlag()
    let writing = Thread {
      let file = open(source, O_WRONLY | O_APPEND)
      while !isDone.load() {
        XCTAssertEqual(write(file, [7] as [UInt8], 1), 1)
        // Many writes within each copy of 8 MiB, without a core of its own.
        usleep(100)
      }
      close(file)
    }
    writing.start()
    defer { isDone.store(true) }
    var refusal: APIError?
    // On a busy machine the thread may be held up for as long as a copy takes.
    for _ in 0..<20 where refusal == nil {
      do throws(APIError) { _ = try await queue.spool(.file(path: source)) } catch { refusal = error }
    }
    XCTAssertEqual(refusal?.reason, .unreadableBody)
    XCTAssertTrue(refusal?.detail.contains("changed") == true, "\(refusal as Any)")
  }

  func testABodyOfMoreBytesThanTheQueueMayHaveIsRefusedBeforeItIsCopied() async throws {
    let queue = queue(limits: QueueStore.Limits(count: 10, bytes: 1000))
    try Data(repeating: 1, count: 1001).write(to: URL(fileURLWithPath: source))
    let taken = Mutex(0)
    let long = HTTPBodyStream {
      {
        let number = taken.withLock { number in
          number += 1
          return number
        }
        return number > 100 ? nil : [UInt8](repeating: 1, count: 100)
      }
    }
    for body in [HTTPBody.bytes([UInt8](repeating: 1, count: 1001)), .file(path: source), .stream(long)] {
      do throws(APIError) {
        _ = try await queue.spool(body)
        XCTFail("it was copied")
      } catch { XCTAssertEqual(error.reason, .queueFull) }
    }
    XCTAssertEqual(taken.withLock { $0 }, 11, "the rest of the stream is not read")
    XCTAssertEqual(PrivateFile.names(in: folder + "/spool"), [])
    let file = try await queue.spool(.file(path: source, offset: 1))
    XCTAssertEqual(file.count, 1000)
  }

  func testAnUploadFromOutsideOfItsFileIsRefused() throws {
    try Data([1, 2, 3]).write(to: URL(fileURLWithPath: source))
    XCTAssertEqual(try UploadReader(.file(path: source, offset: 3)).total, 0)
    for offset: Int64 in [4, .max, -1, .min] {
      XCTAssertThrowsError(try UploadReader(.file(path: source, offset: offset))) { error in
        XCTAssertEqual((error as? APIError)?.reason, .unreadableBody)
        XCTAssertTrue("\(error)".contains("(3 bytes)"), "\(error)")
      }
      XCTAssertLessThanOrEqual(HTTPBody.file(path: source, offset: offset).knownLength ?? -1, 3)
    }
  }

  func testAContentThatCannotBeSealedIsNoDamage() { XCTAssertFalse(QueueSeal.failure.isMisfit) }
}
