import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// A store that cannot be written or read: the credential in memory goes on, and somebody hears of it.
@MainActor final class StoreFailureTests: XCTestCase {
  private let stub = StubTransport()
  private let store = FragileStore()
  private let renewing: Authenticator.Renewal = { _ in Credential(accessToken: "new", refreshToken: "r2") }

  override func setUp() async throws {
    stub.on("/api/list", .status(401))
    stub.when({ $0.headers["Authorization"] == "Bearer new" }, .json(someJSON))
  }

  private func makeManager(_ authenticator: Authenticator) -> TestManager {
    let manager = TestManager(stub)
    manager.service.authenticator = authenticator
    manager.sharedState = SharedState()
    return manager
  }

  func testARenewedCredentialThatCannotBeStoredIsUsedAndTheFailureIsTold() async throws {
    let authenticator = Authenticator(store: store, renewal: renewing)
    try authenticator.signIn(with: Credential(accessToken: "old", refreshToken: "r1"))
    let told = Failures()
    authenticator.onStoreFailure { told.append($0) }
    store.fails(true)
    let manager = makeManager(authenticator)
    _ = try await manager.response()
    _ = try await manager.response(["n": 2])
    XCTAssertEqual(
      stub.requests.map { $0.headers["Authorization"] }, ["Bearer old", "Bearer new", "Bearer new"])
    await waitUntil { told.all.count == 1 }
    XCTAssertEqual(told.all.map(\.reason), [.credentialStoreFailed])
    XCTAssertEqual(authenticator.storeFailure?.detail, "the disk is full")

    store.fails(false)
    XCTAssertEqual(
      try store.credential(of: "default")?.accessToken, "old", "the next run would find the old one")
    try authenticator.signIn(with: Credential(accessToken: "new"))
    XCTAssertNil(authenticator.storeFailure)
    XCTAssertEqual(told.all.count, 1)
  }

  func testASignInThatLoadsAskedForGoesOnWithoutItsStore() async throws {
    store.fails(true)
    let authenticator = Authenticator(store: store, signIn: { Credential(accessToken: "new") })
    let manager = makeManager(authenticator)
    manager.signIn = .required
    _ = try await manager.response()
    await waitUntil { authenticator.storeFailure != nil }
    let told = Failures()
    authenticator.onStoreFailure { told.append($0) }
    await waitUntil { !told.all.isEmpty }
    XCTAssertEqual(told.all.map(\.reason), [.credentialStoreFailed], "it is told even when it came before")
    authenticator.onStoreFailure { told.append($0) }
    XCTAssertEqual(told.all.count, 1, "and once")
  }

  func testACallerWhoIsThrownTheFailureIsNotToldAgain() async throws {
    let authenticator = Authenticator(store: store)
    let told = Failures()
    authenticator.onStoreFailure { told.append($0) }
    store.fails(true)
    let error = await failure { try authenticator.signIn(with: Credential(accessToken: "new")) }
    XCTAssertEqual(error?.reason, .credentialStoreFailed)
    XCTAssertEqual(authenticator.credential?.accessToken, "new", "it is in use all the same")
    XCTAssertNotNil(authenticator.storeFailure)
    XCTAssertEqual(told.all.count, 0)
  }

  func testAStoreThatCannotBeReadCountsAsEmptyAndSaysSo() {
    store.fails(true)
    let authenticator = Authenticator(store: store)
    XCTAssertFalse(authenticator.isSignedIn)
    XCTAssertEqual(authenticator.storeFailure?.reason, .credentialStoreFailed)
  }

  func testOfTwoThatStoreAtOnceTheLaterCredentialIsKept() async throws {
    let authenticator = Authenticator(store: store)
    let slow = StubGate()
    store.beforeWriting { if $0?.accessToken == "first" { _ = await slow.arrive() } }
    let first = Task.detached { try authenticator.signIn(with: Credential(accessToken: "first")) }
    await waitUntil { authenticator.isSignedIn && self.store.isWriting }
    try authenticator.signOut()
    slow.open()
    try await first.value
    XCTAssertNil(try store.credential(of: "default"), "nobody is signed in")
  }
}

/// A store in memory that can be told to fail, and to write slowly.
private final class FragileStore: CredentialStore {
  private let base = MemoryCredentialStore()
  private let isFailing = Mutex(false)
  private let writing = Mutex(0)
  private let gate = Mutex<(@Sendable (Credential?) async -> Void)?>(nil)

  func fails(_ fails: Bool) { isFailing.withLock { $0 = fails } }
  func beforeWriting(_ wait: @escaping @Sendable (Credential?) async -> Void) { gate.withLock { $0 = wait } }
  var isWriting: Bool { writing.withLock { $0 > 0 } }

  private func check() throws(APIError) {
    if isFailing.withLock({ $0 }) { throw APIError(.auth, .credentialStoreFailed, "the disk is full") }
  }

  func credential(of account: String) throws(APIError) -> Credential? {
    try check()
    return base.credential(of: account)
  }

  func store(_ credential: Credential?, of account: String) throws(APIError) {
    try check()
    if let wait = gate.withLock({ $0 }), credential != nil {
      writing.withLock { $0 += 1 }
      let done = Latch()
      Task.detached {
        await wait(credential)
        done.open()
      }
      done.wait()
    }
    base.store(credential, of: account)
  }
}

/// Failures in the order in which they were told.
private final class Failures: Sendable {
  private let errors = Mutex<[APIError]>([])
  func append(_ error: APIError) { errors.withLock { $0.append(error) } }
  var all: [APIError] { errors.withLock { $0 } }
}
