import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitTransfers

/// Downloads against a server on loopback: what is asked, what is on the disk, what the delegate hears.
@MainActor final class DownloadManagerTests: DownloadCase {
  // MARK: Whole files

  func testADownloadThatHasEndedLeavesNothingInMemory() async throws {
    final class Witness: Sendable {}
    let server = try ScriptedServer(.readRequest, .text("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n123"))
    defer { server.stop() }
    weak var witness: Witness?
    do {
      let held = Witness()
      witness = held
      var service = TestService(
        HTTPClient(transport: DefaultTransport.shared), ServiceEnvironments(try server.url("/api")))
      service.authenticator = Authenticator { _ in
        withExtendedLifetime(held) { Credential(accessToken: "t") }
      }
      _ = try await FileManagerOfTests(service).file(to: .file(path("a")))
    }
    await waitUntil { witness == nil }
  }

  func testAFileIsAtItsPlaceAndNothingElseIsLeft() async throws {
    let server = try fileServer(content)
    defer { server.stop() }
    let manager = try manager(server)
    let delegate = DownloadDelegate()
    manager.delegate = delegate
    manager.apiName = "files/{id}"
    let file = try await manager.file(["id": 7], to: .file(path("a.bin")))
    XCTAssertEqual(file, DownloadedFile(path: path("a.bin"), count: 1_000_000, sha256: nil))
    XCTAssertTrue(bytes("a.bin") == content)
    XCTAssertEqual(names, ["a.bin"])
    XCTAssertEqual(server.requests.map(\.target), ["/api/files/7"])
    XCTAssertEqual(server.requests[0].headers["Accept-Encoding"], "identity")
    XCTAssertNil(server.requests[0].headers["Range"])
    XCTAssertEqual(delegate.story.first, "began 0 of 1000000")
    XCTAssertEqual(delegate.story.suffix(2), ["1000000 of 1000000", "finished a.bin"])
    XCTAssertFalse(manager.isDownloading)
  }

  func testAnEmptyFileIsAFile() async throws {
    let server = try fileServer([])
    defer { server.stop() }
    let file = try await manager(server).file(to: .file(path("a")))
    XCTAssertEqual(file.count, 0)
    XCTAssertEqual(bytes("a"), [])
  }

  func testEveryErrorSaysWhichAPIItIsOf() async throws {
    let server = try ScriptedServer(
      .readRequest, .text("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"), .close)
    defer { server.stop() }
    let manager = try manager(server)
    manager.apiName = "files/{id}"
    let cut = await failure { try await manager.file(["id": 7], to: .file(self.path("a"))) }
    XCTAssertEqual(cut?.reason, .truncatedBody)
    let digest = await failure { try await manager.file(["id": 7], to: .file(self.path("a")), sha256: "zz") }
    XCTAssertEqual(digest?.reason, .invalidParameters)
    try Data([1]).write(to: URL(fileURLWithPath: path("b")))
    let there = await failure { try await manager.file(["id": 7], to: .file(self.path("b"))) }
    XCTAssertEqual(there?.reason, .fileFailed)
    for error in [cut, digest, there] {
      let begin = "GET files/{id} (\(manager.service.name)) failed in"
      XCTAssertTrue(error?.description.hasPrefix(begin) == true, "\(error as Any)")
    }
  }

  func testAFileThatIsThereStaysUnlessItIsToBeOverwritten() async throws {
    let server = try fileServer(content)
    defer { server.stop() }
    try Data("mine".utf8).write(to: folder.appendingPathComponent("a"))
    let manager = try manager(server)
    let error = await failure { try await manager.file(to: .file(self.path("a"))) }
    XCTAssertEqual(error?.label, "takeoff.file-failed")
    XCTAssertEqual(
      error?.detail,
      "\(path("a").debugDescription) exists already; state `overwrites: true` in the target to replace it")
    XCTAssertEqual(bytes("a"), Array("mine".utf8))
    XCTAssertEqual(server.requests.count, 0)
    // A link is replaced, and not what it leads to.
    try FileManager.default.moveItem(atPath: path("a"), toPath: path("other"))
    try FileManager.default.createSymbolicLink(atPath: path("a"), withDestinationPath: path("other"))
    _ = try await manager.file(to: .file(path("a"), overwrites: true))
    XCTAssertTrue(bytes("a") == content)
    XCTAssertEqual(bytes("other"), Array("mine".utf8))
  }

  func testAFolderGetsTheNameThatTheServerGivesMadeSafe() async throws {
    let server = try fileServer(
      [1, 2], fields: "Content-Disposition: attachment; filename=\"../../.evil\u{202E}.txt\"\r\n")
    defer { server.stop() }
    let manager = try manager(server)
    for expected in ["evil.txt", "evil (2).txt", "evil (3).txt"] {
      let file = try await manager.file(to: .folder(folder.path))
      XCTAssertEqual(file.path, path(expected))
    }
    let file = try await manager.file(to: .folder(folder.path, overwrites: true))
    XCTAssertEqual(file.path, path("evil.txt"))
    XCTAssertEqual(names, ["evil (2).txt", "evil (3).txt", "evil.txt"])
    let plain = try fileServer([1])
    defer { plain.stop() }
    let other = try self.manager(plain)
    other.apiName = "files/{id}"
    let named = try await other.file(["id": "b c.bin"], to: .folder(folder.path))
    XCTAssertEqual(named.path, path("b c.bin"))
    let stub = StubTransport()
    stub.on("/api/files", .redirect(to: "/cdn/final.pdf"))
    stub.on("/cdn/final.pdf", .json("{}"))
    other.apiName = "files"
    other.service.client = HTTPClient(transport: stub)
    let moved = try await other.file(to: .folder(folder.path))
    XCTAssertEqual(moved.path, path("final.pdf"), "the name is that of the URL behind redirects")
  }

  func testAServerNamesNoPartialFileOfAnotherDownload() async throws {
    let hostile = try fileServer(
      [6, 6, 6], fields: "Content-Disposition: attachment; filename=\"plan.pdf.apikit-part\"\r\n")
    defer { hostile.stop() }
    let first = try await manager(hostile).file(to: .folder(folder.path))
    let server = try fileServer(content)
    defer { server.stop() }
    _ = try await manager(server).file(to: .file(path("plan (2).pdf")))
    _ = BaseDownloadManager.sweep(folder: folder.path, olderThan: .zero)
    XCTAssertEqual(FileManager.default.contents(atPath: first.path).map(Array.init), [6, 6, 6])
    XCTAssertEqual(names, ["plan (2).pdf", "plan.pdf"])
  }

  // MARK: Parts

  func testABrokenTransferGoesOnWhereItBrokeOff() async throws {
    let server = try fileServer(content, breaksAfter: 300_000)
    defer { server.stop() }
    let delegate = DownloadDelegate()
    let manager = try manager(server, attempts: 2)
    manager.delegate = delegate
    let file = try await manager.file(to: .file(path("a")))
    XCTAssertEqual(file.count, 1_000_000)
    XCTAssertTrue(bytes("a") == content)
    XCTAssertEqual(
      server.requests.map { $0.headers["Range"] }, [nil, "bytes=300000-", "bytes=600000-", "bytes=900000-"])
    XCTAssertEqual(
      delegate.story.filter { $0.hasPrefix("began") },
      [0, 300_000, 600_000, 900_000].map { "began \($0) of 1000000" })
  }

  func testAnotherManagerGoesOnWithWhatOneHasLeft() async throws {
    let server = try fileServer(content, breaksAfter: 300_000)
    defer { server.stop() }
    for offset in [300_000, 600_000, 900_000] {
      // Nothing is tried again: each leaves a checkpoint.
      let manager = try manager(server)
      let error = await failure { try await manager.file(to: .file(self.path("a"))) }
      XCTAssertEqual(error?.reason, .truncatedBody)
      XCTAssertEqual(error?.context.manager, "FileManagerOfTests")
      XCTAssertEqual(names, ["a.apikit-part", "a.apikit-part.journal"])
      XCTAssertEqual(bytes("a.apikit-part")?.count, offset)
    }
    _ = try await manager(server).file(to: .file(path("a")))
    XCTAssertTrue(bytes("a") == content)
    XCTAssertEqual(server.requests.last?.headers["Range"], "bytes=900000-")
    XCTAssertEqual(names, ["a"])
  }

  func testAFileThatHasChangedIsTakenFromItsStart() async throws {
    let versions = Counter()
    let server = try fileServer(content, etag: { "\"\(versions.value)\"" }, breaksAfter: 300_000)
    defer { server.stop() }
    let manager = try manager(server)
    _ = await failure { try await manager.file(to: .file(self.path("a"))) }
    versions.increment()
    // The server responds 200 to the condition that no longer holds.
    _ = await failure { try await manager.file(to: .file(self.path("a"))) }
    XCTAssertEqual(server.requests.last?.headers["If-Range"], "\"0\"")
    XCTAssertEqual(bytes("a.apikit-part")?.count, 300_000)
    _ = await failure { try await manager.file(to: .file(self.path("a"))) }
    XCTAssertEqual(server.requests.last?.headers["If-Range"], "\"1\"")
  }

  func testTheJournalOfAnotherFileOrMoreBytesThanThereAreCountNothing() async throws {
    let server = try fileServer(content, breaksAfter: 300_000)
    defer { server.stop() }
    let manager = try manager(server)
    _ = await failure { try await manager.file(["id": 1], to: .file(self.path("a"))) }
    _ = await failure { try await manager.file(["id": 2], to: .file(self.path("a"))) }
    XCTAssertNil(server.requests.last?.headers["Range"], "another file")
    truncate(path("a.apikit-part"), 299_999)
    _ = await failure { try await manager.file(["id": 2], to: .file(self.path("a"))) }
    XCTAssertNil(server.requests.last?.headers["Range"], "bytes are missing")
    try Data("{".utf8).write(to: folder.appendingPathComponent("a.apikit-part.journal"))
    _ = await failure { try await manager.file(["id": 2], to: .file(self.path("a"))) }
    XCTAssertNil(server.requests.last?.headers["Range"], "the journal is damaged")
  }

  func testADamagedETagInAJournalWithoutAChecksumStartsTheDownloadOver() async throws {
    for (etag, isAsked) in [("\"a\"", true), ("\"a\n\"", false), ("\"\u{1}\"", false), ("a\"", false)] {
      let broken = try fileServer(content, breaksAfter: 300_000)
      let server = try fileServer(content)
      defer { server.stop() }
      let manager = try manager(broken)
      _ = await failure { try await manager.file(to: .file(self.path("a"), overwrites: true)) }
      broken.stop()
      let journal = TransferJournal<PartialFile.Journal>(path("a.apikit-part.journal"), .downloadJournal)
      var kept = try XCTUnwrap(try journal.read())
      kept.state.etag = etag
      let other = try self.manager(server)
      kept.identity = try other.identity([:], TransferTerms())
      try PrivateFile.replace(journal.path, with: JSONEncoder().encode(kept))
      let file = try await other.file(to: .file(path("a"), overwrites: true))
      XCTAssertEqual(file.count, Int64(content.count))
      XCTAssertTrue(bytes("a") == content)
      XCTAssertEqual(server.requests.map { $0.headers["Range"] }, [isAsked ? "bytes=300000-" : nil])
    }
  }

  func testADigestOfTheWrongShapeIsRefusedBeforeTheDownload() async throws {
    let server = try fileServer(content)
    defer { server.stop() }
    let manager = try manager(server)
    let digit = String(repeating: "a", count: 63)
    for digest in [
      "", "ab", digit, digit + "g", digit + "aa", digit + "ä", digit + digit + "aa", digit + " ",
    ] {
      XCTAssertEqual(
        manager.download(to: .file(path("a")), sha256: digest).refusal?.reason, .invalidParameters, digest)
      let error = await failure { try await manager.file(to: .file(self.path("a")), sha256: digest) }
      XCTAssertEqual(error?.reason, .invalidParameters, digest)
    }
    XCTAssertEqual(server.requests.count, 0)
    XCTAssertEqual(names, [])
    XCTAssertFalse(manager.isDownloading)
    let sum = Hex.encode(Crypto.sha256(content)).uppercased()
    _ = try await manager.file(to: .file(path("a")), sha256: sum)
  }

  func testTheBodyOfAnErrorNeverTouchesTheFile() async throws {
    let server = try fileServer(content, breaksAfter: 300_000)
    defer { server.stop() }
    _ = await failure { try await self.manager(server).file(to: .file(self.path("a"))) }
    let before = bytes("a.apikit-part")
    for (status, isKept) in [(503, true), (404, true), (403, true), (410, false)] {
      let failing = try ScriptedServer(
        .readRequest, .text("HTTP/1.1 \(status) No\r\nContent-Length: 6\r\n\r\nsorry!"), .close)
      defer { failing.stop() }
      // The journal is that of the service's address.
      let manager = FileManagerOfTests(
        TestService(
          HTTPClient(transport: OtherPort(failing.port)), ServiceEnvironments(try server.url("/api"))))
      let error = await failure { try await manager.file(to: .file(self.path("a"))) }
      XCTAssertEqual(error?.reason, .unacceptableStatus)
      XCTAssertEqual(error?.context.status, status)
      XCTAssertEqual(failing.requests.last?.headers["Range"], "bytes=300000-")
      XCTAssertEqual(bytes("a.apikit-part"), isKept ? before : nil, "\(status)")
    }
  }

  func testAPartThatLiesIsFetchedAnewOnce() async throws {
    let content = content
    let count = Counter()
    let server = try ScriptedServer.serving { request in
      // Breaks off first; then sends a part from another place; then the file.
      switch count.next() {
      case 0:
        return Array("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\nETag: \"a\"\r\n\r\n".utf8)
          + content[..<300_000]
      case 1:
        return Array(
          "HTTP/1.1 206 OK\r\nContent-Length: 4\r\nETag: \"a\"\r\nContent-Range: bytes 0-3/1000000\r\n\r\n"
            .utf8)
          + content[..<4]
      default:
        return Array("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\nETag: \"a\"\r\n\r\n".utf8) + content
      }
    }
    defer { server.stop() }
    let manager = try manager(server)
    manager.idle = .milliseconds(300)
    _ = await failure { try await manager.file(to: .file(self.path("a"))) }
    _ = try await manager.file(to: .file(path("a")))
    XCTAssertEqual(server.requests.map { $0.headers["Range"] }, [nil, "bytes=300000-", nil])
    XCTAssertTrue(bytes("a") == content)
  }

  // MARK: Digests

  func testADigestThatDiffersLeavesTheDestinationAsItWas() async throws {
    let right = Hex.encode(Crypto.sha256(content))
    let server = try fileServer(
      content, fields: "Repr-Digest: sha-256=:\(Base64.encode(Crypto.sha256([1]))):\r\n")
    defer { server.stop() }
    try Data("mine".utf8).write(to: folder.appendingPathComponent("a"))
    let manager = try manager(server)
    let error = await failure { try await manager.file(to: .file(self.path("a"), overwrites: true)) }
    XCTAssertEqual(error?.reason, .digestMismatch)
    XCTAssertTrue(error?.detail.contains(right) == true)
    XCTAssertEqual(bytes("a"), Array("mine".utf8))
    XCTAssertEqual(names, ["a"])
    // The caller's goes before the server's.
    let file = try await manager.file(to: .file(path("a"), overwrites: true), sha256: right.uppercased())
    XCTAssertEqual(file.sha256, right)
    XCTAssertTrue(bytes("a") == content)
  }

  // MARK: Pausing

  /// Sends 300,000 of the bytes and then waits.
  private func stalling() throws -> ScriptedServer {
    let head = Array("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\nETag: \"a\"\r\n\r\n".utf8)
    return try ScriptedServer(.readRequest, .write(head + content[..<300_000]), .waitForClose)
  }

  func testAPauseLeavesACheckpointAndACancelNothing() async throws {
    for isPause in [true, false] {
      let server = try stalling()
      defer { server.stop() }
      let manager = try manager(server)
      let delegate = DownloadDelegate()
      manager.delegate = delegate
      XCTAssertNil(manager.download(to: .file(path("a"))).refusal)
      XCTAssertTrue(manager.isDownloading)
      XCTAssertEqual(manager.download(to: .file(path("b"))).refusal?.reason, .alreadyLoading)
      await waitUntil { self.bytes("a.apikit-part")?.count == 300_000 }
      if isPause { manager.pause() } else { manager.cancel() }
      await waitUntil { !manager.isDownloading }
      XCTAssertEqual(delegate.story.last, isPause ? "paused at 300000 of 1000000" : "cancelled by-caller")
      XCTAssertEqual(names, isPause ? ["a.apikit-part", "a.apikit-part.journal"] : [])
      XCTAssertTrue(server.waitUntilIdle(), "the connection is closed")
    }
  }

  func testReleasingTheManagerPausesItsDownload() async throws {
    let server = try stalling()
    defer { server.stop() }
    var manager: FileManagerOfTests? = try manager(server)
    manager?.download(to: .file(path("a")))
    await waitUntil { self.bytes("a.apikit-part")?.count == 300_000 }
    manager = nil
    XCTAssertTrue(server.waitUntilIdle())
    await waitUntil { (try? PartialFile(for: self.path("a"), identity: "")) != nil }
    XCTAssertEqual(bytes("a.apikit-part")?.count, 300_000)
  }

  func testAPartialFileHasOneWriter() async throws {
    let server = try stalling()
    defer { server.stop() }
    let (one, two) = (try manager(server), try manager(server))
    one.download(to: .file(path("a")))
    await waitUntil { self.bytes("a.apikit-part")?.count == 300_000 }
    let error = await failure { try await two.file(to: .file(self.path("a"))) }
    XCTAssertEqual(error?.reason, .alreadyLoading)
    XCTAssertEqual(server.requests.count, 1)
    XCTAssertEqual(
      BaseDownloadManager.sweep(folder: folder.path, olderThan: .seconds(-1)), 0, "it is being written")
    one.pause()
    await waitUntil { !one.isDownloading }
    XCTAssertEqual(BaseDownloadManager.sweep(folder: folder.path, olderThan: .seconds(60)), 0, "it is new")
    XCTAssertEqual(BaseDownloadManager.sweep(folder: folder.path, olderThan: .seconds(-1)), 1)
    XCTAssertEqual(names, [])
  }
}
