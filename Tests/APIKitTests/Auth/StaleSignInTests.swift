import APIKitTesting
import Dispatch
@testable import TestSupport
import XCTest

@testable import APIKit

/// Sign-ins that end when loads do not wait for them any more.
@MainActor final class StaleSignInTests: XCTestCase {
  private enum Deed: CaseIterable { case cancelSignIn, failSignIn, signInOfAnother, signOut, cancelLoad }

  func testASignInThatWasEndedOrOvertakenHasNoEffect() async throws {
    for deed in Deed.allCases {
      let stub = StubTransport(.json(someJSON))
      let (gate, ended) = (StubGate(), Counter())
      let authenticator = Authenticator(
        signIn: {
          _ = await gate.arrive()
          defer { ended.increment() }
          return Credential(accessToken: "anna", notes: ["user": "anna"])
        })
      let manager = TestManager(stub)
      (manager.service.authenticator, manager.signIn) = (authenticator, .required)
      let recorder = Recorder()
      manager.delegate = recorder
      manager.load()
      try await gate.waitForArrivals(1)
      var expected: String? = "anna"
      switch deed {
      case .cancelSignIn:
        authenticator.cancelSignIn()
        expected = nil
      case .failSignIn:
        authenticator.failSignIn(ValidationError("no"))
        expected = nil
      case .signInOfAnother:
        try authenticator.signIn(with: Credential(accessToken: "bert", notes: ["user": "bert"]))
        expected = "bert"
      // The load still waits for who comes.
      case .signOut: try authenticator.signOut()
      case .cancelLoad: manager.cancel()
      }
      gate.open()
      await waitUntil { ended.value == 1 && recorder.landingCount == 1 }
      try await Task.sleep(for: .milliseconds(50))
      XCTAssertEqual(authenticator.credential?.accessToken, expected, "\(deed)")
      let sender: String? = [.signInOfAnother, .signOut].contains(deed) ? expected : nil
      XCTAssertEqual(
        stub.requests.map { $0.headers["Authorization"] }, sender.map { ["Bearer \($0)"] } ?? [], "\(deed)")
    }
  }

  func testNobodyIsAskedToSignInBehindASignIn() async throws {
    let asked = Counter()
    let authenticator = Authenticator(
      signIn: {
        asked.increment()
        return Credential(accessToken: "anna")
      })
    let flight = FlightID.next()
    let (_, work) = authenticator.ask(for: flight, .required)
    try authenticator.signIn(with: Credential(accessToken: "bert"))
    _ = await authenticator.wait(work, for: flight)
    try await Task.sleep(for: .milliseconds(50))
    XCTAssertEqual(asked.value, 0)
    XCTAssertEqual(authenticator.credential?.accessToken, "bert")
  }

  /// Reads as slowly as a keychain may: each read but the first waits for the test.
  private final class SlowStore: CredentialStore {
    let reads = Counter()
    let go = DispatchSemaphore(value: 0)

    func credential(of account: String) throws(APIError) -> Credential? {
      reads.increment()
      if reads.value > 1 { _ = go.wait(timeout: .now() + 10) }
      return nil
    }
    func store(_ credential: Credential?, of account: String) throws(APIError) {}
  }

  func testNobodyIsAskedToSignInForALoadThatWasCancelled() async throws {
    let (stub, store, asked) = (StubTransport(.json(someJSON)), SlowStore(), Counter())
    let authenticator = Authenticator(
      store: store,
      signIn: {
        asked.increment()
        return Credential(accessToken: "anna")
      })
    let manager = TestManager(stub)
    (manager.service.authenticator, manager.signIn) = (authenticator, .required)
    let load = Task { try await manager.response() }
    await waitUntil { store.reads.value == 2 }
    load.cancel()
    _ = await load.result
    store.go.signal()
    try await Task.sleep(for: .milliseconds(50))
    XCTAssertEqual(asked.value, 0)
    XCTAssertFalse(authenticator.isSignInNeeded)
    // The next load asks.
    store.go.signal()
    _ = try await manager.response()
    XCTAssertEqual(asked.value, 1)
    XCTAssertEqual(stub.requests.map { $0.headers["Authorization"] }, ["Bearer anna"])
  }
}
