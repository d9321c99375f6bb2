#if os(Linux)
  import DemoServer
  import Foundation
  import XCTest

  @testable import APIKit
  @testable import APIKitTransfers

  /// The end of the process of a queue between the name of a file and the commit of the queue.
  final class QueueKillTests: TransferProcessCase {
    private func queue(_ words: String...) throws -> (status: Int32, output: String, errors: String) {
      try run(
        [program] + words + ["--queue", "--no-cache", "--base-url", server?.baseURL.string ?? ""])
    }

    /// Downloads a file in a process that is killed as it removes another file.
    ///
    /// - Returns: The content of the download.
    private func downloadKilled(removing name: String) throws -> Data {
      let canTrace = try run(["strace", "-f", "-e", "trace=fsync", "-o", "/dev/null", "true"]).status == 0
      try XCTSkipUnless(canTrace, "no strace here, or it may not trace")
      let content = Self.content(300_000)
      serve(content, at: "/file") { _, _ in }
      XCTAssertEqual(try queue("download", "file", path("file")).status, 0)
      let killed = try run([
        "strace", "-f", "-o", "/dev/null", "-P", path(name), "-e", "trace=unlink", "-e",
        "inject=unlink:signal=SIGKILL:when=1", program, "transfers", "run",
      ])
      XCTAssertNotEqual(killed.status, 0)
      XCTAssertTrue(bytes("file") == content)
      return content
    }

    func testADownloadThatHasItsNameHasEndedThoughTheProcessEndsBeforeTheQueueKnows() throws {
      // It has both names.
      let content = try downloadKilled(removing: "file.apikit-part")
      let count = server?.requests.count
      let again = try run([program, "transfers", "run"])
      XCTAssertEqual(again.status, 0, again.errors)
      XCTAssertTrue(again.output.contains("no transfers wait"), again.output)
      XCTAssertTrue(bytes("file") == content)
      XCTAssertEqual(server?.requests.count, count, "nothing is asked again")
      let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        .filter { $0.hasPrefix("file.") }
      XCTAssertEqual(left, [])
    }

    func testADownloadThatHasEndedLeavesNothingThoughTheProcessEndsWhileItIsForgotten() throws {
      _ = try downloadKilled(removing: "file.apikit-part.journal")
      var left = ["file.apikit-part.journal"]
      // The program may end before it has looked through what has ended.
      for _ in 0..<20 where !left.isEmpty {
        let again = try run([program, "transfers", "run"])
        XCTAssertEqual(again.status, 0, again.errors)
        left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
          .filter { $0.hasPrefix("file.") }
      }
      XCTAssertEqual(left, [])
    }
  }
#endif
