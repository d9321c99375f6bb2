import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// The failure of a load may hold the response to its user, and lands as no other's.
@MainActor final class FailureUserTests: LoadUserCase {
  private let refusal = StubResponse.json(#"{"name": "Anna"}"#, status: 422)

  func testAFailureThatWasSuspendedIsNotDeliveredToTheNextUser() async throws {
    stub.on("*", refusal)
    let gate = StubGate(isOpen: false)
    let authenticator = try signedIn()
    let (manager, recorder) = (makeManager(authenticator), Recorder())
    manager.service.onError = { _ in
      _ = await gate.arrive()
      return .letThrough
    }
    manager.delegate = recorder
    let flight = try XCTUnwrap(manager.load().flightID)
    try await gate.waitForArrivals(1)
    try manager.suspend(flight)
    gate.open()
    // It has failed for good, and waits for its caller.
    await waitUntil { manager.flightStore[flight]?.cancellation.state.withLock { $0.waiter != nil } == true }
    try become("bert", authenticator)
    manager.resume(flight)
    await recorder.waitForLandings()
    XCTAssertEqual(recorder.errors.map(\.reason), [.signedOut])
    XCTAssertNil(recorder.errors.first?.response)
    XCTAssertNil(manager.lastError?.response)
  }

  func testAFailureThatTheServiceHasMadeOfItIsNotDeliveredToTheNextUser() async throws {
    stub.on("*", refusal)
    let authenticator = try signedIn()
    let (manager, recorder) = (makeManager(authenticator), Recorder())
    manager.service.onError = { error in
      try? authenticator.signOut()
      try? authenticator.signIn(with: Credential(accessToken: "bert"))
      return .replace(error)
    }
    manager.delegate = recorder
    manager.load()
    await recorder.waitForLandings()
    XCTAssertEqual(recorder.errors.map(\.reason), [.signedOut])
    XCTAssertNil(recorder.errors.first?.response)
  }

  func testAnInterceptorThatSignsOutBeforeAFailureKeepsItsResponseFromTheDelegate() async throws {
    final class Leaver: APIManagerInterceptor {
      let authenticator: Authenticator
      init(_ authenticator: Authenticator) { self.authenticator = authenticator }
      func manager(_ manager: BaseAPIManager, beforeFailure error: APIError) -> Bool {
        try? authenticator.signOut()
        return true
      }
    }
    stub.on("*", refusal)
    let authenticator = try signedIn()
    let (manager, recorder, leaver) = (makeManager(authenticator), Recorder(), Leaver(authenticator))
    manager.delegate = recorder
    manager.addInterceptor(leaver)
    manager.load()
    await recorder.waitForLandings()
    XCTAssertEqual(recorder.errors.map(\.reason), [.signedOut])
    XCTAssertNil(recorder.errors.first?.response)
  }
}
