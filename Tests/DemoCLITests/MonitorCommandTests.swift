import APIKit
import APIKitConsole
import APIKitReports
import APIKitTesting
import Foundation
import Reformers
@testable import TestSupport
import XCTest

@testable import DemoCLI

@MainActor final class MonitorCommandTests: XCTestCase {
  private lazy var file = temporaryPath()

  func testAReportIsWrittenAsPageAndMetrics() async throws {
    let metrics = file + ".txt"
    let run = await CommandLineRun("report \(file) --rounds 10 --metrics \(metrics) --no-cache")
    XCTAssertEqual(run.status, .success, run.errors.joined())
    XCTAssertTrue(run.output[0].contains("cancelled, mean"), run.output[0])
    let page = try String(contentsOfFile: file, encoding: .utf8)
    for part in [
      "GET listings/{id} (", "id=\"latency\"", "id=\"waterfalls\"", "response.unacceptable-status",
    ] {
      XCTAssertTrue(page.contains(part), part)
    }
    XCTAssertFalse(page.contains("ames-17"), "a filled path is shown")
    XCTAssertTrue(try String(contentsOfFile: metrics, encoding: .utf8).hasSuffix("# EOF\n"))
  }

  private final class ResetManager: BaseAPIManager, APIManager {
    let service: NewHomesService
    let apiName = "reset/{token}"
    let method = HTTPMethod.post
    init(_ service: NewHomesService) { self.service = service }
  }

  func testTheDashboardShowsNoSecretOfLoadsThatHaveLandedOrAreInTheAir() async throws {
    let canary = "canary-7f3a9c"
    let stub = StubTransport()
    let gate = StubGate(isOpen: false)
    stub.on(
      "/*",
      .response(HTTPResponse(status: 403, headers: ["Set-Cookie": canary], body: .bytes(Array(canary.utf8)))),
      .held(by: gate, .status(204)))
    let manager = ResetManager(
      NewHomesService(
        environments: ServiceEnvironments("https://homes.test/new"),
        wire: WireOptions(client: HTTPClient(transport: stub)), cache: CacheOptions(store: nil)))
    let statistics = FlightStatistics()
    statistics.isOn = true
    defer { statistics.isOn = false }
    let secrets: Parameters = ["token": canary, "password": canary]
    do {
      _ = try await manager.response(secrets)
      XCTFail("it did not fail")
    } catch { XCTAssertFalse("\(error)".contains(canary), "\(error)") }
    manager.load(secrets)
    try await stub.waitForRequests(2)
    XCTAssertTrue(stub.requests[0].url.path.hasSuffix(canary), "the canary was not sent")
    let inAir = FlightRegistry.shared.flights(.manager(ResetManager.self))
    XCTAssertEqual(inAir.count, 1)
    let now = try XCTUnwrap(statistics.report.loads.last).landedAt + .milliseconds(1200)
    let frame = MonitorFrame(report: statistics.report, inAir: inAir, now: now, begin: now - .seconds(2))
    for hasColor in [true, false] {
      let shown = frame.lines(.init(columns: 200, rows: 100), Palette(isOn: hasColor)).joined(separator: "\n")
      XCTAssertTrue(shown.contains("POST reset/{token}"), shown)
      XCTAssertFalse(shown.contains(canary), shown)
    }
    XCTAssertFalse(frame.line.contains(canary), frame.line)
    gate.open()
    manager.cancel()
  }

  func testTheLivePageIsNamedAndGoesWithTheRun() async throws {
    let run = await CommandLineRun("monitor --seconds 1 --web --no-cache")
    XCTAssertEqual(run.status, .success)
    let line = try XCTUnwrap(run.errors.first { $0.contains("the loads are shown at") })
    let port = try XCTUnwrap(line.firstMatch(of: /http:\/\/127\.0\.0\.1:(\d+)\/[0-9a-f]{32}\//)?.1)
    let again = try WebConsole(port: try XCTUnwrap(UInt16(port)))
    again.stop()
  }

  func testWithoutATerminalItPrintsPlainLines() async {
    let run = await CommandLineRun("monitor --seconds 1 --no-cache")
    XCTAssertEqual(run.status, .success, run.errors.joined())
    XCTAssertFalse(run.output.isEmpty)
    XCTAssertFalse(run.output.joined().contains("\u{1B}"))
    XCTAssertTrue(run.output[0].contains("in the air"), run.output[0])
    XCTAssertTrue(run.errors[0].hasPrefix("provoked: every third home of Ames is a 404"), run.errors[0])
  }

  func testForMachinesEachLineIsAnObject() async throws {
    let run = await CommandLineRun("monitor --seconds 2 --no-cache --json")
    XCTAssertEqual(run.status, .success, run.errors.joined())
    let frames = try run.output.map { try RawData(parsing: $0) }
    XCTAssertEqual(frames[0].seconds.int, 0)
    XCTAssertGreaterThan(try XCTUnwrap(frames.last?.landed.int), 0)
    XCTAssertGreaterThan(try XCTUnwrap(frames.last?.p99Milliseconds.double), 0)
  }

  func testThePictureFitsATerminalOfAnySize() async throws {
    let statistics = FlightStatistics()
    statistics.isOn = true
    let run = await CommandLineRun("list --size 3 --no-cache")
    statistics.isOn = false
    XCTAssertEqual(run.status, .success)
    let report = statistics.report
    let now = try XCTUnwrap(report.loads.last).landedAt + .milliseconds(1200)
    let frame = MonitorFrame(report: report, inAir: [], now: now, begin: now - .seconds(2))
    for columns in [0, 1, 2, 11, 40, 80, 300] {
      for rows in [0, 1, 3, 24, 100] {
        let lines = frame.lines(.init(columns: columns, rows: rows), .plain)
        XCTAssertLessThanOrEqual(lines.count, rows)
        for line in lines { XCTAssertLessThanOrEqual(DisplayWidth.of(line), columns, line) }
      }
    }
    let plain = frame.lines(.init(columns: 80, rows: 24), .plain).joined()
    XCTAssertFalse(plain.contains("\u{1B}"))
    XCTAssertTrue(plain.contains("provoked: every third"), plain)
    let narrow = frame.lines(.init(columns: 60, rows: 24), .plain)
    XCTAssertTrue(
      narrow.contains { $0.hasPrefix("API") && $0.hasSuffix("p95") }, narrow.joined(separator: "\n"))
    XCTAssertTrue(plain.contains("GET listings"), plain)
    XCTAssertTrue(
      frame.lines(.init(columns: 80, rows: 24), Palette(isOn: true)).joined().contains("\u{1B}[1m"))
  }
}
