import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit

/// Files that nobody else can read, and folders in which nobody else can put others in their place.
final class PrivateFileTests: XCTestCase {
  private lazy var folder = temporaryPath()

  private func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  private func inode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
  }

  private func refused(_ words: String, line: UInt = #line, _ work: () throws -> Void) {
    do {
      try work()
      XCTFail("it was not refused", line: line)
    } catch {
      XCTAssertTrue("\(error)".contains(words), "\(error)", line: line)
    }
  }

  func testAFileComesBackFromAFolderMadeForIt() throws {
    let path = folder + "/a/b/file"
    XCTAssertNil(try PrivateFile.read(path, limit: 10))
    try PrivateFile.replace(path, with: Data([1, 2]))
    try PrivateFile.replace(path, with: Data([3]))
    XCTAssertEqual(try PrivateFile.read(path, limit: 10), [3])
    XCTAssertEqual(try mode(path), 0o600)
    for made in [folder, folder + "/a", folder + "/a/b"] { XCTAssertEqual(try mode(made), 0o700) }
    XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder + "/a/b"), ["file"])
  }

  func testTheFolderOfAPath() {
    for (path, parent) in [
      ("a", "."), ("", "."), ("/", "/"), ("//", "/"), ("/a", "/"), ("/a/", "/"), ("a/", "."), ("a/b", "a"),
      ("a//b/", "a"), ("./a", "."), ("/ä/b", "/ä"),
    ] { XCTAssertEqual(PrivateFile.folder(of: path), parent, path) }
  }

  /// A process has one working folder, so only what has one letter is made there.
  func testAPathOfOneLetterIsMadeInTheWorkingFolder() throws {
    let letter = try XCTUnwrap("abcdefgh".map(String.init).first { !PrivateFile.exists($0) })
    defer { try? FileManager.default.removeItem(atPath: letter) }
    try PrivateFile.replace(letter + "/b/c", with: Data([7]))
    XCTAssertEqual(try PrivateFile.read(letter + "/b/c", limit: 10), [7])
    try FileManager.default.removeItem(atPath: letter)
    try PrivateFile.replace(letter, with: Data([8]))
    XCTAssertEqual(try PrivateFile.read(letter, limit: 10), [8])
  }

  func testWhatIsNotOnesOwnFileIsNotRead() throws {
    let path = folder + "/file"
    try PrivateFile.replace(path, with: Data([1, 2, 3]))
    refused("too large") { _ = try PrivateFile.read(path, limit: 2) }
    XCTAssertEqual(symlink(path, folder + "/link"), 0)
    refused("opened") { _ = try PrivateFile.read(folder + "/link", limit: 10) }
    XCTAssertEqual(mkfifo(folder + "/pipe", 0o600), 0)
    refused("not a file") { _ = try PrivateFile.read(folder + "/pipe", limit: 10) }
    XCTAssertEqual(chmod(path, 0o604), 0)
    refused("read by others") { _ = try PrivateFile.read(path, limit: 10) }
  }

  func testAFolderThatOthersMayChangeIsRefused() throws {
    for mode: mode_t in [0o777, 0o1777, 0o770, 0o702] {
      let open = folder + "/\(mode)"
      try PrivateFile.makeFolder(open)
      XCTAssertEqual(chmod(open, mode), 0)
      refused("changed by others") { try PrivateFile.makeFolder(open) }
      refused("changed by others") { try PrivateFile.replace(open + "/file", with: Data([1])) }
      XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: open), [])
    }
    XCTAssertEqual(chmod(folder, 0o755), 0)
    XCTAssertNoThrow(try PrivateFile.makeFolder(folder))
    try PrivateFile.replace(folder + "/file", with: Data([1]))
    refused("not a folder") { try PrivateFile.makeFolder(folder + "/file") }
  }

  func testAnotherUsersFolderAndFileAreRefused() throws {
    try PrivateFile.replace(folder + "/file", with: Data([1]))
    guard chown(folder + "/file", 65534, 65534) == 0 else { throw XCTSkip("only root can give files away") }
    refused("another user") { _ = try PrivateFile.read(folder + "/file", limit: 10) }
    refused("another user") { try PrivateFile.claim(folder + "/file") }
    XCTAssertEqual(chown(folder, 65534, 65534), 0)
    refused("another user") { try PrivateFile.makeFolder(folder) }
  }

  func testAClaimedFileIsMadeOrMadePrivate() throws {
    try PrivateFile.makeFolder(folder)
    let path = folder + "/file"
    try PrivateFile.claim(path)
    XCTAssertEqual(try mode(path), 0o600)
    let first = try inode(path)
    try Data([1]).write(to: URL(fileURLWithPath: path), options: [])
    XCTAssertEqual(chmod(path, 0o644), 0)
    try PrivateFile.claim(path)
    XCTAssertEqual(try mode(path), 0o600)
    XCTAssertEqual(try PrivateFile.read(path, limit: 10), [1])
    XCTAssertEqual(try inode(path), first)
    XCTAssertEqual(symlink(path, folder + "/link"), 0)
    refused("not a file") { try PrivateFile.claim(folder + "/link") }
    XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder).sorted(), ["file", "link"])
  }

  func testAFileClaimedByManyAtOnceIsOneFile() async throws {
    try PrivateFile.makeFolder(folder)
    let path = folder + "/file"
    let inodes = try await withThrowingTaskGroup(of: Int?.self) { group in
      for _ in 0..<16 {
        group.addTask {
          try PrivateFile.claim(path)
          return try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
        }
      }
      return try await group.reduce(into: Set<Int?>()) { $0.insert($1) }
    }
    XCTAssertEqual(inodes.count, 1)
  }

  func testAFolderThatCannotBeListedIsNotTakenForAnEmptyOne() throws {
    try PrivateFile.replace(folder + "/file", with: Data([1]))
    refused("the folder \(folder)/file cannot be listed") { _ = try PrivateFile.list(folder + "/file") }
    // Nothing of what is to be erased is missed.
    refused("cannot be listed") { _ = try DiskCache.marks(in: folder + "/file") }
    XCTAssertEqual(try PrivateFile.list(folder + "/none"), [])
    XCTAssertEqual(PrivateFile.names(in: folder + "/file"), [])
  }

  #if os(Linux)
    func testFilesOfAFolderThatCannotBeListedAreNotToldAsRemoved() throws {
      try PrivateFile.replace(folder + "/a.part", with: Data([1]))
      let limit = ProcessLimit.noDescriptors
      let result = Result { try PrivateFile.removeAll(in: folder, endingWith: ".part") }
      limit.remove()
      XCTAssertEqual(PrivateFile.names(in: folder), ["a.part"])
      refused("Too many open files") { try result.get() }
      try PrivateFile.removeAll(in: folder, endingWith: ".part")
      XCTAssertEqual(PrivateFile.names(in: folder), [])
      XCTAssertNoThrow(try PrivateFile.removeAll(in: folder + "/none", endingWith: ".part"))
    }
  #endif
}
