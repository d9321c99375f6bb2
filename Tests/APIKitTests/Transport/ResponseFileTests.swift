import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit

final class ResponseFileTests: XCTestCase {
  private func place() throws -> (folder: URL, path: String) {
    let folder = temporaryFolder()
    return (folder, folder.appendingPathComponent("file").path)
  }

  func testAFileStandsInItsPlaceOnlyWhenItIsWhole() throws {
    let (folder, path) = try place()
    try Data("old".utf8).write(to: URL(fileURLWithPath: path))
    var file = try ResponseFile(path: path)
    try Array("new ".utf8).withUnsafeBytes { try file.write($0) }
    try Array("bytes".utf8).withUnsafeBytes { try file.write($0) }
    XCTAssertEqual(FileManager.default.contents(atPath: path), Data("old".utf8))
    try file.commit()
    XCTAssertEqual(file.count, 9)
    XCTAssertEqual(FileManager.default.contents(atPath: path), Data("new bytes".utf8))
    XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder.path), ["file"])
  }

  func testADiscardedFileLeavesTheOldOne() throws {
    let (folder, path) = try place()
    try Data("old".utf8).write(to: URL(fileURLWithPath: path))
    var file = try ResponseFile(path: path)
    try Array("half".utf8).withUnsafeBytes { try file.write($0) }
    file.discard()
    XCTAssertEqual(FileManager.default.contents(atPath: path), Data("old".utf8))
    XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder.path), ["file"])
  }

  func testAPlaceThatIsNotThereIsTold() {
    XCTAssertThrowsError(try ResponseFile(path: "/nowhere/at/all")) { error in
      XCTAssertEqual((error as? APIError)?.reason, .fileFailed)
    }
  }

  #if os(Linux)
    func testAFullDiskIsToldAsOne() throws {
      let (folder, path) = try place()
      var file = try ResponseFile(path: path)
      let limit = FileSizeLimit(8)
      let result = Result { try [UInt8](repeating: 1, count: 100).withUnsafeBytes { try file.write($0) } }
      limit.remove()
      XCTAssertThrowsError(try result.get()) { error in
        XCTAssertEqual((error as? APIError)?.reason, .storageFull)
      }
      file.discard()
      XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder.path), [])
    }
  #endif

  func testAFileMayHaveTheLongestName() throws {
    let folder = temporaryFolder()
    for count in 230...255 {
      let name = String(repeating: "n", count: count)
      var file = try ResponseFile(path: folder.appendingPathComponent(name).path)
      try Array("bytes".utf8).withUnsafeBytes { try file.write($0) }
      try file.commit()
      XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder.path), [name])
      try FileManager.default.removeItem(at: folder.appendingPathComponent(name))
    }
  }
}
