import APIKitTesting
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
}
