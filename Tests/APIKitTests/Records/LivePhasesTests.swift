import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit

/// The phases of requests: live where the transport shows them, else from its metrics.
@MainActor final class LivePhasesTests: XCTestCase {
  private let listener = Listener()

  override func setUp() async throws {
    let listener = listener
    FlightEvents.shared.add(listener)
    addTeardownBlock { FlightEvents.shared.remove(listener) }
  }

  private func manager(_ transport: some HTTPTransport, _ base: String) throws -> TestManager {
    var service = TestService(
      HTTPClient(transport: transport), ServiceEnvironments(try HTTPURL(base)))
    service.name = listener.service
    return TestManager(service)
  }

  private func landed(_ flight: FlightID?) async {
    let listener = listener
    await waitUntil { listener.events.contains { $0.flight == flight && $0.event.isLanding } }
  }

  func testMetricsOfATransportWithoutLivePhasesAreToldWithTheirOwnTimes() async throws {
    var response = HTTPResponse(status: 200, body: .bytes(Array("{}".utf8)))
    response.metrics.queued = 1_000
    response.metrics.nameLookup = 2_000
    response.metrics.connect = 3_000
    response.metrics.tls = 4_000
    response.metrics.requestSent = 5_000
    response.metrics.firstByte = 6_000
    response.metrics.total = 7_000
    var reused = response
    reused.metrics.isReused = true
    let stub = StubTransport(.response(response), .response(reused))
    let manager = try manager(stub, "https://homes.test/api")
    let first = try await manager.response().flightID
    await landed(first)
    XCTAssertEqual(
      listener.phases(of: first),
      [.nameLookedUp, .connected(isReused: false), .secured, .requestSent, .firstByte])
    let events = listener.events.filter { $0.flight == first }
    let responded = try XCTUnwrap(events.first { if case .responded = $0.event { true } else { false } })
    let lookedUp = try XCTUnwrap(
      events.first { if case .phase(.nameLookedUp) = $0.event { true } else { false } })
    XCTAssertLessThanOrEqual(lookedUp.at, responded.at)
    if responded.at > .milliseconds(7) { XCTAssertEqual(responded.at - lookedUp.at, .milliseconds(5)) }
    let second = try await manager.response().flightID
    await landed(second)
    XCTAssertEqual(listener.phases(of: second), [.connected(isReused: true), .requestSent, .firstByte])
  }

  func testTheMetricsOfABrokenRequestTellHowFarItCame() {
    var metrics = TransportMetrics()
    XCTAssertTrue(metrics.phasesBroken.isEmpty, "nothing was measured")
    (metrics.queued, metrics.nameLookup, metrics.connect, metrics.tls) = (10, 10, 10, 10)
    metrics.total = 90
    XCTAssertEqual(metrics.phasesBroken, [])
    (metrics.nameLookup, metrics.connect, metrics.tls) = (20, 20, 20)
    XCTAssertEqual(metrics.phasesBroken, [.nameLookedUp])
    (metrics.connect, metrics.tls) = (30, 30)
    XCTAssertEqual(metrics.phasesBroken, [.nameLookedUp, .connected(isReused: false)])
    (metrics.tls, metrics.requestSent) = (40, 50)
    XCTAssertEqual(
      metrics.phasesBroken, [.nameLookedUp, .connected(isReused: false), .secured, .requestSent])
  }

  #if os(Linux)
    func testLibcurlTellsThePhasesWhileTheRequestIsUnderWay() async throws {
      let (head, rest) = (Latch(), Latch())
      let server = try ScriptedServer(
        .readRequest, .wait(head), .text("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"), .wait(rest),
        .text("{}"), .waitForClose)
      defer { server.stop() }
      let manager = try manager(CurlTransport(.ephemeral), "http://127.0.0.1:\(server.port)")
      let listener = listener
      let flight = manager.load().flightID
      await waitUntil { listener.phases(of: flight) == [.nameLookedUp, .connected(isReused: false)] }
      head.open()
      await waitUntil { listener.phases(of: flight).last == .firstByte }
      XCTAssertEqual(listener.phases(of: flight).suffix(2), [.requestSent, .firstByte])
      XCTAssertTrue(manager.isLoading, "the body has not arrived")
      rest.open()
      await landed(flight)
      XCTAssertEqual(listener.phases(of: flight).count, 4, "none is told a second time at the end")
    }

    func testLibcurlTellsThatAConnectionIsUsedAgain() async throws {
      let server = try ScriptedServer.serving { _ in ScriptedServer.response(text: "{}") }
      defer { server.stop() }
      let manager = try manager(CurlTransport(.ephemeral), "http://127.0.0.1:\(server.port)")
      _ = try await manager.response()
      let flight = try await manager.response().flightID
      await landed(flight)
      XCTAssertEqual(listener.phases(of: flight), [.connected(isReused: true), .requestSent, .firstByte])
    }

    func testTheHandshakeIsToldOverTLS() async throws {
      let tls = try ScriptedTLS(in: temporaryFolder())
      let server = try ScriptedServer(
        scripts: [[.serve { _ in ScriptedServer.response(text: "{}") }]], tls: tls)
      defer { server.stop() }
      var configuration = TransportConfiguration.ephemeral
      configuration.tls.trust = .bundle(path: tls.root)
      let manager = try manager(CurlTransport(configuration), "https://localhost:\(server.port)")
      let flight = try await manager.response().flightID
      await landed(flight)
      XCTAssertEqual(
        listener.phases(of: flight),
        [.nameLookedUp, .connected(isReused: false), .secured, .requestSent, .firstByte])
    }

    func testALoadThatWaitsForAConnectionSaysSoAndALongBodyTellsItsProgress() async throws {
      let rest = Latch()
      let half = [UInt8](repeating: 0x20, count: 1000)
      let head = "HTTP/1.1 200 OK\r\nContent-Length: 2002\r\n\r\n"
      let server = try ScriptedServer(
        .readRequest, .text(head), .write(half), .pause(.milliseconds(150)), .write(half),
        .wait(rest), .text("{}"),
        .serve { _ in ScriptedServer.response(text: "{}") })
      defer { server.stop() }
      var configuration = TransportConfiguration.ephemeral
      configuration.connections.perHost = 1
      let manager = try manager(CurlTransport(configuration), "http://127.0.0.1:\(server.port)")
      let listener = listener
      let first = manager.load().flightID
      await waitUntil { listener.phases(of: first).last == .firstByte }
      let second = manager.load().flightID
      await waitUntil { listener.phases(of: second) == [.queued] }
      await waitUntil {
        guard case .progress(let progress)? = listener.phases(of: first).last else { return false }
        return progress.received == 2000 && progress.totalToReceive == 2002
      }
      rest.open()
      await landed(second)
      XCTAssertEqual(
        listener.phases(of: second), [.queued, .connected(isReused: true), .requestSent, .firstByte])
    }

    func testAStreamedBodyTellsThatItWasSentBeforeTheResponseBegins() async throws {
      let head = Latch()
      let server = try ScriptedServer(
        .readRequest, .wait(head), .text("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"), .waitForClose)
      defer { server.stop() }
      let manager = try manager(CurlTransport(.ephemeral), "http://127.0.0.1:\(server.port)")
      manager.method = .post
      manager.body = .bytes([UInt8](repeating: 0x20, count: 3 << 20))
      let listener = listener
      let flight = manager.load().flightID
      await waitUntil { listener.phases(of: flight).contains(.requestSent) }
      XCTAssertFalse(listener.phases(of: flight).contains(.firstByte))
      head.open()
      await landed(flight)
      XCTAssertEqual(listener.phases(of: flight).filter { $0 == .requestSent }.count, 1)
    }

    func testAConnectionThatIsRefusedTellsNoPhaseThatDidNotHappen() async throws {
      let server = try ScriptedServer(.close)
      let port = server.port
      server.stop()
      let manager = try manager(CurlTransport(.ephemeral), "http://127.0.0.1:\(port)")
      let error = try await errorThrown { () throws(APIError) in try await manager.response() }
      let flight = error.context.flightID.map { FlightID(rawValue: $0) }
      await landed(flight)
      XCTAssertEqual(listener.phases(of: flight), [.nameLookedUp])
    }
  #endif

  func testURLSessionTellsTheFirstByte() async throws {
    let (head, rest) = (Latch(), Latch())
    let server = try ScriptedServer(
      .readRequest, .wait(head), .text("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{"), .wait(rest),
      .text("}"), .waitForClose)
    defer { server.stop() }
    let transport = try URLSessionTransport(.ephemeral)
    defer { transport.shutdown() }
    let manager = try manager(transport, "http://127.0.0.1:\(server.port)")
    let flight = manager.load().flightID
    head.open()
    let listener = listener
    await waitUntil { listener.phases(of: flight).contains(.firstByte) }
    XCTAssertTrue(manager.isLoading, "the body has not arrived")
    rest.open()
    await landed(flight)
  }
}

extension TransportMetrics {
  /// The phases of a request without a response.
  fileprivate var phasesBroken: [RequestPhase] {
    var phases: [RequestPhase] = []
    forEachPhase(hasResponse: false) { phase, _ in phases.append(phase) }
    return phases
  }
}
