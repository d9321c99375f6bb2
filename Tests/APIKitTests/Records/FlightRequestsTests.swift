import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// The requests of a flight, each with its own times.
@MainActor final class FlightRequestsTests: XCTestCase {
  private func measured(
    _ milliseconds: Int64, _ status: Int = 200, _ headers: HTTPHeaders = [:]
  ) -> StubResponse {
    var response = HTTPResponse(status: status, headers: headers, body: .bytes(Array("{}".utf8)))
    response.metrics.total = milliseconds * 1000
    return .response(response)
  }

  func testEveryAttemptAndEveryHopHasItsOwnTimes() async throws {
    let stub = StubTransport()
    stub.on(
      "/api/list", measured(400, 302, ["Location": "https://other.test/there"]), .failure(.connectionLost),
      measured(30, 307, ["Location": "/api/again"]))
    stub.on("/there", measured(41, 503))
    stub.on("/api/again", measured(5))
    let manager = TestManager(stub)
    var policy = RetryPolicy.standard
    policy.backoff = .constant(.zero)
    manager.retryPolicy = policy
    let response = try await manager.response()
    let record = try XCTUnwrap(response.record)
    let requests = record.requests
    XCTAssertEqual(requests.map(\.attempt), [1, 1, 2, 3, 3])
    XCTAssertEqual(requests.map(\.hop), [0, 1, 0, 0, 1])
    XCTAssertEqual(
      requests.map(\.host), ["homes.test", "other.test", "homes.test", "homes.test", "homes.test"])
    XCTAssertEqual(requests.map(\.status), [302, 503, nil, 307, 200])
    XCTAssertEqual(requests.map(\.isBroken), [false, false, true, false, false])
    let times = requests.map(\.duration)
    XCTAssertEqual(times[0], .milliseconds(400))
    XCTAssertEqual(times[1], .milliseconds(41))
    XCTAssertGreaterThan(times[2], .zero, "a failure is measured too")
    XCTAssertEqual(times[3], .milliseconds(30))
    XCTAssertEqual(times[4], .milliseconds(5))
    XCTAssertTrue(record.description.contains("status 302 in 400 ms"), record.description)
  }

  func testARedirectThatCannotBeFollowedIsOneOfTheRequests() async throws {
    let stub = StubTransport(measured(20, 302, ["Location": "ftp://other.test/"]))
    let manager = TestManager(stub)
    let error = try await errorThrown { () throws(APIError) in try await manager.response() }
    XCTAssertEqual(error.reason, .redirectRefused)
    let requests = try XCTUnwrap(error.record).requests
    XCTAssertEqual(requests.map(\.status), [302])
    XCTAssertEqual(requests.map(\.isBroken), [true])
    XCTAssertEqual(requests.map(\.duration), [.milliseconds(20)])
  }

  func testACancelledRequestIsMeasuredAndTheFlightEndsAtItsLanding() async throws {
    let stub = StubTransport(measured(7))
    stub.hold()
    let manager = TestManager(stub)
    let flight = try XCTUnwrap(manager.load().flightID)
    try await stub.waitForRequests(1)
    manager.cancel()
    let landed = try XCTUnwrap(manager.record(of: flight)?.duration)
    for _ in 0..<2000 where manager.record(of: flight)?.requests.isEmpty == true {
      try await Task.sleep(for: .milliseconds(1))
    }
    let record = try XCTUnwrap(manager.record(of: flight))
    XCTAssertEqual(record.requests.map(\.isBroken), [true])
    XCTAssertEqual(record.duration, landed)
  }

  func testALoadThatJoinedAnotherHasNoRequestsOfItsOwn() async throws {
    let stub = StubTransport(measured(7))
    let shared = SharedState()
    stub.hold()
    let managers = (0..<2).map { _ in TestManager(stub) }
    for manager in managers {
      manager.joinsIdenticalFlights = true
      manager.sharedState = shared
    }
    let flights = managers.compactMap { $0.load().flightID }
    await waitUntil { shared.joins.waiterCount == 2 }
    stub.release()
    await waitUntil { managers.allSatisfy { !$0.isLoading } }
    let counts = zip(managers, flights).map { $0.record(of: $1)?.requests.count }
    XCTAssertEqual(counts, [1, 0])
  }
}
