import APIKit
import DemoServer
import Foundation
@testable import TestSupport
import XCTest

@testable import DemoCLI

/// What one run keeps for the next, and how a user sees and clears it.
@MainActor
final class CacheCommandTests: XCTestCase {
  private lazy var folder = temporaryPath()

  private func run(_ line: String) async -> CommandLineRun { await CommandLineRun(line, cache: folder) }

  private func json(_ run: CommandLineRun) throws -> RawData { try RawData(parsing: run.output.joined()) }

  func testTheSecondListLandsFromTheCacheWithoutAnyOption() async throws {
    let first = await run("list --size 5")
    XCTAssertEqual(first.output.last, "from the network", first.errors.joined())
    let second = await run("list --size 5")
    XCTAssertTrue(second.output.last?.hasPrefix("from disk, ") == true, second.output.joined(separator: "\n"))
    XCTAssertEqual(second.output.dropLast(), first.output.dropLast())
    XCTAssertEqual(second.errors, [])
  }

  func testMachinesAreToldWhereTheResponsesCameFrom() async throws {
    let first = try json(await run("list --size 5 --json"))
    XCTAssertEqual(first["from"].network.int, 3)
    XCTAssertEqual(first.age.int, 0)
    let second = try json(await run("list --size 5 --json"))
    XCTAssertEqual(second["from"].disk.int, 3)
    XCTAssertFalse(second["from"].network.exists)
    XCTAssertEqual(second.homes, first.homes)
  }

  func testEveryReadingCommandLandsFromTheCacheTheSecondTime() async throws {
    for line in [
      "list --all --source new", "filter --source ames --beds 4", "show sac-17", "map",
    ] {
      let first = await run(line)
      XCTAssertEqual(first.output.last, "from the network", line)
      let second = await run(line)
      XCTAssertTrue(
        second.output.last?.hasPrefix("from disk, ") == true, "\(line): \(second.output.last ?? "")")
    }
  }

  func testAnotherQueryIsAnotherResponse() async throws {
    _ = await run("list --source new --size 5")
    for line in ["list --source new --size 6", "list --source new --size 5 --sort -price"] {
      let other = await run(line)
      XCTAssertEqual(other.output.last, "from the network", line)
    }
  }

  func testWithoutTheCacheTheServerIsAskedEveryTime() async throws {
    for _ in 0..<2 {
      let run = await CommandLineRun("list --size 5 --no-cache")
      XCTAssertEqual(run.output.last, "from the network", run.errors.joined())
    }
  }

  func testAServerElsewhereDoesNotGetTheResponsesOfAnother() async throws {
    let servers = try [DemoServer(signatures: .standard()), DemoServer(signatures: .standard())]
    for server in servers {
      let line = "list --source ames --size 2 --base-url \(server.baseURL.string)"
      let first = await run(line)
      XCTAssertEqual(first.output.last, "from the network")
      let second = await run(line)
      XCTAssertTrue(second.output.last?.hasPrefix("from disk, ") == true)
      XCTAssertEqual(server.counters.requests, 1)
    }
    let own = await run("list --source ames --size 2")
    XCTAssertEqual(own.output.last, "from the network")
  }

  func testWhatLoadedIsKeptThoughAnotherServiceFailed() async throws {
    let server = try DemoServer(signatures: .standard())
    server.on(.get, "/ames/v2/listings") { _ in .json("{}", status: 503) }
    let line = "list --size 5 --base-url \(server.baseURL.string) --json"
    let first = await run(line)
    XCTAssertEqual(first.status, .failed)
    XCTAssertEqual(try json(first)["from"].network.int, 2)
    let second = await run(line)
    XCTAssertEqual(second.status, .failed)
    XCTAssertEqual(try json(second)["from"].disk.int, 2)
  }

  func testTheCacheIsShownAndCleared() async throws {
    _ = await run("list --size 5")
    _ = await run("list --size 5")
    let shown = try json(await run("cache --json"))
    XCTAssertEqual(shown.folder.string, folder)
    XCTAssertEqual(shown.disk.responses.int, 3)
    XCTAssertGreaterThan(shown.disk["bytes"].int ?? 0, 1000)
    XCTAssertEqual(shown.disk.hits.int, 3)
    XCTAssertEqual(shown.disk.misses.int, 3)
    XCTAssertEqual(shown.disk.stores.int, 3)
    XCTAssertEqual(shown.disk.evictions.int, 0)
    XCTAssertEqual(shown.memory.responses.int, 0)
    let cleared = await run("cache --clear")
    XCTAssertEqual(cleared.output.count, 5, cleared.output.joined(separator: "\n"))
    XCTAssertTrue(cleared.output[2].hasPrefix("disk"), cleared.output.joined(separator: "\n"))
    XCTAssertEqual(cleared.output.last, "in \(folder)")
    let emptied = try json(await run("cache --json"))
    XCTAssertEqual(emptied.disk.responses.int, 0)
    XCTAssertEqual(emptied.disk.hits.int, 0)
    let again = await run("list --size 5")
    XCTAssertEqual(again.output.last, "from the network")
  }

  func testAFaultOfTheCacheIsToldAndTheListIsShownAllTheSame() async throws {
    // A file stands where the folder should be.
    try Data([1]).write(to: URL(fileURLWithPath: folder))
    let list = await run("list --size 5")
    XCTAssertEqual(list.status, .success)
    XCTAssertEqual(list.output.last, "from the network")
    // Once, though the lookup and the store both meet it.
    XCTAssertEqual(list.errors.count, 1, "\(list.errors)")
    XCTAssertTrue(
      list.errors.contains { $0.hasPrefix("DemoCLI: the cache met a fault: unusable") }, "\(list.errors)")
  }

  func testWrongUsageOfTheCacheIsSaid() async {
    for (line, message) in [
      ("list --no-cache --cache-folder /tmp/x", "--no-cache and --cache-folder exclude each other"),
      ("list --cache-folder=", "--cache-folder needs a folder"),
      ("cache --no-cache", "cache is about the cache: leave --no-cache out"),
    ] {
      let run = await CommandLineRun(line)
      XCTAssertEqual(run.status, .wrongUsage, line)
      XCTAssertEqual(run.errors.first, "DemoCLI: " + message)
    }
  }

  func testOriginsOfSeveralKindsAreCounted() {
    var origins = ResponseOrigins()
    XCTAssertNil(origins.words)
    origins.note(.network)
    XCTAssertEqual(origins.words, "from the network")
    origins.note(.disk(age: .seconds(12)))
    origins.note(.disk(age: .seconds(170)))
    XCTAssertEqual(origins.words, "1 response from the network; 2 from disk, 170 s old")
    XCTAssertEqual(origins.oldest, 170)
  }
}
