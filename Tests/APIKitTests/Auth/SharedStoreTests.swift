import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit

/// One credential store under two authenticators.
@MainActor final class SharedStoreTests: XCTestCase {
  private let stub = StubTransport()
  private let asked = Record<String>()

  override func setUp() async throws { stub.on("/api/list", .status(401)) }

  private func accept(_ token: String) {
    stub.when({ $0.headers["Authorization"] == "Bearer \(token)" }, .json(someJSON))
  }

  /// Renews `r1` to `a2` and `r2`; a token that is used a second time is refused.
  private func renewal(_ gate: StubGate? = nil) -> Authenticator.Renewal {
    let asked = asked
    return { old in
      let token = old.refreshToken ?? ""
      let isUsed = asked.all.contains(token)
      asked.add(token)
      _ = await gate?.arrive()
      if isUsed { throw APIError(.auth, .invalidGrant) }
      return Credential(accessToken: "a2", refreshToken: "r2")
    }
  }

  private func makeManager(_ authenticator: Authenticator, _ rule: SignInRule = .asAvailable) -> TestManager {
    let manager = TestManager(stub)
    manager.service.authenticator = authenticator
    manager.signIn = rule
    manager.sharedState = SharedState()
    return manager
  }

  private func stores() throws -> [any CredentialStore] {
    [
      MemoryCredentialStore(),
      try FileCredentialStore(folder: temporaryPath(), key: SecretKey.random()),
    ]
  }

  func testOfTwoThatAreRefusedAtOnceOneRenewsAndTheOtherTakesItsCredential() async throws {
    accept("a2")
    for store in try stores() {
      let (gate, count) = (StubGate(), asked.all.count)
      try store.store(Credential(accessToken: "a1", refreshToken: "r\(count)"), of: "default")
      let both = (0..<2).map { _ in Authenticator(store: store, renewal: renewal(gate)) }
      let managers = both.map { makeManager($0) }
      async let first = managers[0].response()
      async let second = managers[1].response()
      try await gate.waitForArrivals(1)
      await waitUntil { both.allSatisfy { $0.waiterCount == 1 } }
      gate.open()
      _ = try await (first, second)
      XCTAssertEqual(asked.all.count, count + 1, "\(type(of: store))")
      XCTAssertEqual(both.map { $0.credential?.refreshToken }, ["r2", "r2"])
      XCTAssertEqual(try store.credential(of: "default")?.refreshToken, "r2")
    }
  }

  func testACredentialThatAnotherHasRenewedIsTakenAndNotRenewedAgain() async throws {
    accept("a2")
    let store = MemoryCredentialStore()
    store.store(Credential(accessToken: "a1", refreshToken: "r1"), of: "default")
    let late = Authenticator(store: store, renewal: renewal())
    let early = Authenticator(store: store, renewal: renewal())
    let epoch = late.epoch
    _ = try await makeManager(early).response()
    _ = try await makeManager(late).response()
    XCTAssertEqual(asked.all, ["r1"])
    XCTAssertEqual(late.epoch, epoch, "a renewal elsewhere makes no other user")
  }

  func testWhenAnotherHasSignedOutTheCredentialIsNotRenewed() async throws {
    let store = MemoryCredentialStore()
    store.store(Credential(accessToken: "a1", refreshToken: "r1"), of: "default")
    let authenticator = Authenticator(store: store, renewal: renewal())
    try Authenticator(store: store).signOut()
    let error = await failure { try await self.makeManager(authenticator).response() }
    XCTAssertEqual(error?.reason, .signedOut)
    XCTAssertEqual(asked.all, [])
    XCTAssertFalse(authenticator.isSignedIn)
  }

  func testARenewalThatFailsForGoodLeavesWhatAnotherHasStoredMeanwhile() async throws {
    accept("b1")
    let store = MemoryCredentialStore()
    store.store(Credential(accessToken: "a1", refreshToken: "r1"), of: "default")
    let gate = StubGate()
    let authenticator = Authenticator(store: store) { _ in
      _ = await gate.arrive()
      throw APIError(.auth, .invalidGrant)
    }
    let manager = makeManager(authenticator)
    async let landing = failure { try await manager.response() }
    try await gate.waitForArrivals(1)
    try Authenticator(store: store).signIn(with: Credential(accessToken: "b1"))
    gate.open()
    // The load belongs to the user before.
    let error = await landing
    XCTAssertEqual(error?.reason, .signedOut)
    XCTAssertEqual(authenticator.credential?.accessToken, "b1")
    XCTAssertEqual(store.credential(of: "default")?.accessToken, "b1")
  }

  func testARenewedCredentialDoesNotReplaceAUserWhoHasSignedInMeanwhile() async throws {
    accept("b1")
    let store = MemoryCredentialStore()
    store.store(Credential(accessToken: "a1", refreshToken: "r1"), of: "default")
    let gate = StubGate()
    let authenticator = Authenticator(store: store, renewal: renewal(gate))
    let manager = makeManager(authenticator)
    async let landing = failure { try await manager.response() }
    try await gate.waitForArrivals(1)
    try Authenticator(store: store).signIn(with: Credential(accessToken: "b1"))
    gate.open()
    // The load belongs to the user before.
    let error = await landing
    XCTAssertEqual(error?.reason, .signedOut)
    XCTAssertEqual(store.credential(of: "default")?.accessToken, "b1")
  }

  func testARenewedCredentialIsStoredBeforeAnythingIsSentWithIt() async throws {
    let store = MemoryCredentialStore()
    store.store(Credential(accessToken: "a1", refreshToken: "r1"), of: "default")
    let stored = Record<String?>()
    stub.when(
      { $0.headers["Authorization"] == "Bearer a2" },
      .computed { _ in
        stored.add(store.credential(of: "default")?.accessToken)
        return .json(someJSON)
      })
    _ = try await makeManager(Authenticator(store: store, renewal: renewal())).response()
    XCTAssertEqual(stored.all, ["a2"])
  }

  func testACredentialThatCannotBeRenewedIsDroppedFromTheStoreAndToldOf() async throws {
    accept("b1")
    let store = MemoryCredentialStore()
    let notes = ["user": "7"]
    store.store(Credential(accessToken: "a1", notes: notes), of: "default")
    let authenticator = Authenticator(store: store, signIn: { Credential(accessToken: "b1", notes: notes) })
    var changes = authenticator.changes().makeAsyncIterator()
    _ = try await makeManager(authenticator, .required).response()
    var told: [SignInChange?] = []
    for _ in 0..<4 { told.append(await changes.next()) }
    XCTAssertEqual(told, [.signedIn, .signedOut, .signInNeeded, .signedIn])

    // Where nobody signs in, nothing is left for the next run.
    stub.on("/api/list", .status(401))
    let alone = MemoryCredentialStore()
    alone.store(Credential(accessToken: "old"), of: "default")
    let other = Authenticator(store: alone, signIn: { throw APIError(.auth, .cancelled) })
    _ = await failure { try await self.makeManager(other, .required).response() }
    XCTAssertNil(alone.credential(of: "default"))
  }

  func testACredentialThatCannotBeRenewedIsNotDroppedWhenAnotherHasSignedInAnew() async throws {
    accept("b1")
    let store = MemoryCredentialStore()
    store.store(Credential(accessToken: "a1"), of: "default")
    let authenticator = Authenticator(store: store, signIn: { throw APIError(.auth, .accessDenied) })
    try Authenticator(store: store).signIn(with: Credential(accessToken: "b1"))
    let error = await failure { try await self.makeManager(authenticator, .required).response() }
    XCTAssertEqual(error?.reason, .signedOut, "the load belongs to the user before")
    XCTAssertEqual(store.credential(of: "default")?.accessToken, "b1")
    XCTAssertEqual(authenticator.credential?.accessToken, "b1")
  }

  func testAStoreReplacesOnlyWhatIsExpectedThere() throws {
    for store in try stores() {
      let (old, new) = (Credential(accessToken: "old", expiresAt: 1234.5678), Credential(accessToken: "new"))
      XCTAssertTrue(try store.replace(nil, with: old, of: "ann"))
      XCTAssertFalse(try store.replace(nil, with: new, of: "ann"))
      XCTAssertFalse(try store.replace(new, with: nil, of: "ann"))
      XCTAssertEqual(try store.credential(of: "ann"), old)
      XCTAssertTrue(try store.replace(old, with: nil, of: "ann"))
      XCTAssertNil(try store.credential(of: "ann"))
    }
  }

  func testAccountsOfOneStoreDoNotWaitForEachOther() async throws {
    for store in try stores() {
      let gate = StubGate()
      async let ann: Void = store.withRenewal(of: "ann") { _ = await gate.arrive() }
      try await gate.waitForArrivals(1)
      let bob = try await store.withRenewal(of: "bob") { true }
      XCTAssertTrue(bob)
      gate.open()
      try await ann
    }
  }
}
