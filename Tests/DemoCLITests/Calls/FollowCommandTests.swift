#if os(Linux)  // elsewhere no transport opens WebSockets to these servers
  import APIKit
  import DemoServer
  import Foundation
  import XCTest

  @testable import DemoCLI

  /// Any URL: ws and events.
  @MainActor
  final class FollowCommandTests: XCTestCase {
    func testMessagesOfAnySocketArePrintedUntilTheCount() async throws {
      let server = try DemoServer()
      let url = server.baseURL.string.replacingOccurrences(of: "http", with: "ws") + "prices"
      let run = await CommandLineRun(["ws", url, "every==20", "--count", "3"])
      XCTAssertEqual(run.status, .success, run.errors.joined())
      XCTAssertEqual(try run.output.map { try RawData(parsing: $0).number.exists }, [true, true, true])
      XCTAssertEqual(run.errors, ["3 messages, closed with 1000"])
      let machine = await CommandLineRun(["ws", url, "every==20", "--count", "1", "--json"])
      XCTAssertTrue(try RawData(parsing: machine.output[0]).text.string?.hasPrefix("{") == true)
    }

    func testWhatIsGivenAndEachLineOfStdinAreSentAndItsEndClosesInOrder() async throws {
      let server = try DemoServer()
      let run = await CommandLineRun(
        ["ws", server.baseURL.string + "prices?every=60000", "--send", #"{"follow":"Sawyer"}"#],
        input: [#"{"follow":"nowhere"}"#])
      XCTAssertEqual(run.status, .success, run.errors.joined())
      XCTAssertEqual(run.output.count, 2, "what comes until the close is printed: \(run.output)")
      XCTAssertTrue(run.output.first?.contains("Sawyer") == true, run.output.joined())
      XCTAssertTrue(run.output.last?.contains("there is no place nowhere") == true, run.output.joined())
      XCTAssertEqual(run.errors, ["2 messages, closed with 1000"])
    }

    func testEventsOfAnyURLArePrintedAndBeginBehindAnId() async throws {
      let server = try DemoServer()
      let url = server.baseURL.string + "events"
      let run = await CommandLineRun(["events", url, "every==20", "--count", "2", "--json"])
      XCTAssertEqual(run.status, .success, run.errors.joined())
      let events = try run.output.map { try RawData(parsing: $0) }
      XCTAssertEqual(events.compactMap(\.type.string), ["price", "price"])
      XCTAssertEqual(run.errors, ["2 events, closed"])
      let last = try XCTUnwrap(events.last?.id.string)
      let later = await CommandLineRun([
        "events", url, "every==20", "--count", "1", "--last-id", last, "--json",
      ])
      XCTAssertEqual(server.requests.last?.headers["Last-Event-ID"], last)
      XCTAssertEqual(try RawData(parsing: later.output[0]).id.string, String((Int(last) ?? 0) + 1))
    }

    func testWhatIsNoSocketAndNoStreamIsAFailure() async throws {
      let server = try DemoServer()
      for name in ["ws", "events"] {
        let run = await CommandLineRun([name, server.baseURL.string + "nothing"])
        XCTAssertEqual(run.status, .failed, name)
        XCTAssertTrue(run.errors[0].contains("404"), run.errors.joined())
        let plain = await CommandLineRun([name, server.baseURL.string + "new/v1/projects"])
        XCTAssertEqual(plain.status, .failed, name)
      }
    }

    func testAStreamThatTheServerEndsHasEnded() async throws {
      let server = try DemoServer()
      server.on(.get, "/few") { _ in
        DemoResponse(
          headers: ["Content-Type": "text/event-stream"], body: Array("data: a\n\ndata: b\u{1B}\n\n".utf8))
      }
      let run = await CommandLineRun(["events", server.baseURL.string + "few"], isTerminal: true)
      XCTAssertEqual(run.output, ["message  a", "message  b\u{FFFD}"])
      XCTAssertEqual(run.status, .success, run.errors.joined())
    }
  }
#endif
