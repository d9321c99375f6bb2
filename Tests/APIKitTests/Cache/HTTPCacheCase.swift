import APIKitTesting
import DemoServer
@testable import TestSupport
import XCTest

@testable import APIKit

/// Loads of a manager with the policy `.http`: what the rules of RFC 9111, RFC 5861 and RFC 8246 are tested with;
/// each test names its section. The clock stands at Thu, 01 Jan 2026 00:00:00 GMT and is moved by hand.
///
/// A subclass gives the rules over a stub; ``responsesComeFromDemoServer`` brings the same responses over the wire.
@MainActor class HTTPCacheCase: XCTestCase {
  private(set) var stub = StubTransport()
  private(set) var time = ManualTime()
  private(set) var cache = ResponseCache()
  private(set) var manager = TestManager(StubTransport())

  private static let start = 1_767_225_600.0

  /// Whether what the stub says is sent by the demo's server and received by the platform's transport.
  nonisolated var responsesComeFromDemoServer: Bool { false }

  private lazy var demo = Result { (try DemoServer(), try DefaultTransport.make(.ephemeral)) }

  func begin() throws {
    stub = StubTransport()
    time = ManualTime(wallClock: Self.start)
    cache = ResponseCache(time: time)
    var service = TestService(stub)
    if responsesComeFromDemoServer {
      let (server, wire) = try demo.get()
      service.client = HTTPClient(
        transport: DemoRelay(script: stub, server: server, wire: wire, time: time))
    }
    service.store = cache
    manager = TestManager(service)
    manager.cachePolicy = .http
  }

  func date(_ seconds: Double) -> String { HTTPDate.text(secondsSince1970: Self.start + seconds) }

  /// What the second of two loads lands with, so many seconds after the first.
  func second(
    after seconds: Double = 0, _ first: HTTPHeaders, status: Int = 200, request: HTTPHeaders = [:],
    then response: StubResponse = .json("[2]"), use: CacheUse = .asPolicy
  ) async throws -> APIResponse {
    try begin()
    manager.expectation = ResponseExpectation(statuses: 200..<600, format: .automatic)
    stub.on("/api/list", .json("[1]", status: status, headers: first), response)
    _ = try await manager.response([:])
    time.advance(by: .seconds(seconds))
    manager.headers = request
    return try await manager.response([:], cache: use)
  }

  func assertUsed(
    after seconds: Double = 0, _ first: HTTPHeaders, status: Int = 200, request: HTTPHeaders = [:],
    line: UInt = #line
  ) async throws {
    let response = try await second(after: seconds, first, status: status, request: request)
    XCTAssertEqual(response.raw[0].int, 1, "the stored response was not used", line: line)
    XCTAssertEqual(stub.requests.count, 1, line: line)
  }

  func assertAsked(
    after seconds: Double = 0, _ first: HTTPHeaders, status: Int = 200, request: HTTPHeaders = [:],
    line: UInt = #line
  ) async throws {
    let response = try await second(after: seconds, first, status: status, request: request)
    XCTAssertEqual(response.raw[0].int, 2, "the stored response was used", line: line)
    XCTAssertEqual(response.provenance, .network, line: line)
  }

  /// That what lands has been sent by the demo's server.
  func assertTheServerResponded(line: UInt = #line) async throws {
    let response = try await second(after: 70, ["Cache-Control": "max-age=60"])
    XCTAssertEqual(response.headers["Server"], "APIKit-Demo", line: line)
    XCTAssertEqual(try demo.get().0.counters.requests, stub.requests.count, line: line)
  }

  /// Returns when so many responses have been stored; the work behind a landing has no landing to wait for.
  func untilStored(_ count: Int) async {
    for _ in 0..<2000 where cache.statistics.memory.stores < count {
      try? await Task.sleep(for: .milliseconds(1))
      await landingsWorkedOff()
    }
  }
}

/// Has a ``DemoServer`` say what a script says: every response goes over the wire, with a head and a framing of the
/// server's own. The date is that of the test's clock.
private struct DemoRelay: AsyncHTTPTransport {
  let script: StubTransport
  let server: DemoServer
  let wire: any HTTPTransport
  let time: ManualTime

  var capabilities: TransportCapabilities { wire.capabilities }

  func respond(to exchange: HTTPExchange) async throws(APIError) -> HTTPResponse {
    let said = try await script.send(exchange)
    var headers = said.headers
    if !headers.contains("Date") { headers.add("Date", HTTPDate.text(secondsSince1970: time.wallClock)) }
    var request = exchange.request
    let served = DemoResponse(said.status, headers: headers, body: said.bytes)
    server.on(request.method, request.url.path) { _ in served }
    request.url = try server.url(request.url.path + (request.url.query.map { "?" + $0 } ?? ""))
    var response = try await wire.send(request)
    response.url = exchange.request.url
    return response
  }
}
