import Foundation
import XCTest

@testable import APIKit

/// The partial file of a download with its journal: what is counted, what is refused, full disks.
final class PartialFileTests: XCTestCase {
  private var folder = URL(fileURLWithPath: "/")

  override func setUpWithError() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  override func tearDownWithError() throws { try FileManager.default.removeItem(at: folder) }

  private var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
  }
  private func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
  private func bytes(_ name: String) -> [UInt8]? {
    FileManager.default.contents(atPath: path(name)).map(Array.init)
  }

  #if os(Linux)
    func testAFileBeyondTheLimitsFailsByNameAndWhatIsThereStays() throws {
      let file = try PartialFile(for: path("a"), identity: "x")
      try file.write(bytes: [1, 2, 3], at: 0)
      let limit = FileSizeLimit(1 << 40)
      defer { limit.remove() }
      XCTAssertThrowsError(try file.write(bytes: [4], at: 1 << 40)) { error in
        XCTAssertEqual((error as? APIError)?.reason, .storageFull)
        XCTAssertTrue("\(error)".contains("a.apikit-part"), "\(error)")
      }
      XCTAssertThrowsError(try file.makeRoom(for: .max, at: 0)) {
        XCTAssertEqual(($0 as? APIError)?.reason, .storageFull)
      }
      XCTAssertEqual(bytes("a.apikit-part"), [1, 2, 3])
    }
  #endif

  func testAJournalIsOfTheBytesOnTheDisk() throws {
    var machine = DownloadMachine()
    var headers = HTTPHeaders()
    headers.add("ETag", "\"a\"")
    _ = machine.responded(200, headers)
    _ = machine.took(3)
    do {
      let file = try PartialFile(for: path("a"), identity: "x")
      try file.write(bytes: [1, 2, 3], at: 0)
      try file.checkpoint(machine.state)
      try file.write(bytes: [9, 9], at: 3)
    }
    // The process has ended, and the machine runs on: what was written is there.
    XCTAssertEqual(try PartialFile(for: path("a"), identity: "x").found.offset, 5)
    // It was started anew, and only what was on the disk counts.
    let journal = try XCTUnwrap(bytes("a.apikit-part.journal"))
    let text = String(decoding: journal, as: UTF8.self)
    let boot = try XCTUnwrap(SystemBoot.identity)
    XCTAssertTrue(text.contains(boot))
    for other in [
      text.replacingOccurrences(of: boot, with: "another"), text.replacing("\"boot\"", with: "\"b\""),
    ] {
      try Data(other.utf8).write(to: folder.appendingPathComponent("a.apikit-part.journal"))
      XCTAssertEqual(try PartialFile(for: path("a"), identity: "x").found, machine.state)
    }
    XCTAssertEqual(try PartialFile(for: path("a"), identity: "y").found, DownloadState())
    // What cannot be continued leaves no journal of what was before.
    let file = try PartialFile(for: path("a"), identity: "x")
    try file.checkpoint(DownloadState(offset: 1))
    XCTAssertEqual(names, ["a.apikit-part"])
  }

  func testAPartialFileThatHasItsFinalNameTooIsNotWrittenAgain() throws {
    try Data("done".utf8).write(to: folder.appendingPathComponent("a"))
    try FileManager.default.linkItem(atPath: path("a"), toPath: path("a.apikit-part"))
    let file = try PartialFile(for: path("a"), identity: "x")
    try file.truncate(to: 0)
    XCTAssertEqual(bytes("a"), Array("done".utf8))
    XCTAssertEqual(bytes("a.apikit-part"), [])
  }

  func testALinkInThePlaceOfThePartialFileIsRefused() throws {
    try Data("mine".utf8).write(to: folder.appendingPathComponent("other"))
    try FileManager.default.createSymbolicLink(
      atPath: path("a.apikit-part"), withDestinationPath: path("other"))
    XCTAssertThrowsError(try PartialFile(for: path("a"), identity: "x")) {
      XCTAssertEqual(($0 as? APIError)?.reason, .fileFailed)
    }
    XCTAssertEqual(bytes("other"), Array("mine".utf8))
  }
}

extension PartialFile {
  fileprivate func write(bytes: [UInt8], at offset: Int64) throws(APIError) {
    try bytes.withUnsafeBufferPointer { (bytes) throws(APIError) in
      try write(UnsafeRawBufferPointer(bytes), at: offset)
    }
  }
}
