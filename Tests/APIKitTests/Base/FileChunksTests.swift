import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit

/// A file that is read in chunks.
final class FileChunksTests: XCTestCase {
  private lazy var path = temporaryPath()

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

  func testACompressedBodyWhoseFileBecomesShorterIsNotEndedAsAWholeOne() async throws {
    try Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) }).write(
      to: URL(fileURLWithPath: path))
    var request = HTTPRequest(method: .put, url: "https://homes.test/a", body: .file(path: path))
    request.options.compressesBody = true
    guard case .stream(let stream) = request.compressingBody().body else { return XCTFail("no stream") }
    let next = try stream.open()
    let first = try await next()
    XCTAssertNotNil(first)
    XCTAssertEqual(truncate(path, 100_000), 0)
    do {
      while try await next() != nil {}
      XCTFail("it ended")
    } catch {
      XCTAssertEqual((error as? APIError)?.reason, .unreadableBody)
    }
  }
}
