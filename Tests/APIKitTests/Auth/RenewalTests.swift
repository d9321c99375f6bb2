import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit
import APIKitSigning

/// A refused credential is renewed once for all loads, as an application meets it.
@MainActor final class RenewalTests: SignInCase {
  func testAThousandRefusedAtOnceMakeOneRenewalAndAllAreSentAgain() async throws {
    acceptOnly("new")
    let gate = StubGate()
    let renewals = renewals
    let authenticator = try authenticator { _ in
      renewals.increment()
      _ = await gate.arrive()
      return Credential(accessToken: "new", refreshToken: "r2")
    }
    let manager = makeManager(authenticator)
    let recorder = Recorder()
    manager.delegate = recorder
    stub.hold()
    for number in 0..<1000 { manager.load(["n": number]) }
    try await stub.waitForRequests(1000)
    stub.release()
    await waitUntil { authenticator.waiterCount == 1000 }
    gate.open()
    await recorder.waitForLandings(1000)
    XCTAssertEqual(recorder.responses.count, 1000)
    XCTAssertEqual(renewals.value, 1)
    XCTAssertEqual(stub.requests.count, 2000)
    XCTAssertEqual(authenticator.credential?.refreshToken, "r2")
    XCTAssertEqual(authenticator.waiterCount, 0)
  }

  func testTheSecondAttemptIsSignedAfreshAndTheRecordTellsTheStory() async throws {
    acceptOnly("new")
    let manager = makeManager(try authenticator(renewal: renewing(to: "new")))
    manager.service.signer = HMACSigner(key: SecretKey("key"), keyID: "id")
    let response = try await manager.response()
    let signed = stub.requests.map { $0.headers.map { "\($0.name):\($0.value)" }.joined() }
    XCTAssertEqual(signed.count, 2)
    XCTAssertNotEqual(signed[0], signed[1])
    let story = try XCTUnwrap(response.record).description
    XCTAssertTrue(story.contains("waits for the sign-in"), story)
    XCTAssertTrue(story.contains("resumed"), story)
    XCTAssertFalse(story.contains("new\n"), "no token stands in it")
  }

  func testARenewalThatIsItselfRefusedFailsTheLoadsOnceAndSignsOut() async throws {
    stub.on("/api/list", .status(401))
    stub.on("/api/token", .status(401))
    let tokens = TestManager(stub)
    tokens.apiName = "token"
    tokens.signIn = .exempt
    let authenticator = try authenticator { old in
      let response = try await tokens.response(["refresh_token": old.refreshToken ?? ""])
      return Credential(accessToken: response.raw.access_token.string ?? "")
    }
    tokens.service.authenticator = authenticator
    let manager = makeManager(authenticator)
    let recorder = Recorder()
    manager.delegate = recorder
    for number in 0..<20 { manager.load(["n": number]) }
    await recorder.waitForLandings(20)
    XCTAssertEqual(Set(recorder.errors.map(\.reason)), [.refreshFailed])
    XCTAssertEqual(recorder.errors.count, 20)
    XCTAssertEqual((recorder.errors.first?.underlying as? APIError)?.context.status, 401)
    XCTAssertEqual(stub.requests.count { $0.url.path == "/api/token" }, 1)
    XCTAssertFalse(authenticator.isSignedIn)
  }

  func testAManagersRenewalIsJudgedByItsResponseAsAnOAuthClientsIs() async throws {
    func page(_ status: Int, _ text: String, _ type: String) -> StubResponse {
      .bytes(Array(text.utf8), status: status, contentType: type)
    }
    let rows: [(StubResponse, isKept: Bool)] = [
      (page(403, "<html>blocked</html>", "text/html"), true),
      (page(400, "<html>", "text/html; charset=utf-8"), true),
      (page(400, #"{"error": "server_error"}"#, "application/json"), true),
      (page(403, #"{"error": "temporarily_unavailable"}"#, "application/json"), true),
      (page(400, #"{"error": "invalid_grant"}"#, "application/json"), false),
      (page(422, #"{"error": "invalid_grant"}"#, "application/json"), false),
      (page(400, #"{"message": "no"}"#, "application/json"), false),
      (page(403, "no", "text/plain"), false),
    ]
    for (response, isKept) in rows {
      let stub = StubTransport()
      stub.on("/api/list", .status(401))
      stub.on("/api/token", response)
      let tokens = TestManager(stub)
      tokens.apiName = "token"
      tokens.signIn = .exempt
      let authenticator = try authenticator { old in
        let response = try await tokens.response(["refresh_token": old.refreshToken ?? ""])
        return Credential(accessToken: response.raw.access_token.string ?? "")
      }
      let manager = TestManager(stub)
      manager.service.authenticator = authenticator
      manager.sharedState = SharedState()
      let error = await failure { try await manager.response() }
      XCTAssertEqual(error?.reason, .refreshFailed)
      XCTAssertEqual(authenticator.isSignedIn, isKept, "\(response)")
    }
  }

  func testAThousandRefusedBeforeAndAfterTheFailedRenewalLandWithOneError() async throws {
    let gates = [StubGate(), StubGate()]
    let authenticator = try authenticator { _ in throw APIError(.auth, .invalidGrant) }
    let manager = makeManager(authenticator)
    let recorder = Recorder()
    manager.delegate = recorder
    for (half, gate) in gates.enumerated() {
      manager.apiName = "half/\(half)"
      stub.on("/api/half/\(half)", .held(by: gate, .status(401)))
      for number in 0..<500 { manager.load(["n": number]) }
    }
    for gate in gates { try await gate.waitForArrivals(500) }
    gates[0].open()
    await recorder.waitForLandings(500)
    XCTAssertFalse(authenticator.isSignedIn)
    gates[1].open()
    await recorder.waitForLandings(1000)
    XCTAssertEqual(Set(recorder.errors.map(\.label)), ["auth.refresh-failed"])
    XCTAssertEqual(recorder.errors.count, 1000)
  }

  func testATokenOfAMinuteIsNotRenewedForEveryLoad() async throws {
    acceptOnly("new")
    let renewals = renewals
    let time = ManualTime()
    let authenticator = try authenticator(time: time) { _ in
      renewals.increment()
      return Credential(accessToken: "new", expiresAt: time.wallClock + 60)
    }
    let manager = makeManager(authenticator)
    for number in 0..<10 { _ = try await manager.response(["n": number]) }
    XCTAssertEqual(renewals.value, 1)
    time.advance(by: .seconds(46))
    _ = try await manager.response()
    XCTAssertEqual(renewals.value, 2, "a quarter of its life before its end it is")
  }

  func testATokenEndpointThatSaysWhenToComeAgainIsAskedAgainThen() async throws {
    acceptOnly("new")
    let (renewals, time) = (renewals, ManualTime())
    let busy = APIError(
      .response, .unacceptableStatus,
      evidence: .init(status: 503, headers: [("Retry-After", "7")], body: []))
    let authenticator = try authenticator(time: time) { _ in
      renewals.increment()
      guard renewals.value > 2 else { throw busy }
      return Credential(accessToken: "new")
    }
    let manager = makeManager(authenticator)
    async let landing = manager.response()
    for count in 1...2 {
      // The limits of the renewal, for those who wait and for its turn, sleep too.
      await time.advanceOnceAsleep(by: .seconds(6), sleepers: 3)
      XCTAssertEqual(renewals.value, count, "not before the seven seconds are over")
      await time.advanceOnceAsleep(by: .seconds(1), sleepers: 3)
      await waitUntil { renewals.value == count + 1 }
    }
    _ = try await landing
    XCTAssertEqual(renewals.value, 3)
  }

  func testATokenEndpointThatAsksForMoreTimeThanLoadsWaitFailsThemAtOnceAndIsLeftAlone() async throws {
    acceptOnly("new")
    let (renewals, time) = (renewals, ManualTime())
    let authenticator = try authenticator(time: time) { _ in
      renewals.increment()
      throw APIError(
        .response, .unacceptableStatus,
        evidence: .init(status: 503, headers: [("Retry-After", "90")], body: []))
    }
    let manager = makeManager(authenticator)
    for (elapsed, count) in [(0, 1), (89, 1), (2, 2)] {
      time.advance(by: .seconds(elapsed))
      let error = await failure { try await manager.response() }
      XCTAssertEqual(error?.reason, .refreshFailed)
      XCTAssertEqual(renewals.value, count)
    }
    XCTAssertTrue(authenticator.isSignedIn)
  }

  func testARenewalThatNeverReturnsFailsTheLoadsAtItsLimit() async throws {
    acceptOnly("new")
    let time = ManualTime()
    let never = StubGate()
    let authenticator = try authenticator(time: time) { _ in
      // Deaf to cancellation, too.
      _ = await Task.detached { await never.arrive() }.value
      return Credential(accessToken: "new")
    }
    let manager = makeManager(authenticator)
    async let landing = failure { try await manager.response() }
    await waitUntil { authenticator.waiterCount == 1 }
    await time.advanceOnceAsleep(by: .seconds(30), sleepers: 2)
    let error = await landing
    XCTAssertEqual(error?.reason, .refreshFailed)
    XCTAssertEqual(error?.detail, "the credential was not renewed within 30 s")
    // It keeps no other renewal out.
    time.advance(by: .seconds(6))
    async let second = manager.response()
    try await never.waitForArrivals(2)
    never.open()
    _ = try await second
    await waitUntil { authenticator.credential?.accessToken == "new" }
  }

  func testALoadThatRenewsWhatItNeedsItselfIsNamedAsACycle() async throws {
    acceptOnly("new")
    let tokens = TestManager(stub)
    tokens.apiName = "token"
    let authenticator = try authenticator { _ in
      _ = try await tokens.response()
      return Credential(accessToken: "new")
    }
    tokens.service.authenticator = authenticator
    let error = await failure { try await self.makeManager(authenticator).response() }
    XCTAssertEqual(error?.reason, .refreshFailed)
    let cause = error?.underlying as? APIError
    XCTAssertEqual(cause?.reason, .signInCycle)
    XCTAssertTrue(cause?.detail.contains("TestManager → sign-in of Homes → TestManager") == true)
    XCTAssertEqual(stub.requests.count, 1, "nothing was sent to renew")
  }
}
