import Foundation
import XCTest

@testable import APIKit

/// A file that is read in chunks.
final class FileChunksTests: XCTestCase {
  private var path = ""

  override func setUp() { path = NSTemporaryDirectory() + "apikit-chunks-" + UUID().uuidString }

  override func tearDown() { unlink(path) }

  func testAnOffsetOutsideOfTheFileIsRefused() throws {
    try Data([1, 2, 3]).write(to: URL(fileURLWithPath: path))
    XCTAssertEqual(try FileChunks(path: path, offset: 1).next(), [2, 3])
    XCTAssertNil(try FileChunks(path: path, offset: 3).next())
    for offset: Int64 in [4, -1, .max, .min] {
      XCTAssertThrowsError(try FileChunks(path: path, offset: offset)) { error in
        XCTAssertEqual((error as? APIError)?.reason, .unreadableBody)
        XCTAssertTrue("\(error)".contains("(3 bytes)"), "\(error)")
      }
    }
  }

  func testAFileThatBecomesShorterWhileItIsReadIsNotTheOneThatWasOpened() throws {
    try Data(repeating: 1, count: 100_000).write(to: URL(fileURLWithPath: path))
    let chunks = try FileChunks(path: path, offset: 0)
    XCTAssertEqual(try chunks.next()?.count, 64 << 10)
    XCTAssertNoThrow(try chunks.checkUnchanged())
    XCTAssertEqual(truncate(path, 70_000), 0)
    while try chunks.next() != nil {}
    XCTAssertThrowsError(try chunks.checkUnchanged()) { error in
      XCTAssertEqual((error as? APIError)?.reason, .unreadableBody)
    }
  }
}
