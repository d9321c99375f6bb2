import APIKit
import APIKitTesting
import DemoServer
import Reformers
@testable import TestSupport
import XCTest

@testable import DemoCLI

@MainActor
final class CommandTests: XCTestCase {
  private func json(_ run: CommandLineRun) throws -> RawData { try RawData(parsing: run.output.joined()) }

  func testAListShowsHomesOfAllThreeServicesInOneOrder() async throws {
    let run = await CommandLineRun("list --size 100 --sort -area --json")
    XCTAssertEqual(run.status, .success, run.errors.joined())
    let raw = try json(run)
    XCTAssertEqual(raw.total.int, 932 + 2930 + 335)
    let homes = Array(raw.homes.elements)
    XCTAssertEqual(homes.count, 100)
    XCTAssertEqual(Set(homes.compactMap(\.service.string)), ["sacramento", "ames", "new-homes"])
    let areas = homes.compactMap(\.area.int)
    XCTAssertEqual(areas, areas.sorted(by: >))
  }

  func testAllPagesOfEachServiceAreListed() async throws {
    for (source, count) in [("sacramento", 932), ("ames", 2930), ("new", 335)] {
      let raw = try json(await CommandLineRun("list --all --source \(source) --json"))
      let ids = raw.homes.elements.compactMap(\.id.string)
      XCTAssertEqual(ids.count, count, source)
      XCTAssertEqual(Set(ids).count, count, "no home comes twice")
    }
    let table = await CommandLineRun("list --all")
    XCTAssertEqual(
      table.output.suffix(2), ["4,197 homes in all, from 44 pages", "from the network"],
      "10, 30 and 4 pages of a hundred homes each")
    let raw = try json(await CommandLineRun("list --all --source new --json"))
    XCTAssertEqual(raw.pages.int, 4)
    XCTAssertFalse(raw.page.exists)
    let wrong = await CommandLineRun("list --all --page 2")
    XCTAssertEqual(wrong.status, .wrongUsage)
  }

  func testLoginGoesThroughTheBrowserAndComesBackWithAToken() async throws {
    let run = await CommandLineRun("login --scope homes --wait 20 --json")
    XCTAssertEqual(run.status, .success, run.errors.joined(separator: "\n"))
    let raw = try json(run)
    XCTAssertEqual(raw.user.string, "ann")
    XCTAssertEqual(raw.isRenewable.bool, true)
    XCTAssertEqual(raw.scopes[0].string, "homes")
    XCTAssertTrue(run.errors.contains { $0.contains("/oauth/authorize?") }, "the address to open is shown")
    let half = await CommandLineRun("login --token-url http://127.0.0.1:1/token")
    XCTAssertEqual(half.status, .wrongUsage)
  }

  func testPagesOfAMergedListFollowOneAnother() async throws {
    let whole = try json(await CommandLineRun("list --size 12 --sort price --json"))
    var pages: [String] = []
    for page in 1...3 {
      let raw = try json(await CommandLineRun("list --size 4 --page \(page) --sort price --json"))
      pages += raw.homes.elements.compactMap(\.price.lenientString)
    }
    XCTAssertEqual(pages, whole.homes.elements.compactMap(\.price.lenientString))
  }

  func testEachSourceFiltersInItsOwnWords() async throws {
    for (source, place) in [("sacramento", "elk_grove"), ("ames", "old_town"), ("new", "Gilbert")] {
      let line =
        "filter --source \(source) --city \(place) --beds 3 --max-price 300000 --min-area 1000 --json"
      let run = await CommandLineRun(line)
      let homes = Array(try json(run).homes.elements)
      XCTAssertGreaterThan(homes.count, 3, line)
      for home in homes {
        XCTAssertGreaterThanOrEqual(home.beds.int ?? 0, 3)
        XCTAssertLessThanOrEqual(home.price.int ?? .max, 300_000)
        XCTAssertGreaterThanOrEqual(home.area.int ?? 0, 1000)
        XCTAssertEqual(home.place.string?.lowercased(), place.lowercased().replacing("_", with: " "))
      }
    }
  }

  func testTheSecondPageIsReachedByNumberOffsetAndCursor() async throws {
    for source in ["sacramento", "ames", "new"] {
      let both = try json(await CommandLineRun("list --source \(source) --size 10 --json"))
      let second = try json(await CommandLineRun("list --source \(source) --size 5 --page 2 --json"))
      XCTAssertEqual(
        Array(both.homes.elements.compactMap(\.id.string).suffix(5)),
        second.homes.elements.compactMap(\.id.string))
    }
    let beyond = await CommandLineRun("list --source new --page 40")
    XCTAssertEqual(beyond.output, ["No home on page 40.", "from the network"])
    XCTAssertEqual(beyond.status, .success)
  }

  func testTablesFitTheTerminal() async {
    for width in [40, 60, 80, 120] {
      let run = await CommandLineRun("list --size 10", width: width)
      XCTAssertEqual(run.output.count, 14)
      for line in run.output { XCTAssertLessThanOrEqual(line.count, width, line) }
    }
    let wide = await CommandLineRun("show sac-17")
    XCTAssertTrue(wide.output.contains { $0.hasPrefix("Price    $") }, wide.output.joined())
  }

  func testOneHomeIsShownByEachService() async throws {
    for id in ["sac-17", "ames-17", "xf-39"] {
      let run = await CommandLineRun("show \(id) --json")
      XCTAssertEqual(run.status, .success, run.errors.joined())
      XCTAssertEqual(try json(run).id.string, id)
    }
  }

  func testThePictureOfAHomeIsToldByItsBytes() async throws {
    let file = temporaryFolder().appendingPathComponent("new.bmp")
    for id in ["sac-17", "ames-17", "xf-39"] {
      let run = await CommandLineRun("show \(id) --picture \(file.path) --json")
      XCTAssertEqual(run.status, .success, run.errors.joined())
      let picture = try json(run).picture
      XCTAssertEqual(picture.type.string, "image/bmp", "whatever the content type says")
      XCTAssertGreaterThan(picture.width.int ?? 0, 40)
      XCTAssertEqual(try Data(contentsOf: file).prefix(2), Data("BM".utf8))
    }
    let run = await CommandLineRun("show sac-17 --picture \(file.path)")
    XCTAssertTrue(run.output.contains("Picture  image/bmp, 60 × 40"), run.output.joined(separator: "\n"))
  }

  func testAnUnknownHomeFailsWithTheErrorsDescription() async {
    let run = await CommandLineRun("show ames-99999 --no-cache")
    XCTAssertEqual(run.status, .failed)
    XCTAssertEqual(
      run.errors,
      ["DemoCLI: GET listings/{id} (ames) failed in response: status 404: there is no listing 99999"])
    XCTAssertEqual(run.output, [])
  }

  func testTheMapIsDrawnAndWritten() async throws {
    let file = temporaryFolder().appendingPathComponent("new.svg")
    let run = await CommandLineRun("map --source new --svg \(file.path)")
    XCTAssertEqual(run.status, .success, run.errors.joined())
    XCTAssertEqual(run.output.suffix(2), ["New homes in Ames: 335 homes", "from the network"])
    XCTAssertTrue(run.output[0].unicodeScalars.allSatisfy { (0x2800...0x28FF).contains($0.value) })
    let svg = try String(contentsOf: file, encoding: .utf8)
    XCTAssertEqual(svg.components(separatedBy: "<circle").count - 1, 335)
    XCTAssertTrue(svg.hasSuffix("</svg>\n"))
  }

  func testANameInAMapIsText() {
    // U+0D4E makes one character with the mark behind it.
    let point = PropertyMapReformer.Point(
      id: "1", name: "\u{D4E}<script>", price: 1, latitude: 1, longitude: 1)
    let svg = SVGMap.text([point], title: "\u{D4E}<script>")
    XCTAssertEqual(svg.utf8.split(separator: "<script".utf8).count, 1, svg)
  }

  func testTakeoffShowsWhatEachPolicyDoes() async throws {
    let run = await CommandLineRun("takeoff --json")
    XCTAssertEqual(run.status, .success, run.errors.joined())
    let loads = try json(run).elements.map { $0.loads.elements.compactMap(\.string).joined(separator: " ") }
    XCTAssertEqual(
      loads,
      [
        "landed landed landed landed",
        "landed already-loading already-loading already-loading",
        "superseded superseded superseded landed",
        "landed landed landed landed",
        "superseded superseded superseded landed",
        "landed throttled throttled throttled",
      ])
  }

  func testTakeoffHasTheTimesOfEachLoad() async throws {
    let run = await CommandLineRun("takeoff --every 5 --json")
    XCTAssertEqual(run.status, .success, run.errors.joined())
    for row in try json(run).elements {
      let policy = row.policy.string ?? ""
      XCTAssertEqual(row.times.count, 4, policy)
      let called = row.times.elements.compactMap { $0.called.int }
      XCTAssertEqual(called, called.sorted(), policy)
      XCTAssertGreaterThanOrEqual(called.last ?? 0, 15, policy)
      for (end, ride) in zip(row.loads.elements, row.times.elements) where end.string == "landed" {
        let (sent, ended) = (try ride.sent.require(Int.self), try ride.ended.require(Int.self))
        XCTAssertGreaterThanOrEqual(sent, try ride.called.require(Int.self), policy)
        XCTAssertGreaterThanOrEqual(ended - sent, 50, "the server waits for 60 ms: \(policy)")
      }
    }
  }

  func testTheTourRunsEveryStepWithACacheOfItsOwn() async throws {
    let before = Self.folders
    let run = await CommandLineRun("tour")
    XCTAssertEqual(run.status, .success, run.errors.joined())
    for command in [
      "list", "filter", "show", "reform", "map", "group", "watch --count", "watch --events", "takeoff",
      "tape",
    ] {
      XCTAssertTrue(run.output.contains { $0.hasPrefix("$ DemoCLI \(command)") }, command)
    }
    let list = run.output.drop { !$0.hasSuffix("homes, page 1") }.dropFirst()
    XCTAssertEqual(list.first, "from the network", "no run before has left something")
    XCTAssertEqual(Self.folders, before, "its cache is gone")
    XCTAssertFalse(run.errors.contains { $0.contains("several objects") }, run.errors.joined(separator: "\n"))
    XCTAssertTrue(run.output.contains { $0.hasPrefix("from memory, ") }, "the same list again")
    #if os(Linux)
      XCTAssertTrue(run.output.contains { $0.hasSuffix(" is stopped") }, "a server dies")
      XCTAssertTrue(run.output.contains("335 homes from 4 pages, and no load has failed"))
    #endif
  }

  /// The folders that runs in this process make for themselves.
  private static var folders: [String] {
    let all = try? FileManager.default.contentsOfDirectory(
      atPath: FileManager.default.temporaryDirectory.path)
    return (all ?? []).filter { $0.hasPrefix("apikit-demo-\(getpid())-") }.sorted()
  }

  func testTablesFitSixtyColumns() async {
    for line in ["takeoff", "group", "reform", "cache", "list --size 3", "show ames-17"] {
      let run = await CommandLineRun(line, width: 60)
      XCTAssertEqual(run.status, .success, run.errors.joined())
      for text in run.output where !text.hasPrefix("in /") {
        XCTAssertLessThanOrEqual(DisplayWidth.of(text), 60, text)
        XCTAssertFalse(text.contains("…") && line == "takeoff", text)
      }
    }
    for command in DemoCLI.commands {
      let help = await CommandLineRun("help \(command.name)", width: 60)
      // Nothing is cut off, so a command line may be longer.
      for text in help.output where text.hasPrefix("  -") || text.hasPrefix("     ") {
        XCTAssertLessThanOrEqual(DisplayWidth.of(text), 60, text)
      }
    }
  }

  func testOneReformerReadsThreeServicesAndThreeReformersOneResponse() async throws {
    let raw = try json(await CommandLineRun("reform --json"))
    XCTAssertEqual(raw.rows.elements.compactMap(\.service.string), ["sacramento", "ames", "new-homes"])
    XCTAssertNotNil(raw.raw[0].asking_price.int)
    XCTAssertEqual(raw.totals.elements.compactMap(\.int), [932, 2930, 335])
    let run = await CommandLineRun("reform")
    XCTAssertTrue(run.output.contains { $0.contains("PropertyTotalReformer  2,930 homes in all") })
    XCTAssertTrue(run.output.contains { $0.contains("asking_price") })
  }

  func testAGroupEndsAsItsPolicySaysAndAChainGoesFromListToHome() async throws {
    let raw = try json(await CommandLineRun("group --json --no-cache"))
    let groups = Array(raw.groups.elements)
    XCTAssertEqual(groups.compactMap(\.succeeded.bool), [false, true, true, true])
    XCTAssertEqual(groups[1].landed.int, 3)
    XCTAssertEqual(groups[1].failed.int, 1)
    for group in groups {
      let sum = [group.landed, group.failed, group.cancelled].compactMap(\.int).reduce(0, +)
      XCTAssertEqual(sum, 4, group.jsonText())
    }
    XCTAssertTrue(raw.chain.string?.hasPrefix("ames-") == true)
  }

  func testATapeReplaysWithoutARequestAndTellsWhatHasChanged() async throws {
    let raw = try json(await CommandLineRun("tape --json"))
    XCTAssertEqual(raw.homes.count, 2)
    XCTAssertEqual(raw.isEqual.bool, true)
    XCTAssertEqual(raw.unused.count, 0)
    XCTAssertTrue(raw.miss.string?.contains("size") == true, raw.jsonText())
    XCTAssertTrue(
      raw.drift.elements.contains { $0.string?.contains("xf_price is number") == true }, raw.jsonText())
  }

  func testVerboseShowsRequestsAsCurlWithoutSecrets() async {
    let run = await CommandLineRun("filter --source ames --beds 4 --size 1 --verbose")
    XCTAssertEqual(run.status, .success)
    XCTAssertTrue(run.errors[0].hasPrefix("curl "), run.errors[0])
    XCTAssertTrue(run.errors[0].contains("X-Signature: •••"), run.errors[0])
    XCTAssertTrue(run.errors[0].contains("bedrooms=4"), run.errors[0])
  }

  func testAServerElsewhereIsAskedAndTheServicesThatFailAreNamed() async throws {
    let server = try DemoServer(signatures: .standard())
    let found = await CommandLineRun("list --source sacramento --size 1 --base-url \(server.baseURL.string)")
    XCTAssertEqual(found.status, .success, found.errors.joined())
    XCTAssertEqual(server.counters.requests, 1)

    server.on(.get, "/ames/v2/listings") { _ in .json("{\"status\":\"error\"}", status: 503) }
    server.on(.get, "/sacramento/v1/homes") { _ in .json("{\"code\":1001,\"message\":\"not you\"}") }
    let partly = await CommandLineRun("list --size 3 --base-url \(server.baseURL.string)")
    XCTAssertEqual(partly.status, .failed)
    XCTAssertEqual(partly.errors.count, 3)
    XCTAssertTrue(partly.errors.contains("The server is not available for a while. Try again later."))
    XCTAssertTrue(
      partly.errors.contains { $0.contains("(ames)") && $0.contains("503") }, partly.errors.joined())
    XCTAssertTrue(partly.errors.contains { $0.contains("not you") }, partly.errors.joined())
    XCTAssertEqual(partly.output.suffix(2), ["3 of 335 homes, page 1", "from the network"])
  }

  func testEveryTransportBringsTheSameHomes() async throws {
    var outputs: Set<[String]> = []
    for transport in TransportChoice.allCases {
      let run = await CommandLineRun("list --size 5 --sort price --json --transport \(transport.rawValue)")
      XCTAssertEqual(run.status, .success, run.errors.joined())
      outputs.insert(run.output)
    }
    XCTAssertEqual(outputs.count, 1)
  }

  func testTheReformersKeepTheirContractWithRealResponses() async throws {
    let session = Session(
      try ParsedArguments(["--no-cache"], options: Option.services, operands: []), console: .standard)
    for source in HomeSource.allCases {
      let manager = try source.homes(in: session)
      let raw = try await manager.response(["size": 2]).raw
      let name = try XCTUnwrap(manager.fetchData(with: PropertyListReformer()).first?[.service])
      let from = ReformSource(managerType: type(of: manager), serviceName: name)
      let list = ReformerContract(PropertyListReformer(), recorded: raw, source: from).run()
      XCTAssertTrue(list.isKept, list.description)
      XCTAssertGreaterThan(list[.threw].count, 10)
      XCTAssertGreaterThan(list[.defaulted].count, 10)
      let map = ReformerContract(PropertyMapReformer(), recorded: raw, source: from).run()
      XCTAssertTrue(map.isKept, map.description)
      XCTAssertGreaterThan(map[.unnoticed].count, list[.unnoticed].count, "the map reads less")
    }
  }

  func testARefusedConnectionIsAFailureNotAnEmptyList() async {
    let run = await CommandLineRun("list --base-url http://127.0.0.1:1")
    XCTAssertEqual(run.status, .failed)
    XCTAssertEqual(run.output, [])
    XCTAssertEqual(run.errors.count, 3)
    XCTAssertTrue(run.errors.allSatisfy { $0.contains("refused") }, run.errors.joined())
  }
}

@MainActor
final class ExplainTests: XCTestCase {
  func testExplainTellsOnStderrWhatHappenedToEveryLoadOfTheRun() async throws {
    let run = await CommandLineRun("list --source ames --size 3 --explain")
    XCTAssertEqual(run.status, .success, run.errors.joined())
    let text = run.errors.joined(separator: "\n")
    XCTAssertEqual(run.errors.filter { $0.hasPrefix("flight ") }.count, 1, text)
    XCTAssertTrue(text.contains("cache, disk: 0 hits, 1 misses, 1 stores"), text)
    for words in ["took off", "attempt 1 to 127.0.0.1", "status 200", "landed: success from the network"] {
      XCTAssertTrue(text.contains(words), text)
    }
    XCTAssertFalse(run.output.joined().contains("took off"))
    let quiet = await CommandLineRun("list --source ames --size 3")
    XCTAssertEqual(quiet.errors, [])
  }
}
