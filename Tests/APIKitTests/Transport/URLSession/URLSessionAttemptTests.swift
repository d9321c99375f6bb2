import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What an attempt makes of the system's callbacks, given to it one by one.
final class URLSessionAttemptTests: XCTestCase {
  private let session = URLSession(configuration: .ephemeral)
  private let faults = TrustFaults()
  private let results = Results()
  private let request = HTTPRequest(url: "https://homes.test/list")

  private final class Results: Sendable {
    let all = Mutex<[Result<HTTPResponse, APIError>]>([])
    var error: APIError? {
      all.withLock { all in if case .failure(let error)? = all.first { error } else { nil } }
    }
    var count: Int { all.withLock { $0.count } }
  }

  private func attempt(tellsMetrics: Bool = false) throws -> URLSessionAttempt {
    let system = try URLSessionTransport.bridge(request, headers: HTTPHeaders())
    return URLSessionAttempt(
      task: session.dataTask(with: system), queue: session.delegateQueue, exchange: HTTPExchange(request),
      terms: URLSessionAttempt.Terms(
        timeouts: .standard, maximumDecodedBytes: 1 << 20, faults: faults, tellsMetrics: tellsMetrics),
      start: .now
    ) { [results] result in results.all.withLock { $0.append(result) } }
  }

  private let mismatch = APIError(.transport, .pinMismatch, "none of the 2 pins of homes.test matches")

  func testATaskThatTheSystemCancelsFailsWithTheLastFaultOfItsHost() throws {
    faults.note(.fail(mismatch), of: "HOMES.test.", port: 443)
    try attempt().complete(URLError(.cancelled))
    XCTAssertEqual(results.error?.reason, .pinMismatch)
    XCTAssertEqual(results.error?.detail, mismatch.detail)
    XCTAssertNotNil(results.error?.metrics)
  }

  func testATaskThatTheSystemCancelsWithoutAReasonIsAFailure() throws {
    faults.note(.fail(mismatch), of: "homes.test", port: 8443)
    faults.note(.fail(mismatch), of: "homes.test", port: 443)
    // It has shown another certificate since.
    faults.note(.trust, of: "homes.test", port: 443)
    try attempt().complete(URLError(.cancelled))
    XCTAssertEqual(results.error?.reason, .transportFailed)
    XCTAssertEqual(results.error?.detail.contains("-999"), true)
  }

  func testWhatTheSystemHasRefusedByItselfIsTheFaultOfLaterTasks() throws {
    try attempt().complete(URLError(.serverCertificateHasBadDate))
    XCTAssertEqual(results.error?.reason, .certificateExpired)
    try attempt().complete(URLError(.networkConnectionLost))
    try attempt().complete(URLError(.cancelled))
    let reasons = results.all.withLock { all in
      all.map { result -> APIError.Reason? in
        if case .failure(let error) = result { error.reason } else { nil }
      }
    }
    XCTAssertEqual(reasons, [.certificateExpired, .connectionLost, .certificateExpired])
  }

  func testOtherErrorsOfTheHostKeepTheirReason() throws {
    faults.note(.fail(mismatch), of: "homes.test", port: 443)
    try attempt().complete(URLError(.networkConnectionLost))
    XCTAssertEqual(results.error?.reason, .connectionLost)
  }

  func testACallerThatCancelsGetsACancellationWhateverTheSystemSays() throws {
    faults.note(.fail(mismatch), of: "homes.test", port: 443)
    let attempt = try attempt(tellsMetrics: true)
    attempt.cancel()
    XCTAssertEqual(results.error?.reason, .cancelled, "at once")
    attempt.complete(URLError(.cancelled))
    XCTAssertEqual(results.count, 1)
  }

  func testFaultsAreForgottenBeforeTheyAreTooMany() {
    for port in 0..<10_000 { faults.note(.fail(mismatch), of: "homes.test", port: port) }
    let known = (0..<10_000).count { port in
      guard let url = try? HTTPURL("https://homes.test:\(port)/") else { return false }
      return faults.failure(for: URLError(.cancelled), of: url)?.reason == .pinMismatch
    }
    XCTAssertLessThanOrEqual(known, 256)
    XCTAssertGreaterThan(known, 0)
  }

  func testAnAttemptThatFailsHereWaitsForWhatTheSystemHasMeasured() async throws {
    let attempt = try attempt(tellsMetrics: true)
    attempt.fail(APIError(.transport, .idleTimeout))
    XCTAssertEqual(results.count, 0)
    attempt.fail(APIError(.transport, .totalTimeout))
    attempt.receive(Data([1, 2, 3]))
    attempt.state.withLock { $0.metrics.remoteAddress = "192.0.2.1" }
    attempt.complete(URLError(.cancelled))
    XCTAssertEqual(results.error?.reason, .idleTimeout, "the first failure counts")
    XCTAssertEqual(results.error?.metrics?.remoteAddress, "192.0.2.1")
    XCTAssertEqual(results.error?.metrics?.bytesReceived, 0, "what came afterwards is ignored")
    XCTAssertEqual(results.count, 1)
  }

  func testAnAttemptThatFailsHereDoesNotWaitForASystemThatSaysNothing() async throws {
    let attempt = try attempt(tellsMetrics: true)
    attempt.fail(APIError(.transport, .idleTimeout))
    await waitUntil { [results] in results.count == 1 }
    XCTAssertEqual(results.error?.reason, .idleTimeout)
    attempt.complete(URLError(.cancelled))
    XCTAssertEqual(results.count, 1)
  }
}
