import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// A load goes on while its user stays the same, and ends where the user is another.
@MainActor final class SameUserTests: LoadUserCase {
  /// As Anna, a load is in the air; something happens; the load lands.
  private func assertLands(
    _ authenticator: Authenticator, _ rule: SignInRule = .asAvailable, file: StaticString = #filePath,
    line: UInt = #line, _ change: () async throws -> Void
  ) async throws {
    stub.hold()
    let before = stub.requests.count
    let manager = makeManager(authenticator, rule)
    async let response = manager.response()
    try await stub.waitForRequests(before + 1)
    try await change()
    stub.release()
    do { _ = try await response } catch { XCTFail("\(error)", file: file, line: line) }
  }

  func testASignInOfTheSameUserLeavesTheLoadsAlone() async throws {
    stub.on("*", .json(someJSON))
    let authenticator = try signedIn(user: "7")
    try await assertLands(authenticator) { try authenticator.signIn(with: credential("anna2", user: "7")) }
    XCTAssertEqual(authenticator.epoch, 1)
    // Whose a credential is, the application may say otherwise.
    var rules = Authenticator.Rules()
    rules.user = { $0.scopes.first }
    let other = Authenticator(rules: rules)
    try other.signIn(with: Credential(accessToken: "a", scopes: ["anna"]))
    try await assertLands(other) {
      try other.signIn(with: Credential(accessToken: "b", scopes: ["anna"]))
    }
  }

  func testASignInThatSaysNothingOfItsUserCountsAsAnothers() async throws {
    stub.on("*", .json(someJSON))
    // The last two are one text of other bytes.
    let users: [(String?, String?)] = [
      (nil, nil), ("7", nil), (nil, "7"), ("7", "8"), ("Zo\u{EB}", "Zoe\u{308}"),
    ]
    for (before, after) in users {
      stub.hold()
      let count = stub.requests.count
      let authenticator = try signedIn(user: before)
      let manager = makeManager(authenticator)
      async let failed = errorThrown { () throws(APIError) in try await manager.response() }
      try await stub.waitForRequests(count + 1)
      try authenticator.signIn(with: credential("other", user: after))
      stub.release()
      let error = try await failed
      XCTAssertEqual(error.reason, .signedOut, "\(before ?? "-") \(after ?? "-")")
    }
  }

  func testASignerWhoseCallerIsOneTextOfOtherBytesEndsTheLoad() async throws {
    final class ChangingSigner: RequestSigner {
      let name = Mutex("zo\u{EB}")
      var caller: String? { name.withLock { $0 } }
      func sign(_ request: inout HTTPRequest, _ subject: SigningSubject) throws(APIError) {}
    }
    stub.on("*", .json(someJSON))
    let signer = ChangingSigner()
    let manager = makeManager(nil)
    manager.service.signer = signer
    stub.hold()
    async let failed = errorThrown { () throws(APIError) in try await manager.response() }
    try await stub.waitForRequests(1)
    signer.name.withLock { $0 = "zoe\u{308}" }
    stub.release()
    let error = try await failed
    XCTAssertEqual(error.reason, .signedOut)
  }

  func testARenewalHereLeavesTheLoadsAlone() async throws {
    stub.on("*", .status(401))
    stub.when({ $0.headers["Authorization"] == "Bearer new" }, .json(someJSON))
    let authenticator = Authenticator(renewal: { _ in Credential(accessToken: "new") })
    try authenticator.signIn(with: Credential(accessToken: "old", refreshToken: "r"))
    try await assertLands(authenticator) {}
    XCTAssertEqual(tokens, ["Bearer old", "Bearer new"])
    XCTAssertEqual(authenticator.epoch, 1)
  }

  func testARenewalThatAnotherHolderOfTheStoreHasMadeLeavesTheLoadsAlone() async throws {
    stub.on("*", .status(401))
    stub.when({ $0.headers["Authorization"] == "Bearer new" }, .json(someJSON))
    let store = MemoryCredentialStore()
    let one = Authenticator(store: store, renewal: { _ in throw APIError(.auth, .refreshFailed) })
    try one.signIn(with: Credential(accessToken: "old", refreshToken: "r"))
    let other = Authenticator(store: store, renewal: { _ in Credential(accessToken: "new") })
    try await assertLands(one) {
      let elsewhere = StubTransport(.status(401), .json(someJSON))
      let manager = TestManager(elsewhere)
      manager.service.authenticator = other
      _ = try await manager.response()
    }
    XCTAssertEqual(one.credential?.accessToken, "new")
    XCTAssertEqual(one.epoch, 1)
  }

  func testASignInOfAnotherThatTheStoreBringsEndsTheLoads() async throws {
    stub.on("*", .status(401))
    stub.when({ $0.headers["Authorization"] == "Bearer bert" }, .json(someJSON))
    let store = MemoryCredentialStore()
    let one = Authenticator(store: store, renewal: { _ in throw APIError(.auth, .refreshFailed) })
    try one.signIn(with: Credential(accessToken: "anna", refreshToken: "r"))
    let other = Authenticator(store: store)
    try other.signIn(with: Credential(accessToken: "bert", refreshToken: "r2"))
    let error = try await errorThrown { () throws(APIError) in try await self.makeManager(one).response() }
    XCTAssertEqual(error.reason, .signedOut, "\(error)")
    XCTAssertEqual(tokens, ["Bearer anna"])
  }

  func testARenewalThatFailsForGoodIsToldAsThatAndNotAsASignOut() async throws {
    stub.on("*", .status(401))
    let authenticator = Authenticator(renewal: { _ in throw APIError(.auth, .invalidGrant) })
    try authenticator.signIn(with: Credential(accessToken: "old", refreshToken: "r"))
    let error = try await errorThrown { () throws(APIError) in
      try await self.makeManager(authenticator).response()
    }
    XCTAssertEqual(error.reason, .refreshFailed)
    XCTAssertFalse(authenticator.isSignedIn)
  }

  func testALoadThatWasMadeWhileNobodyWasSignedInTakesTheFirstUserAndKeepsThatOne() async throws {
    stub.on("*", .status(503), .json(someJSON))
    let authenticator = Authenticator()
    let manager = makeManager(authenticator, .required)
    manager.retryPolicy = RetryPolicy(attempts: 3)
    manager.retryPolicy.backoff = .constant(.seconds(10))
    async let failed = errorThrown { () throws(APIError) in try await manager.response() }
    await waitUntil { authenticator.isSignInNeeded }
    try authenticator.signIn(with: credential("anna"))
    await waitUntil { self.time.sleeperCount > 0 }
    try become("bert", authenticator)
    time.advance(by: .seconds(10))
    let error = try await failed
    XCTAssertEqual(error.reason, .signedOut)
    XCTAssertEqual(tokens, ["Bearer anna"])
  }

  func testALoadThatCarriesNothingOfAUserIsNotConcerned() async throws {
    stub.on("*", .json(someJSON))
    let authenticator = try signedIn()
    try await assertLands(authenticator, .exempt) { try become("bert", authenticator) }
  }

  func testAResponseToCookiesOfAnotherHostIsNotDeliveredAfterTheirRemoval() async throws {
    stub.on("/api/list", .redirect(to: "https://people.test/me"))
    let jar = CookieJar()
    jar.store(["Set-Cookie": "user=anna"], from: "https://people.test/")
    let manager = makeManager(nil)
    manager.service.client.cookies = jar
    let gate = StubGate()
    stub.on("/me", .held(by: gate, .json(someJSON)))
    async let failed = errorThrown { () throws(APIError) in try await manager.response() }
    try await gate.waitForArrivals(1)
    XCTAssertEqual(stub.requests.last?.headers["Cookie"], "user=anna")
    jar.removeAll()
    gate.open()
    let error = try await failed
    XCTAssertEqual(error.reason, .signedOut)
  }
}
