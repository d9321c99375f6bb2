import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitTransfers

/// The writer of a download: order, ends, full disks, slow disks.
final class PartialFileWriterTests: XCTestCase {
  private lazy var folder = temporaryFolder()
  private var path: String { folder.appendingPathComponent("a").path }
  private var bytes: [UInt8]? {
    FileManager.default.contents(atPath: path + PartialFile.ending).map(Array.init)
  }

  func testBytesOfEverySizeAreInTheFileInOrder() async throws {
    let file = try PartialFile(for: path, identity: "x")
    let writer = PartialFileWriter(file, at: 0, end: nil)
    var all: [UInt8] = []
    for size in [1, 16 << 10, 255 << 10, 1, 256 << 10, 700 << 10, 3, 1 << 20, 5] {
      let chunk = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ size) }
      _ = try writer.write(chunk)
      all += chunk
    }
    let (offset, fault) = await writer.close()
    XCTAssertNil(fault)
    XCTAssertEqual(offset, Int64(all.count))
    XCTAssertTrue(bytes == all)
    XCTAssertThrowsError(try writer.write([1]), "nothing is written once it is closed")
    XCTAssertTrue(bytes == all)
  }

  func testBytesBeyondTheEndOfTheBodyAreCountedAndNotWritten() async throws {
    let file = try PartialFile(for: path, identity: "x")
    let writer = PartialFileWriter(file, at: 0, end: 3)
    _ = try writer.write([1, 2])
    XCTAssertThrowsError(try writer.write([3, 4])) {
      XCTAssertEqual(($0 as? APIError)?.reason, .malformedResponse)
    }
    let (offset, _) = await writer.close()
    XCTAssertGreaterThan(offset, 3)
    XCTAssertEqual(bytes, [1, 2])
  }

  func testWhatWaitsForTheDiskStopsTheTransportAndIsToldWhenThereIsRoom() async throws {
    let file = try PartialFile(for: path, identity: "x")
    let writer = PartialFileWriter(file, at: 0, end: nil)
    let resumed = Counter()
    writer.whenReady { resumed.increment() }
    let mebibyte = [UInt8](repeating: 1, count: 1 << 20)
    var given: Int64 = 0
    while given < PartialFileWriter.maximumUnsaved {
      _ = try writer.write(mebibyte)
      given += Int64(mebibyte.count)
    }
    await waitUntil { (try? writer.flush()) == given }
    let before = resumed.value
    XCTAssertTrue(try writer.write([1]), "64 MiB are in no checkpoint")
    writer.saved(given)
    await waitUntil { resumed.value == before + 1 }
    XCTAssertFalse(try writer.write([1]))
    _ = await writer.close()
  }

  #if os(Linux)
    func testAFullDiskEndsTheBodyAndWhatIsThereStays() async throws {
      let file = try PartialFile(for: path, identity: "x")
      let limit = FileSizeLimit(1 << 40)
      defer { limit.remove() }
      let writer = PartialFileWriter(file, at: 1 << 40, end: nil)
      _ = try writer.write([UInt8](repeating: 1, count: 256 << 10))
      await waitUntil { (try? writer.flush()) == nil }
      XCTAssertThrowsError(try writer.write([1])) {
        XCTAssertEqual(($0 as? APIError)?.reason, .storageFull)
      }
      let (offset, fault) = await writer.close()
      XCTAssertEqual(offset, 1 << 40)
      XCTAssertEqual(fault?.reason, .storageFull)
      XCTAssertEqual(bytes, [])
    }

    func testRoomIsTakenForAllAndGivenBackByACut() throws {
      let file = try PartialFile(for: path, identity: "x")
      let blocks = { () -> Int in
        var status = stat()
        return stat(self.path + PartialFile.ending, &status) == 0 ? Int(status.st_blocks) * 512 : -1
      }
      try file.makeRoom(for: 8 << 20, at: 0)
      try XCTSkipIf(blocks() == 0, "the file system takes no room beforehand")
      XCTAssertGreaterThanOrEqual(blocks(), 8 << 20)
      XCTAssertEqual(bytes, [])
      try file.truncate(to: 0)
      XCTAssertEqual(blocks(), 0)
    }
  #endif
}
