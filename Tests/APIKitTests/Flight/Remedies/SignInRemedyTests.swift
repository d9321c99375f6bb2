import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// A refused credential is renewed, and the attempt made once more.
@MainActor final class SignInRemedyTests: XCTestCase {
  private let stub = StubTransport()
  private let renewals = Counter()

  private func makeManager(_ token: String? = "old") throws -> TestManager {
    let renewals = renewals
    let authenticator = Authenticator { _ in
      renewals.increment()
      return Credential(accessToken: "new \(renewals.value)", refreshToken: "r")
    }
    if let token { try authenticator.signIn(with: Credential(accessToken: token, refreshToken: "r")) }
    let manager = TestManager(stub)
    manager.service.authenticator = authenticator
    return manager
  }

  func testACredentialIsRenewedOnceForALoadThatIsRefusedAgain() async throws {
    stub.on("/api/list", .status(401))
    let manager = try makeManager()
    let error = try await errorThrown { () throws(APIError) in try await manager.response() }
    XCTAssertEqual(error.context.status, 401)
    XCTAssertEqual(stub.requests.map { $0.headers["Authorization"] }, ["Bearer old", "Bearer new 1"])
    XCTAssertEqual(renewals.value, 1)
  }

  func testItNeedsNoRetryPolicyAndIsNoAttemptOfIts() async throws {
    stub.on("/api/list", .status(401), .json(someJSON))
    let manager = try makeManager()
    manager.service.signer = CountingSigner()
    let response = try await manager.response()
    XCTAssertEqual(stub.requests.map { $0.headers["X-Attempt"] }, ["1", "1"])
    let story = response.record?.description ?? ""
    XCTAssertTrue(story.contains("sign-in: sent again with another credential"), story)
  }

  func testWithoutACredentialTheRefusalStands() async throws {
    stub.on("/api/list", .status(401))
    let manager = try makeManager(nil)
    let error = try await errorThrown { () throws(APIError) in try await manager.response() }
    XCTAssertEqual(error.context.status, 401)
    XCTAssertEqual(stub.requests.count, 1)
    XCTAssertEqual(renewals.value, 0)
  }

  func testAnotherFailureIsNoRefusal() async throws {
    stub.on("/api/list", .status(403))
    let manager = try makeManager()
    let error = try await errorThrown { () throws(APIError) in try await manager.response() }
    XCTAssertEqual(error.context.status, 403)
    XCTAssertEqual(stub.requests.count, 1)
    XCTAssertEqual(renewals.value, 0)
  }

  func testALoadThatWasRefusedLateGoesWithWhatOthersHaveRenewed() async throws {
    let gate = StubGate()
    stub.on("/api/list", .status(401))
    stub.on("/api/late", .held(by: gate, .status(401)))
    stub.when({ $0.headers["Authorization"] == "Bearer new 1" }, .json(someJSON))
    let manager = try makeManager()
    manager.apiName = "late"
    let recorder = Recorder()
    manager.delegate = recorder
    manager.load()
    try await gate.waitForArrivals(1)
    manager.apiName = "list"
    manager.load()
    await recorder.waitForLandings()
    gate.open()
    await recorder.waitForLandings(2)
    XCTAssertEqual(recorder.responses.count, 2)
    XCTAssertEqual(renewals.value, 1)
  }

  func testAnotherOriginThatRefusesARequestWithoutTheCredentialSaysNothingAboutIt() async throws {
    stub.on("/api/list", .redirect(to: "https://files.test/list"))
    stub.on("/list", .status(401))
    let manager = try makeManager()
    let error = try await errorThrown { () throws(APIError) in try await manager.response() }
    XCTAssertEqual(error.context.status, 401)
    XCTAssertEqual(stub.requests.map { $0.headers["Authorization"] }, ["Bearer old", nil])
    XCTAssertEqual(renewals.value, 0)

    // One that cannot be renewed stays, too.
    let authenticator = Authenticator()
    try authenticator.signIn(with: Credential(accessToken: "old"))
    manager.service.authenticator = authenticator
    manager.signIn = .required
    let other = try await errorThrown { () throws(APIError) in try await manager.response() }
    XCTAssertEqual(other.context.status, 401)
    XCTAssertTrue(authenticator.isSignedIn)
  }

  func testAnotherOriginRefusesTheCredentialThatTheRedirectPolicyHasAdded() async throws {
    stub.on("/api/list", .redirect(to: "https://files.test/list"))
    stub.on("/list", .status(401))
    stub.when(
      { $0.url.host == "files.test" && $0.headers["Authorization"] == "Bearer new 1" }, .json(someJSON))
    let manager = try makeManager()
    let authenticator = try XCTUnwrap(manager.service.authenticator)
    manager.service.client.redirects = .rewriting { proposed, _ throws(APIError) in
      var next = proposed
      next.headers["Authorization"] = "Bearer " + (authenticator.credential?.accessToken ?? "")
      return next
    }
    _ = try await manager.response()
    XCTAssertEqual(
      stub.requests.map { $0.headers["Authorization"] },
      ["Bearer old", "Bearer old", "Bearer new 1", "Bearer new 1"])
  }
}
