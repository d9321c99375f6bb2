import APIKit
import APIKitTesting
import Foundation
import XCTest

#if SWIFT_PACKAGE
  @testable import HomesModel
#endif

/// Signing in by the page of the server, and out so that nothing of the user stays.
@MainActor final class AccountTests: HomesCase {
  /// The page of a server that lets the user in at once.
  private func consent(_ page: HTTPURL) throws -> URL {
    let asked = try XCTUnwrap(URLComponents(string: page.string))
    var back = try XCTUnwrap(URLComponents(string: "com.example.homes:/signed-in"))
    back.queryItems = [
      URLQueryItem(name: "state", value: asked.queryItems?.first { $0.name == "state" }?.value),
      URLQueryItem(name: "code", value: "one-time"),
      URLQueryItem(name: "iss", value: "http://127.0.0.1:8080/"),
    ]
    return try XCTUnwrap(back.url)
  }

  private func letIn() {
    stub.on(
      .post, "/oauth/token",
      .json(#"{"access_token": "secret", "token_type": "Bearer", "refresh_token": "more"}"#))
    stub.on(.get, "/oauth/me", .json(#"{"user": "ann"}"#))
    stub.on(.post, "/oauth/revoke", .status(200))
  }

  func testWhoSignsInIsNamedByTheServerAndKnownAtTheNextLaunch() async throws {
    letIn()
    let account = launch().account
    await account.signIn { page in try self.consent(page) }
    XCTAssertNil(account.problem)
    try await until { account.user == "ann" }
    let me = try XCTUnwrap(stub.requests.first { $0.url.path == "/oauth/me" })
    XCTAssertEqual(me.headers["Authorization"], "Bearer secret")
    let later = launch().account
    try await until { later.user == "ann" }
  }

  func testWhoClosesThePageIsToldNothing() async throws {
    let account = launch().account
    await account.signIn { _ in throw CancellationError() }
    XCTAssertNil(account.problem)
    XCTAssertNil(account.user)
    XCTAssertFalse(account.isBusy)
    XCTAssertEqual(stub.requests.count, 0)
  }

  func testAPageThatWasNotAskedForSignsNobodyIn() async throws {
    letIn()
    let account = launch().account
    await account.signIn { _ in
      try XCTUnwrap(URL(string: "com.example.homes:/signed-in?code=stolen&state=another"))
    }
    XCTAssertEqual(account.problem, "No secure connection to the server can be made.")
    XCTAssertEqual(stub.requests.count, 0)
  }

  func testAnUnreachableServerIsToldAndTheNextTrySucceeds() async throws {
    stub.on(.post, "/oauth/token", .failure(.connectionRefused))
    let account = launch().account
    await account.signIn { page in try self.consent(page) }
    XCTAssertEqual(account.problem, "The server cannot be reached. Try again later.")
    letIn()
    await account.signIn { page in try self.consent(page) }
    XCTAssertNil(account.problem)
    try await until { account.user == "ann" }
  }

  func testASecondSignInWhileOneIsUnderWayIsIgnored() async throws {
    letIn()
    let account = launch().account
    await account.signIn { page in
      await account.signIn { _ in
        XCTFail("there is one page already")
        throw CancellationError()
      }
      return try self.consent(page)
    }
    try await until { account.user == "ann" }
  }

  func testSigningOutForgetsTheUserAndWhatWaitsToBeSent() async throws {
    network.force(.offline)
    let model = try await launchSignedIn()
    letIn()
    model.favourites.toggle(.make(1))
    try await until { model.favourites.changes["sac-1"]?.item != nil }
    await model.account.signOut()
    try await until { model.account.user == nil && model.favourites.changes.isEmpty }
    await model.favourites.load(of: nil)
    XCTAssertFalse(model.favourites.isFavourite(.make(2)))
    XCTAssertNil(credentials.credential(of: "default"))
    XCTAssertEqual(stub.requests.last?.url.path, "/oauth/revoke")
    network.force(.wifi)
    let later = launch()
    await later.favourites.load(of: nil)
    XCTAssertEqual(later.favourites.changes, [:])
    XCTAssertFalse(stub.requests.contains { $0.method == .put })
  }

  func testSigningOutSucceedsWithoutAServer() async throws {
    let model = try await launchSignedIn()
    stub.on(.post, "/oauth/revoke", .failure(.connectionRefused))
    await model.account.signOut()
    try await until { model.account.user == nil }
    XCTAssertNil(model.account.problem)
    XCTAssertNil(credentials.credential(of: "default"))
  }

  func testFavouritesThatAreUnderWayAtTheSignOutAreNotShown() async throws {
    let model = try await launchSignedIn()
    stub.on(.post, "/oauth/revoke", .status(200))
    stub.hold()
    let load = Task { await model.favourites.load(of: "ann") }
    try await stub.waitForRequests(2)
    let signOut = Task { await model.account.signOut() }
    try await until { model.account.user == nil }
    stub.release()
    await load.value
    await signOut.value
    XCTAssertEqual(model.favourites.problem, "You need to sign in again.")
    XCTAssertFalse(model.favourites.isFavourite(.make(2)))
  }
}
