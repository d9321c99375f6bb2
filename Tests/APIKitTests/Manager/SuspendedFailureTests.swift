import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// A load that its caller has suspended does not land until it is resumed, not as failed either.
@MainActor final class SuspendedFailureTests: XCTestCase {
  private enum Failure: CaseIterable {
    case sharedCall, batch, gate, slotDeadline, signIn, signOut, hook
  }

  func testASuspendedLoadDoesNotFailBeforeItIsResumed() async throws {
    for failure in Failure.allCases {
      for end in ["resume", "cancel", "release"] { try await run(failure, end) }
    }
  }

  private func plan(_ window: Duration) -> BatchPlan {
    var plan = BatchPlan.byID("id", list: "list", as: "ids", items: "items")
    plan.window = window
    return plan
  }

  private func run(_ failure: Failure, _ end: String) async throws {
    let name = "\(failure) \(end)"
    let stub = StubTransport(.status(500))
    let shared = SharedState()
    var manager: TestManager? = TestManager(stub)
    manager?.sharedState = shared
    let authenticator = Authenticator()
    let recorder = Recorder()
    manager?.delegate = recorder
    let other = TestManager(stub)
    other.sharedState = shared
    let gate = StubGate()
    var reason = APIError.Reason.unacceptableStatus
    var go: () throws -> Void = {}
    stub.hold()
    switch failure {
    case .sharedCall:
      manager?.joinsIdenticalFlights = true
      other.joinsIdenticalFlights = true
      other.load()
      go = { stub.release() }
    case .batch:
      let plan = plan(.milliseconds(50))
      manager?.service.onBatchPlan = { _ in plan }
      other.service.onBatchPlan = { _ in plan }
      other.load(["id": 2])
      go = { stub.release() }
    case .gate:
      manager?.service.networkGate = .wait(upTo: .milliseconds(100))
      manager?.service.network.force(.offline)
      reason = .noNetwork
    case .slotDeadline:
      manager?.service.hostLimits = HostLimits(attemptsPerHost: 1)
      other.service.hostLimits = HostLimits(attemptsPerHost: 1)
      other.load()
      try await stub.waitForRequests(1)
      manager?.service.retryPolicy.deadline = .milliseconds(100)
      reason = .deadlineExceeded
    case .signIn:
      manager?.service.authenticator = authenticator
      manager?.signIn = .required
      go = { authenticator.failSignIn(ValidationError("no")) }
      reason = .signInFailed
    case .signOut:
      try authenticator.signIn(with: Credential(accessToken: "a"))
      manager?.service.authenticator = authenticator
      manager?.service.networkGate = .wait(upTo: .seconds(10))
      manager?.service.network.force(.offline)
      go = { try authenticator.signOut() }
      reason = .signedOut
    case .hook:
      stub.release()
      manager?.service.onError = { _ in
        _ = await gate.arrive()
        return .letThrough
      }
      go = { gate.open() }
    }
    let flight = try XCTUnwrap(manager?.load(["id": 1]).flightID)
    if failure == .hook { try await gate.waitForArrivals(1) }
    try await Task.sleep(for: .milliseconds(30))
    try manager?.suspend(flight)
    try go()
    try await Task.sleep(for: .milliseconds(200))
    XCTAssertEqual(recorder.landingCount, 0, "\(name) \(recorder.errors)")
    guard recorder.landingCount == 0 else { return }
    let start = ContinuousClock.now
    switch end {
    case "resume":
      manager?.resume(flight)
      if failure == .slotDeadline { stub.release() }
      await waitUntil { recorder.landingCount == 1 }
      XCTAssertLessThan(ContinuousClock.now - start, .seconds(1), name)
      XCTAssertEqual(recorder.errors.map(\.reason), [reason], name)
    case "cancel":
      manager?.cancel(flight)
      try await Task.sleep(for: .milliseconds(50))
      XCTAssertEqual(recorder.cancellations.count, 1, name)
      XCTAssertEqual(recorder.landingCount, 1, name)
    default:
      weak let released = manager
      manager = nil
      XCTAssertNil(released, name)
      try await Task.sleep(for: .milliseconds(50))
      XCTAssertEqual(recorder.landingCount, 0, name)
    }
    stub.release()
    other.cancel()
  }
}
