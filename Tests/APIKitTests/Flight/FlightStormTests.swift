import APIKitTesting
import DemoServer
@testable import TestSupport
import XCTest

@testable import APIKit

/// Many loads at once over real sockets: what reaches the server, and that all land.
@MainActor final class FlightStormTests: XCTestCase {
  private func makeManager(
    at baseURL: HTTPURL, _ change: (inout TestService) -> Void = { _ in }
  ) throws -> TestManager {
    var service = TestService(StubTransport())
    service.environments = ServiceEnvironments(baseURL)
    service.client = try HTTPClient(configuration: .ephemeral)
    change(&service)
    let manager = TestManager(service)
    manager.sharedState = SharedState()
    return manager
  }

  func testAThousandIdenticalLoadsReachTheServerOnce() async throws {
    let latch = Latch()
    let body = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
    let response = body + "Content-Length: \(someJSON.utf8.count)\r\n\r\n" + someJSON
    let server = try ScriptedServer(.readRequest, .wait(latch), .text(response))
    defer { server.stop() }
    let manager = try makeManager(at: try server.url())
    manager.joinsIdenticalFlights = true
    let recorder = Recorder()
    manager.delegate = recorder
    for _ in 0..<1000 { manager.load(["city": "Suzhou"]) }
    await waitUntil { manager.sharedState.joins.waiterCount == 1000 }
    latch.open()
    await recorder.waitForLandings(1000)
    XCTAssertEqual(recorder.responses.count, 1000)
    XCTAssertEqual(server.requests.count, 1)
  }

  func testTheConnectionIsDroppedWhenTheLastOfManyWaitersLeaves() async throws {
    let server = try DemoServer()
    defer { server.stop() }
    server.on(.get, "/list") { _ in
      var response = DemoResponse.json(someJSON)
      response.delay = .seconds(60)
      return response
    }
    let manager = try makeManager(at: server.baseURL)
    manager.joinsIdenticalFlights = true
    for _ in 0..<100 { manager.load() }
    await waitUntil { manager.sharedState.joins.waiterCount == 100 && server.counters.requests == 1 }
    manager.cancel()
    await waitUntil { server.counters.openConnections == 0 }
    XCTAssertEqual(server.counters.requests, 1)
  }

  func testAServerThatIsDownIsNotStormedByRetries() async throws {
    let server = try DemoServer()
    defer { server.stop() }
    server.on(.get, "/list") { _ in DemoResponse(503) }
    let manager = try makeManager(at: server.baseURL) {
      $0.retryPolicy = RetryPolicy(attempts: 5)
      $0.retryPolicy.backoff = .constant(.zero)
    }
    let recorder = Recorder()
    manager.delegate = recorder
    let start = ContinuousClock.now
    for page in 0..<300 { manager.load(["page": page]) }
    await recorder.waitForLandings(300)
    // A budget of 20, and one more for each second that passed.
    let most = 320 + Int((ContinuousClock.now - start) / .seconds(1)) + 1
    XCTAssertEqual(recorder.errors.count, 300)
    XCTAssertGreaterThanOrEqual(server.counters.requests, 320)
    XCTAssertLessThanOrEqual(server.counters.requests, most)
  }

  func testRetriesHealABrokenConnectionAndABusyServer() async throws {
    let server = try DemoServer()
    defer { server.stop() }
    let asked = Counter()
    server.on(.get, "/list") { _ in
      asked.increment()
      switch asked.value {
      case 1:
        var cut = DemoResponse.json(someJSON)
        cut.cutAfter = 5
        return cut
      case 2: return DemoResponse(429, headers: ["Retry-After": "0"])
      default: return .json(someJSON)
      }
    }
    let manager = try makeManager(at: server.baseURL) {
      $0.retryPolicy = .standard
      $0.retryPolicy.backoff = .constant(.milliseconds(1))
    }
    let response = try await manager.response()
    XCTAssertEqual(response.raw["total"].int, 1)
    let text = response.record?.description ?? ""
    for words in ["transport.truncated-body", "status 429: the server asked for 0 µs", "attempt 3"] {
      XCTAssertTrue(text.contains(words), text)
    }
  }

  func testTheDeadlineEndsASilentServersAttemptOnTheWire() async throws {
    let server = try DemoServer()
    defer { server.stop() }
    server.on(.get, "/list") { _ in
      var response = DemoResponse.json(someJSON)
      response.delay = .seconds(60)
      return response
    }
    let manager = try makeManager(at: server.baseURL) {
      $0.retryPolicy = RetryPolicy(attempts: 3, deadline: .milliseconds(200))
    }
    let start = ContinuousClock.now
    let error = try await errorThrown { () throws(APIError) in try await manager.response() }
    XCTAssertEqual(error.reason, .deadlineExceeded, "\(error)")
    XCTAssertLessThan(ContinuousClock.now - start, .seconds(10))
    XCTAssertEqual(server.counters.requests, 1)
  }

  func testABreakerStopsLoadsToAPortThatNobodyServes() async throws {
    let server = try DemoServer()
    let baseURL = server.baseURL
    server.stop()
    let manager = try makeManager(at: baseURL) { $0.breaker = .standard }
    let recorder = Recorder()
    manager.delegate = recorder
    var reasons: [APIError.Reason] = []
    for _ in 0..<12 {
      reasons.append(try await errorThrown { () throws(APIError) in try await manager.response() }.reason)
    }
    XCTAssertEqual(
      reasons, [APIError.Reason](repeating: .connectionRefused, count: 10) + [.circuitOpen, .circuitOpen])
  }

  func testNoMoreThanTheLimitReachTheServerAtOnce() async throws {
    let server = try DemoServer()
    defer { server.stop() }
    server.on(.get, "/list") { _ in
      var response = DemoResponse.json(someJSON)
      response.delay = .milliseconds(5)
      return response
    }
    let manager = try makeManager(at: server.baseURL) { $0.hostLimits = HostLimits(attemptsPerHost: 3) }
    let recorder = Recorder()
    manager.delegate = recorder
    for page in 0..<60 { manager.load(["page": page]) }
    await recorder.waitForLandings(60)
    XCTAssertEqual(recorder.responses.count, 60)
    XCTAssertLessThanOrEqual(server.counters.mostConnections, 3)
  }
}
