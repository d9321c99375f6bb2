import APIKit
import DemoServer
import XCTest

@testable import DemoCLI

/// The command whose managers apikit-generate has written.
@MainActor
final class SimilarCommandTests: XCTestCase {
  func testItListsHomesOfTheSameCityAndAboutThePrice() async throws {
    let home = try RawData(parsing: await CommandLineRun("show sac-100 --json").output.joined())
    let price = try XCTUnwrap(home.price.int)
    let run = await CommandLineRun("similar sac-100 --within 5 --size 3 --json")
    XCTAssertEqual(run.status, .success, run.errors.joined(separator: "\n"))
    let raw = try RawData(parsing: run.output.joined())
    XCTAssertEqual(raw.like.string, "sac-100")
    let homes = Array(raw.homes.elements)
    XCTAssertEqual(homes.count, 3)
    for found in homes {
      XCTAssertNotEqual(found.id.string, "sac-100")
      XCTAssertLessThanOrEqual(abs((found.price.int ?? 0) - price), price / 20)
      let id = try XCTUnwrap(found.id.string)
      let shown = try RawData(parsing: await CommandLineRun("show \(id) --json").output.joined())
      XCTAssertEqual(shown.place.string, home.place.string)
    }
    let table = await CommandLineRun("similar sac-100 --within 5 --size 3")
    XCTAssertTrue(
      table.output.last?.hasPrefix("3 of \(raw.total.int ?? 0) homes in \(home.place.string ?? "")") == true,
      table.output.joined(separator: "\n"))
    XCTAssertEqual(table.output.count, 6, "head, rule, three homes, and how many there are")
  }

  func testAnUnknownHomeAndOneOfAnotherServiceAreRefused() async {
    let unknown = await CommandLineRun("similar sac-0")
    XCTAssertEqual(unknown.status, .failed)
    XCTAssertTrue(unknown.errors.joined().contains("status 404"), unknown.errors.joined())
    let other = await CommandLineRun("similar ames-17")
    XCTAssertEqual(other.status, .wrongUsage)
    XCTAssertTrue(other.errors.joined().contains("they begin with sac-"), other.errors.joined())
  }

  func testItAsksTheServerOfBaseURL() async throws {
    let server = try DemoServer()
    let run = await CommandLineRun("similar sac-17 --base-url \(server.baseURL.string)")
    XCTAssertEqual(run.status, .success, run.errors.joined(separator: "\n"))
    XCTAssertEqual(server.counters.requests, 2)
  }
}
