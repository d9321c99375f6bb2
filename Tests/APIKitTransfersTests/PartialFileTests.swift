import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitTransfers

/// The partial file of a download with its journal: what is counted, what is refused, full disks.
final class PartialFileTests: XCTestCase {
  private lazy var folder = temporaryFolder()

  private var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
  }
  private func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
  private func bytes(_ name: String) -> [UInt8]? {
    FileManager.default.contents(atPath: path(name)).map(Array.init)
  }

  #if os(Linux)
    func testAFileIsFreeForTheNextDownloadAsSoonAsOneHasEnded() throws {
      let place = path("file")
      let first = try PartialFile(for: place, identity: "one")
      XCTAssertThrowsError(try PartialFile(for: place, identity: "one")) { error in
        XCTAssertEqual((error as? APIError)?.reason, .alreadyLoading)
      }
      // What has ended may hold the object a moment longer.
      first.release()
      let second = try PartialFile(for: place, identity: "one")
      second.discard()
      withExtendedLifetime(first) {}
    }

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

  private let state = DownloadState(offset: 3, etag: "\"a\"")
  private var journal: TransferJournal<PartialFile.Journal> {
    TransferJournal(path("a.apikit-part.journal"), .downloadJournal)
  }

  func testAJournalThatIsTooLargeToBeReadAgainIsRefusedWhenItIsWritten() throws {
    let content = PartialFile.Journal(identity: "x", state: state)
    try journal.write(content)
    let large = PartialFile.Journal(identity: String(repeating: "x", count: 1 << 20), state: state)
    XCTAssertThrowsError(try journal.write(large)) { error in
      XCTAssertTrue("\(error)".contains("cannot be written"), "\(error)")
    }
    XCTAssertEqual(try journal.read()?.identity, "x")
  }

  /// Leaves three bytes that a checkpoint has, and so many more.
  private func leave(more count: Int = 0) throws {
    let file = try PartialFile(for: path("a"), identity: "x")
    try file.write(bytes: [1, 2, 3], at: 0)
    try file.checkpoint(state)
    if count > 0 { try file.write(bytes: [UInt8](repeating: 9, count: count), at: 3) }
  }

  func testAJournalIsOfTheBytesOnTheDisk() throws {
    try leave(more: 2)
    // The process has ended, and the machine runs on: what was written is there.
    XCTAssertEqual(try PartialFile(for: path("a"), identity: "x").found.offset, 5)
    // It was started anew, and only what was on the disk counts.
    XCTAssertEqual(try journal.read()?.boot, SystemBoot.identity)
    for other in ["another", nil] {
      try journal.write(PartialFile.Journal(identity: "x", state: state, boot: other))
      XCTAssertEqual(try PartialFile(for: path("a"), identity: "x").found, state)
    }
    XCTAssertEqual(try PartialFile(for: path("a"), identity: "y").found, DownloadState())
    // What cannot be continued leaves no journal of what was before.
    let file = try PartialFile(for: path("a"), identity: "x")
    try file.checkpoint(DownloadState(offset: 1))
    XCTAssertEqual(names, ["a.apikit-part"])
  }

  func testAJournalWithAChangedBitCountsNothing() throws {
    try leave()
    let bytes = try XCTUnwrap(bytes("a.apikit-part.journal"))
    for bit in 0..<bytes.count * 8 {
      var changed = bytes
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      try PrivateFile.replace(journal.path, with: changed)
      XCTAssertEqual(try PartialFile(for: path("a"), identity: "x").found, DownloadState(), "bit \(bit)")
      XCTAssertNil(PartialFile.progress(inJournal: journal.path), "bit \(bit)")
    }
  }

  func testAJournalWithoutAChecksumIsReadAndGetsOne() throws {
    try leave()
    let json = try JSONEncoder().encode(PartialFile.Journal(identity: "x", state: state, boot: nil))
    try PrivateFile.replace(journal.path, with: json)
    let file = try PartialFile(for: path("a"), identity: "x")
    XCTAssertEqual(file.found, state)
    XCTAssertEqual(PartialFile.progress(inJournal: journal.path)?.received, 3)
    try file.checkpoint(file.found)
    XCTAssertEqual(bytes("a.apikit-part.journal")?.prefix(6), Array("APIK".utf8)[...] + [9, 2])
    XCTAssertEqual(try journal.read()?.state, state)
  }

  func testADraftThatAKillHasLeftIsRemoved() throws {
    try leave()
    try PrivateFile.replace(journal.draftPath, with: [1])
    _ = try PartialFile(for: path("a"), identity: "x")
    XCTAssertEqual(names, ["a.apikit-part", "a.apikit-part.journal"])
    for name in [
      "a.apikit-part.journal.new", "b.apikit-part.journal.new", "c.apikit-part.journal", "d.journal.new",
    ] {
      try PrivateFile.replace(path(name), with: [1])
    }
    XCTAssertEqual(PartialFile.sweep(folder.path, olderThan: .seconds(60)), 0, "they are new")
    XCTAssertEqual(names.count, 6)
    do {
      let file = try PartialFile(for: path("a"), identity: "x")
      XCTAssertEqual(PartialFile.sweep(folder.path, olderThan: .seconds(-1)), 0)
      XCTAssertEqual(
        names, ["a.apikit-part", "a.apikit-part.journal", "d.journal.new"], "it is being written")
      withExtendedLifetime(file) {}
    }
    XCTAssertEqual(PartialFile.sweep(folder.path, olderThan: .seconds(-1)), 1)
    XCTAssertEqual(names, ["d.journal.new"])
  }

  #if os(Linux)
    func testAFullDiskAtAJournalIsNamed() throws {
      let file = try PartialFile(for: path("a"), identity: "x")
      let upload = try UploadJournal(path("u.upload"))
      // For these two calls alone, since the limit is that of the process.
      let limit = FileSizeLimit(8)
      let errors = [
        failure { () throws(APIError) in try file.checkpoint(state) },
        failure { () throws(APIError) in try upload.write(UploadState(location: "https://a.test/1")) },
      ]
      limit.remove()
      for error in errors {
        XCTAssertEqual(error?.reason, .storageFull)
        XCTAssertTrue(error?.detail.contains("the journal") == true, error?.detail ?? "")
      }
      XCTAssertEqual(names, ["a.apikit-part", "u.upload.lock"], "no draft is left")
    }

    func testAFullDiskAtTheBodyOfAnItemIsNamed() async throws {
      let queue = DurableQueue(folder: path("queue"))
      _ = try await queue.totals()
      let limit = FileSizeLimit(1000)
      defer { limit.remove() }
      do throws(APIError) {
        _ = try await queue.spool(.bytes([UInt8](repeating: 1, count: 100_000)))
        XCTFail("it was kept")
      } catch {
        XCTAssertEqual(error.reason, .storageFull)
        XCTAssertTrue(error.detail.contains("File too large"), error.detail)
      }
      XCTAssertEqual(PrivateFile.names(in: path("queue/spool")), [])
    }

    private func failure(_ work: () throws(APIError) -> Void) -> APIError? {
      do throws(APIError) { try work() } catch { return error }
      return nil
    }
  #endif

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
