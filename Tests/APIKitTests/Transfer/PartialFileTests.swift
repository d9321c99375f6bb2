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
      try file.write([1, 2, 3], at: 0)
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      let before = limit
      let handler = signal(SIGXFSZ, SIG_IGN)
      limit.rlim_cur = 1 << 40
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      defer {
        var before = before
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &before)
        signal(SIGXFSZ, handler)
      }
      XCTAssertThrowsError(try file.write([4], at: 1 << 40)) { error in
        XCTAssertEqual((error as? APIError)?.reason, .storageFull)
        XCTAssertTrue("\(error)".contains("a.apikit-part"), "\(error)")
      }
      XCTAssertThrowsError(try file.checkRoom(for: .max)) {
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
      try file.write([1, 2, 3], at: 0)
      try file.checkpoint(machine.state)
      try file.write([9, 9], at: 3)
    }
    XCTAssertEqual(try PartialFile(for: path("a"), identity: "x").found, machine.state)
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
