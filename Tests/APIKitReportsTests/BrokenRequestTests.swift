import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitReports

/// Requests that ended without a response that could be used, in statistics, waterfalls and archives.
final class BrokenRequestTests: XCTestCase {
  private func metrics(_ times: [Int64], reused: Bool = false) -> TransportMetrics {
    var metrics = TransportMetrics()
    (metrics.queued, metrics.nameLookup, metrics.connect) = (times[0], times[1], times[2])
    (metrics.tls, metrics.requestSent, metrics.firstByte) = (times[3], times[4], times[5])
    metrics.total = times[6]
    metrics.isReused = reused
    (metrics.bytesSent, metrics.bytesReceived, metrics.remoteAddress) = (11, 7, "192.0.2.7")
    return metrics
  }

  private func record(_ events: [(Int, FlightEvent)]) -> FlightRecord {
    FlightRecord(
      flight: FlightID(rawValue: 7), manager: "Manager", service: "Homes", method: .get, apiName: "list",
      parameters: [:], secondsSince1970: 0,
      entries: events.map { .init(at: .milliseconds($0.0), event: $0.1) })
  }

  private func load(_ events: [(Int, FlightEvent)]) -> LandedLoad {
    var state = FlightRecorder.RecorderState()
    state.entries = record(events).entries
    let landing = record(events).landing ?? .cancelled("by-caller")
    return LandedLoad(
      FlightID(rawValue: 7), state, begin: .zero, wallClock: 0, landing: landing, status: nil, decoded: nil)
  }

  private var cut: [(Int, FlightEvent)] {
    [
      (0, .attempt(1, host: "homes.test")),
      (10, .broken(status: nil, metrics: metrics([0, 1000, 2000, 3000, 3100, 3100, 10_000]))),
      (10, .attemptFailed(label: "transport.connection-lost", detail: "")),
      (20, .attempt(2, host: "homes.test")),
      (50, .broken(status: 206, metrics: metrics([0, 1000, 2000, 3000, 3100, 9000, 30_000]))),
      (51, .attemptFailed(label: "transport.truncated-body", detail: "")),
      (52, .landed(.failed(label: "transport.truncated-body", detail: ""))),
    ]
  }

  func testItsBytesItsAddressAndItsStatusAreCounted() {
    let load = load(cut)
    XCTAssertEqual(load.bytesSent, 22)
    XCTAssertEqual(load.bytesReceived, 14)
    XCTAssertEqual(load.address, "192.0.2.7")
    XCTAssertEqual(load.status, 206, "the head had arrived")
    XCTAssertEqual(load.attempts, [.milliseconds(10), .milliseconds(30)])
    XCTAssertEqual(StatisticsReport([load]).byAddress.map(\.name), ["192.0.2.7"])
  }

  @MainActor func testALoadOfAManagerCountsWhatItsFailedAttemptHasReceived() async throws {
    let statistics = FlightStatistics()
    statistics.isOn = true
    defer { statistics.isOn = false }
    var error = APIError(.transport, .connectionLost)
    error.metrics = metrics([0, 1000, 2000, 3000, 3100, 3100, 10_000])
    let manager = TestManager(StubTransport(.failure(error)))
    _ = try? await manager.response()
    let load = try XCTUnwrap(statistics.report.loads.first { $0.api.service == "Homes" })
    XCTAssertEqual(load.bytesReceived, 7)
    XCTAssertEqual(load.address, "192.0.2.7")
  }

  func testWhatEndsOnTheWireAfterTheLandingIsNotPartOfTheLoad() {
    let events: [(Int, FlightEvent)] = [
      (0, .attempt(1, host: "homes.test")), (5, .landed(.cancelled("by-caller"))),
      (9, .broken(status: nil, metrics: metrics([0, 0, 0, 0, 0, 0, 9000]))),
    ]
    XCTAssertEqual(load(events).duration, .milliseconds(5))
    XCTAssertEqual(load(events).attempts, [.milliseconds(5)])
    let phases = FlightPhase.phases(of: record(events))
    XCTAssertEqual(phases.map(\.kind), [.wait])
    XCTAssertEqual(phases.last?.to, .milliseconds(5))
  }

  func testTheWaterfallShowsWhatItWasAtWhenItBroke() {
    func kinds(_ status: Int?, _ times: [Int64], reused: Bool = false) -> [FlightPhase.PhaseKind] {
      FlightPhase.phases(
        of: record([
          (0, .attempt(1, host: "homes.test")),
          (30, .broken(status: status, metrics: metrics(times, reused: reused))),
          (30, .landed(.failed(label: "transport.connection-lost", detail: ""))),
        ])
      ).map(\.kind)
    }
    let ms: Int64 = 1000
    XCTAssertEqual(kinds(nil, [ms, ms, ms, ms, ms, ms, 30 * ms]), [.held, .dns])
    XCTAssertEqual(
      kinds(nil, [ms, 2 * ms, 2 * ms, 2 * ms, 2 * ms, 2 * ms, 30 * ms]), [.held, .dns, .connect])
    XCTAssertEqual(
      kinds(nil, [ms, 2 * ms, 3 * ms, 3 * ms, 3 * ms, 3 * ms, 30 * ms]), [.held, .dns, .connect, .tls])
    XCTAssertEqual(
      kinds(nil, [ms, 2 * ms, 3 * ms, 4 * ms, 5 * ms, 5 * ms, 30 * ms]), [.held, .dns, .connect, .tls, .wait])
    XCTAssertEqual(
      kinds(206, [ms, 2 * ms, 3 * ms, 4 * ms, 5 * ms, 9 * ms, 30 * ms]),
      [.held, .dns, .connect, .tls, .wait, .receive])
    XCTAssertEqual(kinds(nil, [ms, ms, ms, ms, ms, ms, 30 * ms], reused: true), [.held, .wait])
    // A transport that tells nothing but the whole.
    XCTAssertEqual(kinds(nil, [0, 0, 0, 0, 0, 0, 30 * ms]), [.wait])
  }

  func testAnArchiveTellsWhereTheTimeOfAFailureWent() async throws {
    func timings(_ times: [Int64], status: Int? = nil) async throws -> (RawData, RawData) {
      var error = APIError(.transport, .connectionLost)
      error.metrics = metrics(times)
      error.context.status = status
      let exchanges = ExchangeArchive()
      let request = HTTPRequest(url: "https://homes.test/")
      _ = try? await exchanges.archiving(StubTransport(.failure(error))).send(request)
      let entry = try RawData(parsing: exchanges.archive.harBytes()).log.entries[0]
      XCTAssertEqual(entry.response.status.int, status ?? 0)
      XCTAssertEqual(entry["_error"].string, "transport.connection-lost")
      XCTAssertEqual(entry.serverIPAddress.string, "192.0.2.7")
      let names = ["blocked", "dns", "connect", "send", "wait", "receive"]
      let sum = names.compactMap { entry.timings[$0].double }.filter { $0 >= 0 }.reduce(0, +)
      XCTAssertEqual(sum, Double(times[6]) / 1000, accuracy: 0.001)
      XCTAssertEqual(try XCTUnwrap(entry.time.double), sum, accuracy: 0.001)
      return (entry.timings, entry)
    }
    let name = try await timings([1000, 1000, 1000, 1000, 1000, 1000, 30_000]).0
    XCTAssertEqual(name.dns.double, 29)
    XCTAssertEqual(name.connect.double, -1)
    let connect = try await timings([1000, 2000, 2000, 2000, 2000, 2000, 30_000]).0
    XCTAssertEqual(connect.connect.double, 28)
    XCTAssertEqual(connect.ssl.double, -1)
    let tls = try await timings([1000, 2000, 3000, 3000, 3000, 3000, 30_000]).0
    XCTAssertEqual(tls.connect.double, 28, "TLS is part of connecting")
    XCTAssertEqual(tls.ssl.double, 27)
    let cut = try await timings([1000, 2000, 3000, 4000, 5000, 9000, 30_000], status: 200).0
    XCTAssertEqual(cut.receive.double, 21)
    let silent = try await timings([1000, 2000, 3000, 4000, 5000, 5000, 30_000]).0
    XCTAssertEqual(silent.wait.double, 26)
    XCTAssertEqual(silent.receive.double, 0)
  }
}
