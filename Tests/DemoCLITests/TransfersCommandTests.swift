#if os(Linux)
  import DemoServer
  import Foundation
  import XCTest

  @testable import APIKit

  /// The queue of transfers of the program: what one process keeps, another carries out.
  final class TransfersCommandTests: TransferProcessCase {
    private var url: String { server?.baseURL.string ?? "" }

    private func command(_ words: String...) -> [String] { [program] + words + ["--no-cache"] }

    func testWhatOneProcessEnqueuesAnotherListsAndCarriesOut() throws {
      let empty = try run(command("transfers"))
      XCTAssertEqual(empty.output, "no transfers wait\n", empty.errors)
      for option in ["--retry", "--drop"] {
        let unknown = try run(command("transfers", option, "7"))
        XCTAssertEqual(unknown.status, 2)
        XCTAssertTrue(unknown.errors.hasPrefix("DemoCLI: there is no transfer 7"), unknown.errors)
      }
      try Self.content(500_000).write(to: folder.appendingPathComponent("source"))
      var kept = try run(
        command("download", "transfers/files/3000000", path("file"), "--queue", "--base-url", url))
      XCTAssertEqual(kept.output, "kept as transfer 1; DemoCLI transfers run carries it out\n", kept.errors)
      for kind in ["plain", "form", "tus"] {
        kept = try run(command("upload", path("source"), "--as", kind, "--queue", "--base-url", url))
        XCTAssertEqual(kept.status, 0, kept.errors)
      }
      XCTAssertEqual(server?.requests.count, 0, "nothing was sent")
      let list = try run(command("transfers"))
      // Long paths begin a line of their own.
      let words = list.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      XCTAssertTrue(words.contains("download transfers/files/3000000 to \(path("file"))"), list.output)
      XCTAssertTrue(words.contains("upload \(path("source")) to transfers/tus"), list.output)
      let run = try run(command("transfers", "run"))
      XCTAssertEqual(run.status, 0, run.errors)
      XCTAssertTrue(run.output.contains("1: \(path("file")), 3,000,000 bytes\n"), run.output)
      XCTAssertTrue(run.output.hasSuffix("no transfers wait\n"), run.output)
      XCTAssertTrue(run.errors.contains("100 %, 4."), run.errors)
      XCTAssertFalse(run.errors.contains("\u{1B}"))
      XCTAssertEqual(bytes("file"), Self.content(3_000_000))
      let methods = Set(server?.requests.map(\.method.rawValue) ?? [])
      XCTAssertEqual(methods, ["GET", "PUT", "POST", "PATCH"])
    }

    func testAnInterruptedRunEndsWith130AndTheSameCommandGoesOn() throws {
      let content = Self.content(2_000_000)
      serveHalves(content, at: "/slow")
      _ = try run(command("download", "slow", path("file"), "--queue", "--base-url", url))
      let (process, _, errors) = try start(command("transfers", "run"))
      try end(process, by: SIGINT, after: 1_000_000)
      XCTAssertEqual(process.terminationReason, .exit)
      XCTAssertEqual(process.terminationStatus, 130)
      let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      XCTAssertTrue(said.contains("interrupted"), said)
      let list = try run(command("transfers", "--json"))
      XCTAssertTrue(list.output.contains("1000000"), list.output)
      XCTAssertTrue(list.output.contains("waits"), list.output)
      let again = try run(command("transfers", "run"))
      XCTAssertEqual(again.status, 0, again.errors)
      XCTAssertEqual(bytes("file"), content)
      XCTAssertEqual(server?.requests.last?.headers["Range"], "bytes=1000000-")
    }

    func testARunThatIsKilledIsGoneOnWithByTheNext() throws {
      let content = Self.content(2_000_000)
      serveHalves(content, at: "/slow")
      _ = try run(command("download", "slow", path("file"), "--queue", "--base-url", url))
      let (process, _, _) = try start(command("transfers", "run"))
      try end(process, by: SIGKILL, after: 1_000_000)
      let again = try run(command("transfers", "run"))
      XCTAssertEqual(again.status, 0, again.errors)
      XCTAssertEqual(bytes("file"), content)
    }

    func testTwoProcessesShareOneQueueAndNeverCarryOutTheSame() throws {
      for number in 1...12 {
        let kept = try run(
          command(
            "download", "transfers/files/\(1000 + number)", path("f\(number)"), "--queue", "--base-url", url))
        XCTAssertEqual(kept.status, 0, kept.errors)
      }
      let both = try (0..<2).map { _ in try start(command("transfers", "run")) }
      for (process, output, errors) in both {
        _ = output.fileHandleForReading.readDataToEndOfFile()
        let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        XCTAssertEqual(process.terminationStatus, 0, said)
      }
      let list = try run(command("transfers"))
      XCTAssertEqual(list.output, "no transfers wait\n")
      XCTAssertEqual(server?.requests.map(\.path).sorted(), (1...12).map { "/transfers/files/\(1000 + $0)" })
      for number in 1...12 { XCTAssertEqual(bytes("f\(number)"), Self.content(1000 + number)) }
    }

    func testATransferThatKillsItsProcessThreeTimesIsSetAside() throws {
      server?.on(.get, "/poison") { _ in
        var response = DemoResponse(headers: ["ETag": "\"a\""], body: [1, 2])
        response.stall = .seconds(60)
        return response
      }
      _ = try run(command("download", "poison", path("file"), "--queue", "--base-url", url))
      for death in 1...3 {
        let (process, _, _) = try start(command("transfers", "run"))
        let end = Date(timeIntervalSinceNow: 20)
        while server?.requests.count != death {
          guard Date() < end else { return XCTFail("it was not carried out: death \(death)") }
          usleep(5000)
        }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
      }
      let last = try run(command("transfers", "run"))
      XCTAssertEqual(last.status, 0, last.errors)
      // Where its lines break depends on the folder's path.
      let words = last.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      XCTAssertTrue(words.contains("the process ended 3 times"), last.output)
      XCTAssertEqual(server?.requests.count, 3)
    }

    func testWhatIsSetAsideIsSaidAndGoesOnOrGoes() throws {
      server?.on(.get, "/secret") { _ in DemoResponse(403) }
      for name in ["one", "two"] {
        _ = try run(command("download", "secret", path(name), "--queue", "--base-url", url))
      }
      let refused = try run(command("transfers", "run"))
      XCTAssertEqual(refused.status, 1, refused.output)
      XCTAssertTrue(refused.output.contains("set aside"), refused.output)
      XCTAssertTrue(refused.errors.contains("403"), refused.errors)
      server?.on(.get, "/secret") { _ in DemoResponse(200, headers: ["ETag": "\"a\""], body: [1]) }
      let again = try run(command("transfers", "run", "--retry", "1", "--drop", "2"))
      XCTAssertEqual(again.status, 0, again.errors)
      XCTAssertEqual(bytes("one"), Data([1]))
      XCTAssertNil(bytes("two"))
      XCTAssertTrue(again.output.hasSuffix("no transfers wait\n"), again.output)
    }

    func testTheQueueNeedsAServerThatOutlivesTheRun() throws {
      let run = try run(command("download", "x", path("file"), "--queue"))
      XCTAssertEqual(run.status, 2)
      XCTAssertTrue(run.errors.contains("--queue needs --base-url"), run.errors)
      let other = try self.run(command("transfers", "walk"))
      XCTAssertEqual(other.status, 2)
    }
  }
#endif
