import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitTransfers

/// Places in which a file cannot be, and a disk that takes no journal.
@MainActor final class DownloadPlaceTests: DownloadCase {
  func testAFolderInThePlaceOfTheFileIsToldBeforeTheDownload() async throws {
    let server = try fileServer(content)
    defer { server.stop() }
    try FileManager.default.createDirectory(atPath: path("a/b"), withIntermediateDirectories: true)
    XCTAssertEqual(mkfifo(path("pipe"), 0o600), 0)
    let manager = try manager(server)
    for place in ["a", "a/", "a/b", "pipe"] {
      let error = await failure {
        try await manager.file(to: .file(self.folder.path + "/" + place, overwrites: true))
      }
      XCTAssertEqual(error?.label, "takeoff.file-failed", place)
      let words = place == "pipe" ? "is no plain file" : "is a folder"
      XCTAssertTrue(error?.detail.contains(words) == true, error?.detail ?? "")
    }
    XCTAssertEqual(server.requests.count, 0)
    XCTAssertEqual(names, ["a", "pipe"])
  }

  #if os(Linux)
    func testARestThatCannotBeBegunGivesItsRoomBack() async throws {
      let content = [UInt8](repeating: 7, count: 8 << 20)
      let (broken, whole) = (try fileServer(content, breaksAfter: 100_000), try fileServer(content))
      defer {
        broken.stop()
        whole.stop()
      }
      /// Asks for the same URL, at the server or at another port.
      func manager(_ port: Int) throws -> FileManagerOfTests {
        var service = TestService(
          HTTPClient(transport: OtherPort(port)), ServiceEnvironments(try whole.url("/api")))
        service.retryPolicy = RetryPolicy(attempts: 1)
        return FileManagerOfTests(service)
      }
      let cut = await failure { try await manager(broken.port).file(to: .file(self.path("a"))) }
      XCTAssertEqual(cut?.reason, .truncatedBody)
      // No draft of the journal can be made.
      try FileManager.default.createDirectory(
        atPath: path("a.apikit-part.journal.new/x"), withIntermediateDirectories: true)
      let error = await failure { try await manager(whole.port).file(to: .file(self.path("a"))) }
      XCTAssertEqual(error?.reason, .fileFailed)
      var status = stat()
      XCTAssertEqual(stat(path("a.apikit-part"), &status), 0)
      XCTAssertEqual(status.st_size, 100_000, "what was received stays")
      XCTAssertLessThan(Int(status.st_blocks) * 512, 1 << 20)
      try FileManager.default.removeItem(atPath: path("a.apikit-part.journal.new"))
      _ = try await manager(whole.port).file(to: .file(path("a")))
      XCTAssertTrue(bytes("a") == content)
      XCTAssertEqual(whole.requests.last?.headers["Range"], "bytes=100000-")
    }
  #endif

  func testAFileMayHaveTheLongestName() async throws {
    let (broken, whole) = (try fileServer(content, breaksAfter: 100_000), try fileServer(content))
    defer {
      broken.stop()
      whole.stop()
    }
    for count in [228, 231, 232, 243, 244, 255] {
      let name = String(repeating: "é", count: count / 2) + String(repeating: "n", count: count % 2)
      let target = DownloadTarget.file(folder.path + "/" + name)
      let cut = await failure { try await self.manager(broken).file(to: target) }
      XCTAssertEqual(cut?.reason, .truncatedBody, "\(count): \(cut?.detail ?? "")")
      let file = try await manager(whole).file(to: target)
      XCTAssertTrue(bytes(name) == content)
      XCTAssertEqual(file.path, folder.path + "/" + name)
      XCTAssertEqual(names, [name])
      let again = await failure { try await self.manager(whole).file(to: target) }
      XCTAssertEqual(again?.label, "takeoff.file-failed", "it is there")
      try FileManager.default.removeItem(atPath: path(name))
    }
  }
}
