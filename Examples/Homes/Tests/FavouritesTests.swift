import APIKit
import APIKitTesting
import XCTest

#if SWIFT_PACKAGE
  @testable import HomesModel
#endif

/// Favourites that are changed with and without a network.
@MainActor final class FavouritesTests: HomesCase {
  private let path = "/sacramento/v1/favourites/sac-1"

  private func accept(_ isFavourite: Bool) -> StubResponse {
    .json(#"{"code": 0, "data": {"home_id": "sac-1", "is_favourite": \#(isFavourite)}}"#)
  }

  private func bodies() -> [String] {
    stub.requests.filter { $0.method == .put }.map { request in
      guard case .bytes(let bytes) = request.body else { return "" }
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  func testAChangeWithoutANetworkIsShownAtOnceAndSentOnceThereIsOne() async throws {
    network.force(.offline)
    stub.on(.put, path, accept(true))
    let favourites = try await launchSignedIn().favourites
    XCTAssertTrue(favourites.isFavourite(.make(2)))
    favourites.toggle(.make(1))
    XCTAssertTrue(favourites.isFavourite(.make(1)))
    try await until { favourites.changes["sac-1"]?.item != nil }
    XCTAssertEqual(bodies(), [])
    network.force(.wifi)
    try await until { favourites.changes.isEmpty }
    XCTAssertTrue(favourites.isFavourite(.make(1)))
    XCTAssertEqual(bodies(), [#"{"is_favourite":true}"#])
    XCTAssertNil(favourites.problem)
  }

  func testAChangeOutlivesTheProcess() async throws {
    network.force(.offline)
    stub.on(.put, path, accept(true))
    do {
      let favourites = try await launchSignedIn().favourites
      favourites.toggle(.make(1))
      try await until { favourites.changes["sac-1"]?.item != nil }
    }
    let favourites = try await launchSignedIn().favourites
    XCTAssertEqual(favourites.changes["sac-1"]?.isFavourite, true)
    network.force(.wifi)
    try await until { favourites.changes.isEmpty }
    XCTAssertEqual(bodies(), [#"{"is_favourite":true}"#])
  }

  func testTheLatestOfSeveralChangesIsShownAndAllAreSentInOrder() async throws {
    network.force(.offline)
    stub.on(.put, path, accept(true), accept(false))
    let favourites = try await launchSignedIn().favourites
    favourites.toggle(.make(1))
    favourites.toggle(.make(1))
    XCTAssertFalse(favourites.isFavourite(.make(1)))
    try await until { favourites.changes["sac-1"]?.item != nil }
    XCTAssertFalse(favourites.isFavourite(.make(1)))
    network.force(.wifi)
    try await until { favourites.changes.isEmpty }
    XCTAssertFalse(favourites.isFavourite(.make(1)))
    XCTAssertEqual(bodies(), [#"{"is_favourite":true}"#, #"{"is_favourite":false}"#])
  }

  func testARefusedChangeWaitsForTheUserWhoSendsItAgain() async throws {
    stub.on(.put, path, .status(403), accept(true))
    let favourites = try await launchSignedIn().favourites
    favourites.toggle(.make(1))
    try await until { favourites.changes["sac-1"]?.isRefused == true }
    XCTAssertEqual(favourites.problem, "You are not allowed to do this.")
    favourites.toggle(.make(1))
    XCTAssertTrue(favourites.isFavourite(.make(1)), "a refused change is sent again or given up first")
    await favourites.retry(.make(1))
    try await until { favourites.changes.isEmpty }
    XCTAssertTrue(favourites.isFavourite(.make(1)))
    XCTAssertEqual(bodies().count, 2)
  }

  func testWhoGivesARefusedChangeUpSeesWhatTheServerHas() async throws {
    stub.on(.put, path, .status(403))
    let favourites = try await launchSignedIn().favourites
    favourites.toggle(.make(1))
    try await until { favourites.changes["sac-1"]?.isRefused == true }
    await favourites.discard(.make(1))
    try await until { favourites.changes.isEmpty }
    XCTAssertFalse(favourites.isFavourite(.make(1)))
  }

  func testWithoutAUserNothingIsKept() async throws {
    let favourites = launch().favourites
    favourites.toggle(.make(1))
    try await until { favourites.problem != nil && favourites.changes.isEmpty }
    XCTAssertEqual(favourites.problem, "You need to sign in again.")
    XCTAssertFalse(favourites.isFavourite(.make(1)))
  }
}
