import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitTransfers

/// Whose kept loads are, and what becomes of them when a user leaves.
@MainActor final class OutboxUserTests: OutboxCase {
  private func credential(_ user: String) -> Credential {
    Credential(accessToken: "token of \(user)", notes: ["user": user])
  }

  func testAnItemIsNeverSentAsAnotherUser() async throws {
    let authenticator = Authenticator()
    service.authenticator = authenticator
    try authenticator.signIn(with: credential("ann"))
    let outbox = outbox { $0.keepsItemsAtSignOut = true }
    let manager = manager()
    manager.load(["text": "ann's"])
    await outbox.flush()
    try authenticator.signOut()
    try authenticator.signIn(with: credential("bob"))
    manager.load(["text": "bob's"])
    outbox.start()
    try await turn { self.stub.requests.count == 1 }
    for _ in 0..<20 {
      time.advance(by: .seconds(10))
      try await Task.sleep(for: .milliseconds(2))
    }
    XCTAssertEqual(stub.requests.map { $0.headers["Authorization"] }, ["Bearer token of bob"])
    try authenticator.signIn(with: credential("ann"))
    try await turn { self.stub.requests.count == 2 }
    XCTAssertEqual(stub.requests.last?.headers["Authorization"], "Bearer token of ann")
  }

  func testAnItemIsNotSentAsAUserWhoseNameIsOneTextOfOtherBytes() async throws {
    let authenticator = Authenticator()
    service.authenticator = authenticator
    try authenticator.signIn(with: credential("zo\u{EB}"))
    let outbox = outbox { $0.keepsItemsAtSignOut = true }
    manager().load(["text": "mine"])
    await outbox.flush()
    try authenticator.signOut()
    try authenticator.signIn(with: Credential(accessToken: "other", notes: ["user": "zoe\u{308}"]))
    outbox.start()
    for _ in 0..<50 {
      time.advance(by: .seconds(10))
      try await Task.sleep(for: .milliseconds(2))
    }
    XCTAssertEqual(stub.requests.map { $0.headers["Authorization"] }, [])
  }

  func testWhoSignsOutTakesTheItemsAlong() async throws {
    let authenticator = Authenticator()
    service.authenticator = authenticator
    try authenticator.signIn(with: credential("ann"))
    let (outbox, delegate) = (outbox(), OutboxRecorder())
    let manager = manager(delegate)
    // One is on its way, one waits.
    stub.hold()
    manager.load(["text": "one"])
    manager.load(["text": "two"])
    outbox.start()
    try await stub.waitForRequests(1)
    try authenticator.signOut()
    try await turn { try await outbox.items().isEmpty }
    XCTAssertEqual(
      delegate.story, ["queued 1", "queued 2", "cancelled signed-out", "cancelled signed-out"])
    stub.release()
    XCTAssertEqual(stub.requests.count, 1)
  }

  func testASignOutIsWrittenDownBeforeTheCredentialGoes() async throws {
    let store = NotingStore { [folder] in
      ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).contains {
        $0.hasPrefix("leaving-")
      }
    }
    let authenticator = Authenticator(store: store)
    service.authenticator = authenticator
    try authenticator.signIn(with: credential("ann"))
    let outbox = outbox()
    let manager = manager()
    manager.load(["text": "one"])
    await outbox.flush()
    try authenticator.signOut()
    XCTAssertEqual(
      store.wasNotedAtRemoval.value, 1, "should the process end now, the next launch drops the items")
    try await turn { try await outbox.items().isEmpty }
    try await turn {
      try FileManager.default.contentsOfDirectory(atPath: self.folder).allSatisfy {
        !$0.hasPrefix("leaving-")
      }
    }
  }

  /// Lets loads end in a launch whose outbox has no manager attached.
  private func endUntold(_ count: Int, keepingItems: Bool) async throws {
    let outbox = outbox { $0.keepsItemsAtSignOut = keepingItems }
    outbox.start()
    var gone: QueuedNoteManager? = manager()
    for number in 0..<count { gone?.load(["n": number]) }
    await outbox.flush()
    gone = nil
    try await turn { try await outbox.items().isEmpty }
    await outbox.stop()
  }

  /// While another user is signed in the delegate hears nothing, and all of it once the item's user is back.
  private func expectTold(
    _ delegate: OutboxRecorder, to user: String, by authenticator: Authenticator
  ) async throws {
    try await Task.sleep(for: .milliseconds(50))
    await landingsWorkedOff()
    XCTAssertEqual(delegate.story, [], "it is of \(user)")
    try authenticator.signIn(with: credential(user))
    try await turn { !delegate.story.isEmpty }
    XCTAssertEqual(delegate.story, ["succeeded 42"])
  }

  func testALandingIsToldToItsUserOnly() async throws {
    let authenticator = Authenticator()
    service.authenticator = authenticator
    try authenticator.signIn(with: credential("ann"))
    try await endUntold(1, keepingItems: true)
    try authenticator.signOut()
    try authenticator.signIn(with: credential("bob"))
    let (outbox, delegate) = (outbox { $0.keepsItemsAtSignOut = true }, OutboxRecorder())
    let manager = manager(delegate)
    outbox.attach(manager)
    try await expectTold(delegate, to: "ann", by: authenticator)
  }

  func testADelegateThatSignsOutIsToldNothingMoreOfThatUser() async throws {
    for keepsItems in [true, false] {
      let authenticator = Authenticator()
      service.authenticator = authenticator
      try authenticator.signIn(with: credential("ann"))
      try await endUntold(3, keepingItems: keepsItems)
      let (outbox, delegate) = (outbox { $0.keepsItemsAtSignOut = keepsItems }, OutboxRecorder())
      delegate.onSuccess = {
        try? authenticator.signOut()
        try? authenticator.signIn(with: self.credential("bob"))
      }
      let manager = manager(delegate)
      outbox.attach(manager)
      try await turn { !delegate.story.isEmpty }
      try await Task.sleep(for: .milliseconds(50))
      await landingsWorkedOff()
      XCTAssertEqual(delegate.story, ["succeeded 42"], "keeps items: \(keepsItems)")
      try FileManager.default.removeItem(atPath: folder)
    }
  }

  func testAResponseThatIsBeingWrittenWhenItsUserLeavesIsNotTold() async throws {
    let authenticator = Authenticator()
    service.authenticator = authenticator
    try authenticator.signIn(with: credential("ann"))
    let (outbox, delegate) = (outbox { $0.keepsItemsAtSignOut = true }, OutboxRecorder())
    var gone: QueuedNoteManager? = manager()
    gone?.load()
    await outbox.flush()
    gone = nil
    let manager = manager(delegate)
    outbox.attach(manager)
    stub.hold()
    outbox.start()
    try await stub.waitForRequests(1)
    let other = try SQLiteDatabase(path: folder + "/queue.sqlite", patience: 1000)
    try other.execute("BEGIN IMMEDIATE")
    stub.release()
    // The response is there, and what has become of the item cannot be written yet.
    try await Task.sleep(for: .milliseconds(100))
    try authenticator.signOut()
    try authenticator.signIn(with: credential("bob"))
    try other.execute("COMMIT")
    try await expectTold(delegate, to: "ann", by: authenticator)
  }

  func testARefusedCredentialWaitsForTheNextSignIn() async throws {
    let authenticator = Authenticator()
    service.authenticator = authenticator
    try authenticator.signIn(with: credential("ann"))
    stub.reset()
    stub.when({ $0.headers["Authorization"] == "Bearer new" }, .json(#"{"id": 42}"#))
    stub.when({ $0.headers["Authorization"] != "Bearer new" }, .status(401))
    let (outbox, delegate) = (outbox(), OutboxRecorder())
    let manager = manager(delegate)
    manager.load()
    outbox.start()
    try await stub.waitForRequests(1)
    for _ in 0..<20 {
      time.advance(by: .seconds(10))
      try await Task.sleep(for: .milliseconds(2))
    }
    XCTAssertEqual(stub.requests.count, 1)
    try authenticator.signIn(with: Credential(accessToken: "new", notes: ["user": "ann"]))
    try await turn { delegate.story.contains("succeeded 42") }
    let items = try await outbox.items()
    XCTAssertEqual(items, [])
  }

  func testAnItemIsSentAgainAfterARenewalThatFailedForTheMoment() async throws {
    let renewals = Counter()
    let authenticator = Authenticator(
      store: MemoryCredentialStore(), rules: Authenticator.Rules(),
      renewal: { _ in
        renewals.increment()
        if renewals.value == 1 { throw APIError(.transport, .connectionLost) }
        return Credential(accessToken: "new", refreshToken: "r", notes: ["user": "ann"])
      }, signIn: nil, time: time)
    service.authenticator = authenticator
    try authenticator.signIn(
      with: Credential(accessToken: "old", refreshToken: "r", notes: ["user": "ann"]))
    stub.reset()
    stub.when({ $0.headers["Authorization"] == "Bearer new" }, .json(#"{"id": 42}"#))
    stub.when({ $0.headers["Authorization"] != "Bearer new" }, .status(401))
    let (outbox, delegate) = (outbox(), OutboxRecorder())
    let manager = manager(delegate)
    manager.load()
    outbox.start()
    // Nobody signs in: the user is there.
    try await turn { delegate.story.contains("succeeded 42") }
    XCTAssertEqual(renewals.value, 2)
  }

  func testUsersThatCannotBeToldApartAreRefusedAndNobodysItemCarriesNoCredential() async throws {
    let authenticator = Authenticator()
    service.authenticator = authenticator
    let (outbox, delegate) = (outbox(), OutboxRecorder())
    let manager = manager(delegate)
    manager.load(["text": "nobody's"])
    await outbox.flush()
    try authenticator.signIn(with: Credential(accessToken: "t"))
    manager.load(["text": "somebody's"])
    await landingsWorkedOff()
    XCTAssertEqual(delegate.story, ["queued 1", "failed misconfigured 0"])
    outbox.start()
    try await turn { delegate.story.contains("succeeded 42") }
    XCTAssertEqual(stub.requests.map { $0.headers["Authorization"] }, [nil])
  }

  func testSecretsOfTheManagerAreNotKept() async throws {
    let outbox = outbox()
    let manager = manager()
    manager.headers.add("X-API-Token", "not-for-the-disk")
    manager.load()
    await outbox.flush()
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
      let bytes = FileManager.default.contents(atPath: "\(folder)/\(name)") ?? Data()
      XCTAssertNil(bytes.range(of: Data("not-for-the-disk".utf8)), name)
    }
  }
}

/// Says at the removal of the credential whether a condition holds.
private final class NotingStore: CredentialStore {
  let wasNotedAtRemoval = Counter()
  private let condition: @Sendable () -> Bool

  init(_ condition: @escaping @Sendable () -> Bool) { self.condition = condition }

  func credential(of account: String) throws(APIError) -> Credential? { nil }
  func store(_ credential: Credential?, of account: String) throws(APIError) {
    if credential == nil, condition() { wasNotedAtRemoval.increment() }
  }
}
