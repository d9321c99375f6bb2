#if os(Linux)
  import DemoServer
  import Foundation
  import XCTest

  @testable import APIKit
  @testable import APIKitTransfers

  /// Transfers of the program that are interrupted: by the user, and by the end of the process at each system call that makes
  /// a checkpoint.
  final class TransferProcessTests: TransferProcessCase {
    private func download(_ count: Int, _ more: String...) -> [String] {
      [
        program, "download", "transfers/files/\(count)", path("file"), "--no-cache", "--base-url",
        server?.baseURL.string ?? "",
      ] + more
    }

    func testADownloadInAPipeSaysEachTenth() throws {
      let run = try run(download(3_000_000))
      XCTAssertEqual(run.status, 0, run.errors)
      XCTAssertEqual(bytes("file"), Self.content(3_000_000))
      XCTAssertEqual(run.output, "\(path("file")), 3,000,000 bytes\n")
      XCTAssertTrue(run.errors.hasSuffix("100 %, 3.0 MB\n"), run.errors)
      XCTAssertFalse(run.errors.contains("\u{1B}"))
    }

    func testAnInterruptedDownloadEndsWith130AndTheSameCommandGoesOn() throws {
      let content = Self.content(2_000_000)
      serveHalves(content, at: "/slow")
      let command = [
        program, "download", "slow", path("file"), "--no-cache", "--base-url", server?.baseURL.string ?? "",
      ]
      let (process, _, errors) = try start(command)
      try end(process, by: SIGINT, after: 1_000_000)
      XCTAssertEqual(process.terminationReason, .exit)
      XCTAssertEqual(process.terminationStatus, 130)
      let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      XCTAssertTrue(said.contains("interrupted"), said)
      let again = try run(command)
      XCTAssertEqual(again.status, 0, again.errors)
      XCTAssertTrue(again.output.contains("resumed at 1,000,000"), again.output)
      XCTAssertEqual(bytes("file"), content)
    }

    func testAnUploadOfEachKindArrives() throws {
      try Self.content(500_000).write(to: folder.appendingPathComponent("source"))
      for kind in ["plain", "form", "tus"] {
        let run = try run([
          program, "upload", path("source"), "--as", kind, "--no-cache", "--base-url",
          server?.baseURL.string ?? "",
        ])
        XCTAssertEqual(run.status, 0, run.errors)
        XCTAssertTrue(run.output.contains("bytes sent, status 20"), run.output)
      }
      let methods = server?.requests.map(\.method.rawValue)
      XCTAssertEqual(methods, ["PUT", "POST", "POST", "PATCH"])
      XCTAssertEqual(server?.requests.last?.body.count, 500_000)
    }

    func testOnATerminalOneBarSaysRateAndTimeLeft() throws {
      let canScript = try run(["script", "-qec", "true", "/dev/null"]).status == 0
      try XCTSkipUnless(canScript, "no script here, which makes a terminal")
      let content = Self.content(2_000_000)
      // Slow enough for a rate.
      serve(content, at: "/slow") { _, response in response.stall = .milliseconds(700) }
      let command =
        "'\(program)' download slow '\(path("file"))' --no-cache --base-url '\(server?.baseURL.string ?? "")'"
      let run = try run(["script", "-qec", command, "/dev/null"])
      XCTAssertEqual(run.status, 0, run.output)
      XCTAssertTrue(run.output.contains("\r\u{1B}[K["), "one line, over the one before")
      for part in ["[####", "100 %", "2.0 MB of 2.0 MB", "B/s", "s left"] {
        XCTAssertTrue(run.output.contains(part), "\(part): \(run.output)")
      }
    }

    // MARK: Full disks

    func testAFullDiskOrQuotaFailsByNameWithThePartialFileKept() throws {
      let canTrace = try run(["strace", "-f", "-e", "trace=fsync", "-o", "/dev/null", "true"]).status == 0
      try XCTSkipUnless(canTrace, "no strace here, or it may not trace")
      // Sixteen writes and more: strace counts the calls of each thread by itself, and some thread makes a third one.
      let content = Self.content(4_000_000)
      serve(content, at: "/file") { _, _ in }
      let command =
        [program, "download", "file", path("file"), "--overwrite", "--no-cache", "--base-url"]
        + [server?.baseURL.string ?? ""]
      for error in ["ENOSPC", "EDQUOT", "EFBIG"] {
        try? FileManager.default.removeItem(atPath: path("file"))
        let full = try run(
          [
            "strace", "-f", "-o", "/dev/null", "-e", "trace=pwrite64", "-e",
            "inject=pwrite64:error=\(error):when=3+",
          ] + command)
        XCTAssertEqual(full.status, 1, "\(error): \(full.errors)")
        XCTAssertTrue(full.errors.contains("file.apikit-part"), full.errors)
        let kept = try XCTUnwrap(bytes("file.apikit-part"), error)
        XCTAssertTrue(!kept.isEmpty && kept == content.prefix(kept.count), error)
        XCTAssertNil(bytes("file"))
        let again = try run(command)
        XCTAssertEqual(again.status, 0, again.errors)
        XCTAssertTrue(again.output.contains("resumed at"), "\(error): \(again.output)")
        XCTAssertTrue(bytes("file") == content, error)
      }
    }

    func testAFileSystemWithoutLinksIsWrittenTo() throws {
      let canTrace = try run(["strace", "-f", "-e", "trace=fsync", "-o", "/dev/null", "true"]).status == 0
      try XCTSkipUnless(canTrace, "no strace here, or it may not trace")
      let content = Self.content(300_000)
      serve(content, at: "/file") { _, _ in }
      // As of exFAT and FAT, on which a stick or a card mostly is.
      for error in ["EPERM", "EOPNOTSUPP"] {
        func download(_ words: String...) throws -> (status: Int32, output: String, errors: String) {
          try run(
            ["strace", "-f", "-o", "/dev/null", "-e", "trace=link", "-e", "inject=link:error=\(error)"]
              + [program, "download", "file"] + words
              + ["--no-cache", "--base-url", server?.baseURL.string ?? ""])
        }
        let done = try download(path(error))
        XCTAssertEqual(done.status, 0, done.errors)
        XCTAssertTrue(bytes(error) == content, error)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        XCTAssertEqual(names.filter { $0.hasPrefix(error) }, [error])
        let queued = try download(path("queued \(error)"), "--queue")
        XCTAssertEqual(queued.status, 0, queued.errors)
      }
    }

    // MARK: A loss of power

    func testTheNameOfAFileIsOnTheDiskToo() throws {
      let canTrace = try run(["strace", "-f", "-e", "trace=fsync", "-o", "/dev/null", "true"]).status == 0
      try XCTSkipUnless(canTrace, "no strace here, or it may not trace")
      let content = Self.content(1_000_000)
      serve(content, at: "/file") { _, _ in }
      let log = path("log")
      let done = try run(
        [
          "strace", "-f", "-y", "-o", log, "-e", "trace=rename,link,fsync,fdatasync", program, "download",
          "file", path("file"),
        ]
          + ["--no-cache", "--base-url", server?.baseURL.string ?? ""])
      XCTAssertEqual(done.status, 0, done.errors)
      let calls = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
      let renamed = try XCTUnwrap(calls.firstIndex { $0.contains(".journal.new") && $0.contains("rename(") })
      let next = calls[renamed...].dropFirst().first { $0.contains("(") } ?? ""
      XCTAssertTrue(
        next.contains("fsync(") && next.contains("<\(folder.path)>"), calls.joined(separator: "\n"))
    }

    // MARK: The end of the process

    /// The system calls of checkpoints and of the end: of the bytes, of the journal, of the names.
    private static let calls = ["ftruncate", "fdatasync", "fsync", "rename", "unlink", "link"]

    func testAProcessThatEndsAtAnySystemCallOfACheckpointLosesNothingThatIsCounted() throws {
      let canTrace = try run(["strace", "-f", "-e", "trace=fsync", "-o", "/dev/null", "true"]).status == 0
      try XCTSkipUnless(canTrace, "no strace here, or it may not trace")
      let content = Self.content(1_000_000)
      // Each response breaks off, and leaves a checkpoint.
      serve(content, at: "/breaking") { _, response in response.cutAfter = 400_000 }
      let command =
        [program, "download", "breaking", path("file"), "--overwrite", "--no-cache", "--base-url"]
        + [server?.baseURL.string ?? ""]
      var killed: [String] = []
      for call in Self.calls + ["overwriting"] {
        for number in 1...3 {
          let place = "\(call) \(number)"
          // The last name is given by `link` or, over a file that is there, by `rename`.
          let plain = call == "link" ? command.filter { $0 != "--overwrite" } : command
          if call != "overwriting" { try? FileManager.default.removeItem(atPath: path("file")) }
          let name = call == "overwriting" ? "rename" : call
          let nth = call == "overwriting" ? number + 3 : number
          // strace counts the calls of each thread by itself, and the third may never come.
          let first = try run(
            [
              "strace", "-f", "--seccomp-bpf", "-o", "/dev/null", "-e", "trace=\(name)", "-e",
              "inject=\(name):signal=SIGKILL:when=\(nth)",
            ] + plain)
          if first.status != 0 { killed.append(place) }
          try checkWhatIsLeft(content, place)
          let again = try run(command)
          XCTAssertEqual(again.status, 0, "\(place): \(again.errors)")
          XCTAssertTrue(bytes("file") == content, place)
          let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasPrefix("file.") }
          XCTAssertEqual(left, [], place)
        }
      }
      for call in Self.calls { XCTAssertTrue(killed.contains("\(call) 1"), "\(call) was not reached") }
    }

    /// What the journal counts is in the file, and what has the final name is whole.
    private func checkWhatIsLeft(_ content: Data, _ place: String) throws {
      if let done = bytes("file") { XCTAssertTrue(done == content, place) }
      guard bytes("file.apikit-part.journal") != nil else { return }
      let offset = try XCTUnwrap(PartialFile.progress(inJournal: path("file.apikit-part.journal"))).received
      let part = bytes("file.apikit-part") ?? bytes("file") ?? Data()
      XCTAssertLessThanOrEqual(offset, Int64(part.count), place)
      XCTAssertTrue(part.prefix(Int(offset)) == content.prefix(Int(offset)), place)
    }
  }
#endif
