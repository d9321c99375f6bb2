#if os(Linux)  // elsewhere no transport opens WebSockets
  import APIKit
  import APIKitReports
  import DemoServer
  import Foundation
  @testable import TestSupport
  import XCTest

  @testable import DemoCLI

  /// Prices as they change, over a WebSocket and as server-sent events.
  @MainActor final class WatchCommandTests: XCTestCase {
    private func changes(_ run: CommandLineRun) throws -> [RawData] {
      try run.output.map { try RawData(parsing: $0) }
    }

    /// Each number is that of the one before and one more: none is missing, none comes twice.
    private func check(_ changes: [RawData], _ line: String) {
      let numbers = changes.compactMap(\.number.int)
      XCTAssertEqual(numbers.count, changes.count, line)
      for (one, next) in zip(numbers, numbers.dropFirst()) { XCTAssertEqual(next, one + 1, line) }
    }

    func testChangesComeOverBoth() async throws {
      for (words, how) in [("", "closed with 1000"), ("--events ", "closed")] {
        let run = await CommandLineRun("watch \(words)--count 5 --every 20 --json")
        XCTAssertEqual(run.status, .success, run.errors.joined())
        let changes = try changes(run)
        XCTAssertEqual(changes.count, 5)
        check(changes, words)
        XCTAssertTrue(changes.allSatisfy { $0.home.string?.hasPrefix("ames-") == true })
        XCTAssertEqual(run.errors, ["5 changes, \(how)"])
        let table = await CommandLineRun("watch \(words)--count 2 --every 20", width: 40)
        XCTAssertEqual(table.output.count, 2)
        XCTAssertTrue(table.output.allSatisfy { $0.count <= 40 })
      }
    }

    func testTheWordsOfAServerDoNotControlTheTerminal() throws {
      let raw = try RawData(plain: ["home": "\u{1B}[2Jx", "place": "p\u{9B}"])
      let line = WatchCommand.line(of: raw, from: 2, to: 1, width: 80)
      XCTAssertTrue(line.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }, line)
      XCTAssertTrue(line.hasPrefix("\u{FFFD}[2Jx"), line)
      for (was, price) in [(Int.max, Int.min), (0, Int.min), (1, Int.min)] {
        XCTAssertTrue(
          WatchCommand.line(of: raw, from: was, to: price, width: 120).contains("▼ $9,223"), "\(was) \(price)"
        )
      }
    }

    func testAPlaceIsAskedForAndAnUnknownOneIsNamed() async throws {
      let socket = await CommandLineRun("watch --place sawyer --count 3 --every 20 --json")
      XCTAssertEqual(socket.status, .success, socket.errors.joined())
      XCTAssertEqual(socket.errors.first, "following Sawyer")
      XCTAssertEqual(Set(try changes(socket).compactMap(\.place.string)), ["Sawyer"])
      let events = await CommandLineRun("watch --events --place sawyer --count 3 --every 20 --json")
      XCTAssertEqual(Set(try changes(events).compactMap(\.place.string)), ["Sawyer"])
      for words in ["", "--events "] {
        let run = await CommandLineRun("watch \(words)--place nowhere --count 3 --every 20 --json")
        XCTAssertEqual(run.status, .failed, words)
        XCTAssertTrue(run.errors.joined().contains("there is no place nowhere"), run.errors.joined())
        XCTAssertEqual(run.output, [])
      }
    }

    func testItGoesOnBehindTheLastChangeWhenTheServerIsRestarted() async throws {
      for words in ["", "--events "] {
        var server = try DemoServer()
        let port = server.port
        let line = "watch \(words)--count 14 --every 50 --json --base-url \(server.baseURL.string)"
        let running = Task { await CommandLineRun(line) }
        while server.requests.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        try await Task.sleep(for: .milliseconds(200))
        server.stop()
        server = try DemoServer(port: port)
        let run = await running.value
        XCTAssertEqual(run.status, .success, run.errors.joined())
        let changes = try changes(run)
        XCTAssertEqual(changes.count, 14)
        check(changes, words)
        XCTAssertEqual(server.requests.count, 1)
        XCTAssertNotNil(run.errors[0].firstMatch(of: /; again in [0-9]+ ms/), run.errors.joined())
        XCTAssertEqual(run.errors.filter { $0 == "open again" }.count, 1, run.errors.joined())
      }
    }

    func testWhatCannotBeOpenedIsAFailure() async {
      for words in ["", "--events "] {
        let run = await CommandLineRun("watch \(words)--attempts 0 --base-url http://127.0.0.1:1")
        XCTAssertEqual(run.status, .failed, words)
        XCTAssertTrue(run.errors.joined().contains("refused"), run.errors.joined())
      }
      let other = await CommandLineRun("watch --attempts 0 --transport urlsession")
      XCTAssertEqual(other.status, .failed)
      XCTAssertTrue(other.errors.joined().contains("opens no WebSockets"), other.errors.joined())
    }

    func testItsHandshakeIsShownAndArchived() async throws {
      let file = temporaryPath("new.har")
      let run = await CommandLineRun("watch --count 1 --every 20 --verbose --har \(file)")
      XCTAssertEqual(run.status, .success, run.errors.joined())
      XCTAssertTrue(
        run.errors[0].hasPrefix("curl ") && run.errors[0].contains("/prices?every=20"), run.errors[0])
      XCTAssertEqual(run.errors[1], "# 101, 0 bytes")
      let entries = try HTTPArchive(parsing: Array(Data(contentsOf: URL(fileURLWithPath: file)))).entries
      XCTAssertEqual(entries.map { $0.response?.status }, [101])
      XCTAssertEqual(entries.map(\.apiName), ["prices"])
    }
  }
#endif
