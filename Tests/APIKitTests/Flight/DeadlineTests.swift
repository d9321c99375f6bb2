import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// Whatever holds a load up before its request is sent: behind its deadline nothing is.
@MainActor final class DeadlineTests: XCTestCase {
  /// A signer that asks a person, which takes its time.
  private struct SlowSigner: RequestSigner {
    let time: ManualTime
    let taken: Duration

    func sign(_ request: inout HTTPRequest, _ subject: SigningSubject) { time.advance(by: taken) }
  }

  private let stub = StubTransport(.json(someJSON))
  private let time = ManualTime()

  private func makeManager(_ method: HTTPMethod = .get) -> TestManager {
    let manager = TestManager(stub)
    manager.method = method
    manager.retryPolicy = RetryPolicy(attempts: 3, deadline: .seconds(5))
    manager.sharedState = SharedState()
    manager.time = time
    return manager
  }

  private func isRefused(_ manager: TestManager, line: UInt = #line) async throws {
    let error = try await errorThrown { () throws(APIError) in try await manager.response() }
    XCTAssertEqual(error.reason, .deadlineExceeded, line: line)
    XCTAssertEqual(error.requestProgress, .unsent, line: line)
    XCTAssertEqual(stub.requests.count, 0, line: line)
  }

  func testALoadThatWasAssembledForTooLongIsNotSent() async throws {
    for method in [HTTPMethod.get, .post] {
      let manager = makeManager(method)
      manager.service.onCommonParameters = { [time] in
        time.advance(by: .seconds(6))
        return [:]
      }
      try await isRefused(manager)
    }
  }

  func testALoadWhoseSignerTookTooLongIsNotSent() async throws {
    let manager = makeManager(.post)
    manager.service.signer = SlowSigner(time: time, taken: .seconds(6))
    try await isRefused(manager)
  }

  func testTheTimeOfTheSignerIsNotAddedToTheDeadline() async throws {
    let manager = makeManager()
    manager.service.signer = SlowSigner(time: time, taken: .seconds(3))
    _ = try await manager.response()
    XCTAssertEqual(stub.requests.map(\.timeouts.ceiling), [.seconds(2)])
  }

  func testALoadThatItsCallerHasSuspendedUntilThenIsNotSent() async throws {
    let manager = makeManager(.post)
    manager.service.networkGate = .wait(upTo: .seconds(60))
    manager.service.network.force(.offline)
    let recorder = Recorder()
    manager.delegate = recorder
    let flight = try XCTUnwrap(manager.load().flightID)
    try manager.suspend(flight)
    manager.service.network.force(.wifi)
    await waitUntil { manager.record(of: flight)?.description.contains("wifi after") == true }
    time.advance(by: .seconds(6))
    manager.resume(flight)
    await recorder.waitForLandings()
    XCTAssertEqual(recorder.errors.map(\.reason), [.deadlineExceeded])
    XCTAssertEqual(stub.requests.count, 0)
  }

  func testARedirectIsNotFollowedBehindTheDeadline() async throws {
    let manager = makeManager()
    stub.on("/api/list", .redirect(to: "https://elsewhere.test/list"))
    stub.hold()
    async let failed = errorThrown { () throws(APIError) in try await manager.response() }
    try await stub.waitForRequests(1)
    time.advance(by: .seconds(6))
    stub.release()
    let error = try await failed
    XCTAssertEqual(error.reason, .deadlineExceeded)
    XCTAssertEqual(stub.requests.count, 1)
  }

  func testALoadThatWasNotSentSaysNothingAboutTheServer() async throws {
    let manager = makeManager()
    var policy = BreakerPolicy()
    policy.minimumAttempts = 1
    manager.service.breaker = policy
    manager.service.signer = SlowSigner(time: time, taken: .seconds(6))
    try await isRefused(manager)
    XCTAssertEqual(manager.sharedState.openBreakers, [])
  }
}
