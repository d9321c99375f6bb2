@testable import APIKitPaging
import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// The pages of a list are of one user.
@MainActor final class PagerUserTests: PagerCase {
  private let authenticator = Authenticator(store: MemoryCredentialStore())

  private func signIn(_ name: String) throws {
    try authenticator.signIn(
      with: Credential(accessToken: name, refreshToken: "r", notes: ["user": name]))
  }

  private func makePager(_ paging: Paging, signIn: SignInRule = .asAvailable) -> Pager {
    let manager = makeManager(paging)
    (manager.service.authenticator, manager.signIn) = (authenticator, signIn)
    let pager = Pager(manager)
    pager.delegate = watcher
    return pager
  }

  private var users: [String] { stub.requests.map { $0.headers["Authorization"] ?? "nobody" } }

  private static let byCursor = Paging(.cursor(at: "next", previous: "previous"), items: "items", id: "id")
  private static let byNumber = Paging(.pageNumber(), items: "items", id: "id", pageSize: 2)

  func testTheCursorOfOneUserIsNotSentAsTheNext() async throws {
    try signIn("anna")
    stub.on("/api/list", page([1, 2], #", "next": "of-anna""#), page([3]))
    let pager = makePager(Self.byCursor)
    pager.loadFirst()
    await waitUntil { self.watcher.events == ["page 0"] }
    try authenticator.signOut()
    try signIn("bert")
    pager.loadNext()
    await waitUntil { self.watcher.events.count == 2 }
    XCTAssertEqual(watcher.events.last, "failed auth.signed-out")
    pager.go(to: 0)
    await waitUntil { self.watcher.events.count == 3 }
    XCTAssertEqual(watcher.events.last, "page 0")
    XCTAssertEqual(users, ["Bearer anna", "Bearer bert"])
    XCTAssertEqual(ids(pager.items), [3])
  }

  func testPagesByNumberOfTwoUsersAreNotOneList() async throws {
    try signIn("anna")
    stub.on("/api/list", page([1, 2]), page([3, 4]), page([5]))
    let pager = makePager(Self.byNumber)
    pager.loadFirst()
    await waitUntil { self.watcher.events == ["page 0"] }
    try signIn("bert")
    pager.loadNext()
    await waitUntil { self.watcher.events.count == 2 }
    XCTAssertEqual(watcher.events.last, "failed auth.signed-out")
    XCTAssertEqual(ids(pager.items), [1, 2])
    pager.refresh()
    await waitUntil { self.watcher.events.count == 3 }
    pager.loadNext()
    await waitUntil { self.watcher.events.count == 4 }
    XCTAssertEqual(watcher.events.suffix(2), ["page 0", "page 1"])
    XCTAssertEqual(users, ["Bearer anna", "Bearer bert", "Bearer bert"])
    XCTAssertEqual(ids(pager.items), [3, 4, 5])
  }

  func testARefreshThatFailsLeavesTheListToItsUser() async throws {
    try signIn("anna")
    stub.on("/api/list", page([1, 2]), .json("{}", status: 500), page([3]))
    let pager = makePager(Self.byNumber)
    pager.loadFirst()
    await waitUntil { self.watcher.events == ["page 0"] }
    try signIn("bert")
    pager.refresh()
    await waitUntil { self.watcher.events.count == 2 }
    pager.loadNext()
    await waitUntil { self.watcher.events.count == 3 }
    XCTAssertEqual(watcher.events.last, "failed auth.signed-out")
    XCTAssertEqual(stub.requests.count, 2)
  }

  func testAnotherListIsOfThePresentUser() async throws {
    try signIn("anna")
    stub.on("/api/list", page([1, 2]), page([3]))
    let pager = makePager(Self.byNumber)
    pager.loadFirst(["city": "Ames"])
    await waitUntil { self.watcher.events == ["page 0"] }
    try signIn("bert")
    pager.parameters = ["city": "Gilbert"]
    pager.loadNext()
    await waitUntil { self.watcher.events == ["page 0", "reset", "page 0"] }
    XCTAssertEqual(users, ["Bearer anna", "Bearer bert"])
  }

  func testTheSameUserWhoSignsInAgainGoesOn() async throws {
    try signIn("anna")
    stub.on("/api/list", page([1, 2], #", "next": "second""#), page([3]))
    let pager = makePager(Self.byCursor)
    pager.loadFirst()
    await waitUntil { self.watcher.events == ["page 0"] }
    try signIn("anna")
    pager.loadNext()
    await waitUntil { self.watcher.events == ["page 0", "page 1"] }
  }

  func testAListOfNobodyIsNotContinuedAsThatOfAUser() async throws {
    stub.on("/api/list", page([1, 2], #", "next": "of-nobody""#), page([3], #", "next": "third""#))
    let pager = makePager(Self.byCursor)
    pager.loadFirst()
    await waitUntil { self.watcher.events == ["page 0"] }
    pager.loadNext()
    await waitUntil { self.watcher.events == ["page 0", "page 1"] }
    try signIn("anna")
    pager.loadNext()
    await waitUntil { self.watcher.events.count == 3 }
    XCTAssertEqual(watcher.events.last, "failed auth.signed-out")
    pager.refresh()
    await waitUntil { self.watcher.events.count == 4 }
    XCTAssertEqual(users, ["nobody", "nobody", "Bearer anna"])
  }

  func testAPageOfNobodyThatIsUnderWayAtASignInIsNotShown() async throws {
    stub.on("/api/list", page([1, 2], #", "next": "of-nobody""#), page([3]))
    let pager = makePager(Self.byCursor)
    pager.loadFirst()
    await waitUntil { self.watcher.events == ["page 0"] }
    stub.hold()
    pager.loadNext()
    try await stub.waitForRequests(2)
    try signIn("anna")
    stub.release()
    await waitUntil { self.watcher.events.count == 2 }
    XCTAssertEqual(watcher.events.last, "failed auth.signed-out")
    XCTAssertEqual(users, ["nobody", "nobody"])
  }

  func testAListThatJoinedACallIsOfTheUserWhoCame() async throws {
    stub.on("/api/list", page([1, 2], #", "next": "second""#), page([3]))
    let (first, second) = (
      makePager(Self.byCursor, signIn: .required), makePager(Self.byCursor, signIn: .required)
    )
    let shared = SharedState()
    for manager in [first, second].map(\.manager) {
      (manager as? PagedManager)?.joinsIdenticalFlights = true
      manager.sharedState = shared
    }
    first.loadFirst()
    second.loadFirst()
    await waitUntil { shared.joins.waiterCount == 2 }
    try signIn("anna")
    await waitUntil { self.watcher.events == ["page 0", "page 0"] }
    second.loadNext()
    await waitUntil { self.watcher.events.count == 3 }
    XCTAssertEqual(watcher.events.last, "page 1")
    XCTAssertEqual(users, ["Bearer anna", "Bearer anna"])
  }

  func testAListThatWaitedForASignInIsOfTheUserWhoCame() async throws {
    stub.on("/api/list", page([1, 2], #", "next": "second""#), page([3]))
    let pager = makePager(Self.byCursor, signIn: .required)
    pager.loadFirst()
    await waitUntil { self.authenticator.waiterCount == 1 }
    try signIn("anna")
    await waitUntil { self.watcher.events == ["page 0"] }
    try signIn("bert")
    pager.loadNext()
    await waitUntil { self.watcher.events.count == 2 }
    XCTAssertEqual(watcher.events.last, "failed auth.signed-out")
    XCTAssertEqual(users, ["Bearer anna"])
  }

  func testASequenceEndsWithItsUser() async throws {
    try signIn("anna")
    stub.on("/api/list", page([1, 2], #", "next": "second""#), page([3]))
    let manager = makeManager(Self.byCursor)
    manager.service.authenticator = authenticator
    var iterator = manager.pages().makeAsyncIterator()
    let first = try await iterator.next()
    XCTAssertEqual(first.map { ids($0.items) }, [1, 2])
    try signIn("bert")
    do {
      _ = try await iterator.next()
      XCTFail("a page of another user")
    } catch {
      XCTAssertEqual(error.reason, .signedOut)
    }
    XCTAssertEqual(users, ["Bearer anna"])
  }

  func testAPageThatWasLoadedAheadIsNotReturnedToTheNextUser() async throws {
    try signIn("anna")
    stub.on("/api/list", page([1, 2]), page([3, 4]), page([5]))
    let manager = makeManager(Self.byNumber)
    (manager.service.authenticator, manager.signIn) = (authenticator, .asAvailable)
    var pages = manager.pages(loadsAhead: true).makeAsyncIterator()
    _ = try await pages.next()
    await waitUntil { self.stub.requests.count == 2 && !manager.isLoading }
    try await Task.sleep(for: .milliseconds(20))
    try signIn("bert")
    let error = await failure { try await pages.next() }
    XCTAssertEqual(error?.reason, .signedOut)
  }

  func testAPageWhoseUserTheManagersDelegateSignedOutIsNotShown() async throws {
    try signIn("anna")
    stub.on("/api/list", page([1, 2]))
    let pager = makePager(Self.byNumber)
    let leaver = Leaver { [authenticator] in try? authenticator.signOut() }
    pager.manager.delegate = leaver
    pager.loadFirst()
    await waitUntil { self.watcher.events.count == 1 }
    XCTAssertEqual(watcher.events, ["failed auth.signed-out"])
    XCTAssertEqual(pager.items.count, 0)
  }

  func testTheListOfAUserWhoHasSignedOutAndIsBackBeginsAnew() async throws {
    try signIn("anna")
    stub.on("/api/list", page([1, 2]), page([3, 4]))
    let pager = makePager(Self.byNumber)
    pager.loadFirst()
    await waitUntil { self.watcher.events == ["page 0"] }
    try authenticator.signOut()
    pager.loadNext()
    await waitUntil { self.watcher.events.count == 2 }
    try signIn("anna")
    pager.loadNext()
    await waitUntil { self.watcher.events.count == 3 }
    XCTAssertEqual(watcher.events, ["page 0", "failed auth.signed-out", "failed auth.signed-out"])
    pager.refresh()
    await waitUntil { self.watcher.events.count == 4 }
    XCTAssertEqual(ids(pager.items), [3, 4])
    XCTAssertEqual(users, ["Bearer anna", "Bearer anna"])
  }
}

private final class Leaver: APIManagerDelegate {
  let leave: @MainActor () -> Void
  init(_ leave: @escaping @MainActor () -> Void) { self.leave = leave }
  func manager(_ manager: BaseAPIManager, didSucceedWith response: APIResponse) { leave() }
  func manager(_ manager: BaseAPIManager, didFailWith error: APIError) {}
}
