#if os(Linux)
  import APIKitTesting
  @testable import TestSupport
  import XCTest

  @testable import APIKit
  @testable import APIKitReports

  /// Requests that libcurl has sent again, in archives, waterfalls and records.
  @MainActor final class ResentRequestTests: XCTestCase {
    private static let ok = ScriptedServer.response(text: "{}")
    private let exchanges = ExchangeArchive()

    private func manager(_ server: ScriptedServer) throws -> TestManager {
      var service = TestService(StubTransport())
      service.client = HTTPClient(transport: exchanges.archiving(try CurlTransport(.ephemeral)))
      service.environments = ServiceEnvironments(try server.url())
      return TestManager(service)
    }

    private func lasting(_ kind: FlightPhase.PhaseKind, in record: FlightRecord) -> Duration {
      FlightPhase.phases(of: record).filter { $0.kind == kind }.reduce(.zero) { $0 + ($1.to - $1.from) }
    }

    private func page(_ record: FlightRecord) -> String {
      ReportPage(StatisticsReport([]), records: [record]).html
    }

    func testARequestThatBreaksAgainWasWaitingAndNotAtItsHandshake() async throws {
      let server = try ScriptedServer(scripts: [
        [.readRequest, .write(Self.ok), .readRequest, .pause(.milliseconds(300))],
        [.readRequest, .pause(.milliseconds(400))],
      ])
      defer { server.stop() }
      let manager = try manager(server)
      _ = try await manager.response()
      let error = try await errorThrown { () throws(APIError) in try await manager.response() }
      let metrics = try XCTUnwrap(error.metrics)
      XCTAssertEqual(metrics.resends, 1)
      XCTAssertEqual(metrics.brokenPhase, .wait)

      let entries = exchanges.archive.entries
      XCTAssertEqual(entries.map(\.resends), [0, 1])
      let timings = entries[1].timings
      XCTAssertNil(timings.tls)
      XCTAssertLessThan(timings.connect ?? 1000, 250)
      XCTAssertGreaterThan(timings.wait, 390)
      XCTAssertGreaterThan(timings.blocked ?? 0, 290, "what the first of them took")
      let read = try HTTPArchive(parsing: exchanges.archive.harBytes())
      XCTAssertEqual(read.entries.map(\.resends), [0, 1])

      let record = try XCTUnwrap(error.record)
      XCTAssertEqual(lasting(.tls, in: record), .zero)
      XCTAssertLessThan(lasting(.held, in: record), .milliseconds(250))
      XCTAssertGreaterThan(lasting(.wait, in: record), .milliseconds(690), "that of both")
      XCTAssertTrue(page(record).contains("resent: 1"))
      XCTAssertTrue(record.description.contains("sent 2 times"), record.description)
    }

    func testAResponseToTheSecondRequestHasTheTimesOfItsConnection() async throws {
      let server = try ScriptedServer(scripts: [
        [.readRequest, .write(Self.ok), .readRequest, .pause(.milliseconds(300))],
        [.readRequest, .write(Self.ok), .waitForClose],
      ])
      defer { server.stop() }
      let manager = try manager(server)
      _ = try await manager.response()
      let response = try await manager.response()
      XCTAssertEqual(response.http.metrics.resends, 1)
      let entry = try XCTUnwrap(exchanges.archive.entries.last)
      XCTAssertEqual(entry.resends, 1)
      XCTAssertNil(entry.timings.tls)
      XCTAssertGreaterThan(entry.timings.blocked ?? 0, 290)
      XCTAssertLessThan(entry.timings.total - (entry.timings.blocked ?? 0), 250)
      let record = try XCTUnwrap(manager.record(of: try XCTUnwrap(response.flightID)))
      XCTAssertLessThan(lasting(.held, in: record), .milliseconds(250))
      XCTAssertGreaterThan(lasting(.wait, in: record), .milliseconds(290))
      XCTAssertTrue(page(record).contains("resent: 1"))
    }

    func testASecondConnectionThatDoesNotStandIsToldFromTheRequestThatWasLost() async throws {
      let server = try ScriptedServer(
        .readRequest, .write(Self.ok), .readRequest, .stopListening, .pause(.milliseconds(100)))
      defer { server.stop() }
      let manager = try manager(server)
      _ = try await manager.response()
      let error = try await errorThrown { () throws(APIError) in try await manager.response() }
      let metrics = try XCTUnwrap(error.metrics)
      XCTAssertEqual(metrics.earlier.map(\.isReused), [true])
      XCTAssertFalse(metrics.isReused)
      XCTAssertNil(metrics.localPort)
      XCTAssertNotEqual(metrics.brokenPhase, .wait)
      XCTAssertEqual(metrics.earlier.last?.total, metrics.queued)
      XCTAssertGreaterThan(metrics.queued, 90_000)
      XCTAssertEqual(metrics.resends, 0, "nothing left on it")
      XCTAssertFalse(exchanges.archive.entries.last?.timings.wait ?? 1000 > 50)
    }
  }
#endif
