import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit
import APIKitOAuth
import APIKitSigning

/// What goes wrong around a flight: waiters that die, servers that respond with nonsense, clocks that jump.
@MainActor final class BadCaseTests: XCTestCase {
  private let stub = StubTransport()
  private let time = ManualTime()
  private let sharedState = SharedState()

  private func makeManager(_ change: (inout TestService) -> Void = { _ in }) -> TestManager {
    var service = TestService(stub)
    change(&service)
    let manager = TestManager(service)
    manager.sharedState = sharedState
    manager.time = time
    return manager
  }

  // MARK: Joined waiters

  func testAJoinedWaiterThatDiesLeavesTheOthersTheSharedResponse() async throws {
    stub.on("/api/list", .json(someJSON))
    stub.hold()
    var dying: TestManager? = makeManager()
    dying?.joinsIdenticalFlights = true
    let lost = Recorder()
    dying?.delegate = lost
    dying?.load()
    try await stub.waitForRequests(1)
    let living = makeManager()
    living.joinsIdenticalFlights = true
    let recorder = Recorder()
    living.delegate = recorder
    living.load()
    await waitUntil { self.sharedState.joins.waiterCount == 2 }
    weak let gone = dying
    dying = nil
    XCTAssertNil(gone, "a flight does not keep its manager alive")
    await waitUntil { self.sharedState.joins.waiterCount == 1 }
    stub.release()
    await recorder.waitForLandings()
    await landingsWorkedOff()
    XCTAssertEqual(recorder.responses.count, 1)
    XCTAssertEqual(lost.landingCount, 0, "nothing lands for the dead")
    XCTAssertEqual(stub.requests.count, 1)
  }

  // MARK: Token endpoints

  private func makeOAuthManager(_ page: StubResponse) throws -> (TestManager, Authenticator) {
    stub.on("/api/list", .status(401))
    stub.on(.post, "/token", page)
    let stub = stub
    let oauth = OAuthClient(
      OAuthConfiguration(clientID: "app", tokenEndpoint: "https://id.test/token"),
      client: HTTPClient(transport: stub))
    let authenticator = oauth.authenticator()
    try authenticator.signIn(with: Credential(accessToken: "old", refreshToken: "r"))
    return (makeManager { $0.authenticator = authenticator }, authenticator)
  }

  func testATokenEndpointThatRespondsWithHTMLFailsTheLoadsAndSignsNobodyOut() async throws {
    for status in [200, 403, 502] {
      stub.reset()
      let (manager, authenticator) = try makeOAuthManager(
        .bytes(Array("<html>Please log in to the airport".utf8), status: status, contentType: "text/html"))
      let error = await failure { try await manager.response() }
      XCTAssertEqual(error?.reason, .refreshFailed)
      XCTAssertEqual((error?.underlying as? APIError)?.reason, .malformedOAuthResponse)
      XCTAssertEqual(
        error?.detail,
        "the credential could not be renewed: https://id.test/token responded \(status) with text/html where "
          + "JSON is due")
      XCTAssertTrue(authenticator.isSignedIn, "a page of somebody between says nothing of the credential")
      XCTAssertEqual(stub.requests.count { $0.url.path == "/token" }, 1)
    }
  }

  func testARefreshTokenThatIsRefusedSignsOutAndATroubledServerDoesNot() async throws {
    for (code, staysSignedIn) in [
      ("invalid_grant", false), ("temporarily_unavailable", true), ("server_error", true),
    ] {
      stub.reset()
      let (manager, authenticator) = try makeOAuthManager(.json(#"{"error": "\#(code)"}"#, status: 400))
      let error = await failure { try await manager.response() }
      XCTAssertEqual(error?.reason, .refreshFailed)
      XCTAssertEqual(authenticator.isSignedIn, staysSignedIn, code)
    }
  }

  // MARK: Clocks

  func testAClockThatJumpsWhileALoadWaitsMovesNothing() async throws {
    for jump in [86_400.0, -86_400] {
      stub.reset()
      stub.on("/api/list", .status(503, headers: ["Retry-After": "10"]), .json(someJSON))
      let manager = makeManager { $0.retryPolicy = RetryPolicy(attempts: 2, deadline: .seconds(30)) }
      async let response = manager.response()
      await time.advanceOnceAsleep(by: .seconds(9))
      time.wallClock += jump
      XCTAssertEqual(stub.requests.count, 1)
      await time.advanceOnceAsleep(by: .seconds(1))
      let record = try await response.record
      XCTAssertEqual(record?.duration, .seconds(10))
      XCTAssertEqual(stub.requests.count, 2)
    }
  }

  func testAClockThatJumpsAheadCostsOneRenewal() async throws {
    stub.on("/api/list", .json(someJSON))
    let renewals = Counter()
    let time = time
    let authenticator = Authenticator(
      store: MemoryCredentialStore(), rules: .init(),
      renewal: { _ in
        renewals.increment()
        return Credential(accessToken: "new", refreshToken: "r", expiresAt: time.wallClock + 3600)
      }, signIn: nil, time: time)
    try authenticator.signIn(
      with: Credential(accessToken: "old", refreshToken: "r", expiresAt: time.wallClock + 3600))
    let manager = makeManager { $0.authenticator = authenticator }
    _ = try await manager.response()
    time.wallClock += 86_400
    for number in 0..<3 { _ = try await manager.response(["n": number]) }
    time.wallClock -= 86_400
    _ = try await manager.response()
    XCTAssertEqual(renewals.value, 1)
    XCTAssertEqual(
      stub.requests.map { $0.headers["Authorization"] },
      ["Bearer old"] + Array(repeating: "Bearer new", count: 4))
  }

  // MARK: Breakers

  func testBehindAnOpenBreakerAStaleResponseLands() async throws {
    stub.on("/api/list", .json(someJSON), .status(503))
    let manager = makeManager { service in
      service.store = ResponseCache()
      service.breaker = BreakerPolicy()
      service.breaker?.minimumAttempts = 2
    }
    manager.cachePolicy = .networkElseStale()
    _ = try await manager.response()
    _ = try await manager.response()
    XCTAssertEqual(sharedState.openBreakers, ["homes.test:443"])
    let response = try await manager.response()
    guard case .stale = response.provenance else { return XCTFail("\(response.provenance)") }
    XCTAssertEqual(stub.requests.count, 2, "the third load sent nothing")
    let story = response.record?.description ?? ""
    XCTAssertTrue(story.contains("lands with a stale response in place of takeoff.circuit-open"), story)
  }

  // MARK: The record

  func testARecordTellsTheWholeStoryAndNoSecretOfIt() async throws {
    stub.on("/api/list", .status(503), .status(401))
    stub.when({ $0.headers["Authorization"] == "Bearer new-secret" }, .json(someJSON))
    let authenticator = Authenticator { _ in Credential(accessToken: "new-secret", refreshToken: "r-secret") }
    try authenticator.signIn(with: Credential(accessToken: "old-secret", refreshToken: "r-secret"))
    let manager = makeManager { service in
      service.authenticator = authenticator
      service.retryPolicy = RetryPolicy(attempts: 3)
      service.retryPolicy.backoff = .constant(.zero)
      service.store = ResponseCache()
      service.extraHeaders = ["X-Token": "header-secret"]
      service.signer = HMACSigner(key: SecretKey("key-secret"), keyID: "id")
    }
    manager.cachePolicy = .networkElseStale()
    manager.joinsIdenticalFlights = true
    let response = try await manager.response(["city": "Ames", "password": "p-secret"])
    let record = try XCTUnwrap(response.record)
    let story = record.description
    XCTAssertFalse(story.contains("secret"), story)
    var rest = story[...]
    for part in [
      "GET list (Homes), TestManager", "parameters: city=Ames, password=•••", "took off (concurrent)",
      "cache: has no response", "attempt 1 to homes.test", "status 503", "retry in 0 µs",
      "attempt 2 to homes.test",
      "waits for the sign-in", "resumed", "landed: success from the network",
    ] {
      guard let found = rest.range(of: part) else {
        return XCTFail("\(part) is not in its place in:\n\(story)")
      }
      rest = rest[found.upperBound...]
    }
    XCTAssertEqual(record.attempts, 3)
  }
}
