import APIKit
import APIKitReports
import Foundation
@testable import TestSupport
import XCTest

@testable import DemoCLI

@MainActor final class HostsCommandTests: XCTestCase {
  #if os(Linux)
    func testAServerThatDiesOnTheWayCostsNoHome() async throws {
      let run = await CommandLineRun("hosts --json")
      XCTAssertEqual(run.status, .success, run.errors.joined(separator: "\n"))
      let raw = try RawData(parsing: run.output.joined())
      XCTAssertEqual(raw.homes.int, 335)
      XCTAssertEqual(raw.pages.int, 4)
      let servers = Array(raw.servers.elements)
      XCTAssertEqual(servers.count, 3)
      XCTAssertTrue(servers.allSatisfy { $0.connectMicroseconds.int ?? 0 > 0 }, "each was measured")
      XCTAssertEqual(servers.compactMap(\.requests.int).sorted(), [0, 2, 2])
      let dead = servers.first { $0.server.string == raw.stopped.string }
      XCTAssertEqual(dead?.requests.int, 2)
      XCTAssertEqual(dead?.isUsed.bool, false)
    }

    func testItSaysWhichServerIsUsedAndWhichHasFailed() async throws {
      let run = await CommandLineRun("hosts --explain")
      XCTAssertEqual(run.status, .success, run.errors.joined(separator: "\n"))
      XCTAssertEqual(run.output.last, "335 homes from 4 pages, and no load has failed")
      XCTAssertTrue(run.output.contains { $0.contains("in use") }, run.output.joined(separator: "\n"))
      XCTAssertTrue(run.output.contains { $0.contains("failed 1 times") }, run.output.joined(separator: "\n"))
      XCTAssertTrue(run.errors.contains { $0.contains("server 127.0.0.1:") && $0.contains("fastest of 3") })
    }

    func testServersAreMeasuredAndRacedWhileAnArchiveIsWrittenAndRequestsAreShown() async throws {
      let file = temporaryPath("new.har")
      let run = await CommandLineRun("hosts --json --verbose --har \(file)")
      XCTAssertEqual(run.status, .success, run.errors.joined(separator: "\n"))
      let raw = try RawData(parsing: run.output.joined())
      XCTAssertEqual(raw.homes.int, 335)
      XCTAssertTrue(raw.servers.elements.allSatisfy { $0.connectMicroseconds.int ?? 0 > 0 })
      let entries = try HTTPArchive(parsing: Array(Data(contentsOf: URL(fileURLWithPath: file)))).entries
      XCTAssertEqual(entries.count { $0.response?.status == 200 }, 4)
      XCTAssertEqual(run.errors.count { $0.hasPrefix("curl ") }, entries.count)
    }
  #endif

  func testItRunsOnServersOfItsOwnUnlessAddressesAreGiven() async {
    let run = await CommandLineRun("hosts --base-url http://127.0.0.1:1/")
    XCTAssertEqual(run.status, .wrongUsage)
    for words in [
      "list --addresses 127.0.0.1:1", "hosts --base-url http://homes.demo.test --addresses localhost:1",
    ] {
      let run = await CommandLineRun(words)
      XCTAssertEqual(run.status, .wrongUsage, words)
      XCTAssertTrue(run.errors.joined().contains("--addresses"), run.errors.joined())
    }
  }
}
