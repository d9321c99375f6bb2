import APIKit
import APIKitTesting
import XCTest

#if SWIFT_PACKAGE
  @testable import HomesModel
#endif

/// The list: pages, refresh, search, and what is shown when something fails or is given up.
@MainActor final class HomeListTests: HomesCase {
  private let path = "/sacramento/v1/homes"
  private var list: HomeList { model.list }
  private var pages: HomePages { model.list.shown }
  private lazy var model = launch()

  private func queries() -> [String] {
    stub.requests.filter { $0.url.path == path }.map { $0.url.query ?? "" }
  }

  func testTheNextPageComesWhenTheUserIsNearTheEndOfTheList() async throws {
    stub.on(.get, path, .page(1...20, of: 25), .page(21...25, of: 25))
    pages.appear()
    XCTAssertTrue(pages.isLoading)
    try await until { self.pages.homes.count == 20 }
    pages.appeared(.make(3))
    XCTAssertFalse(pages.isLoading, "the end is far")
    pages.appeared(.make(18))
    try await until { self.pages.homes.count == 25 }
    pages.appeared(.make(25))
    XCTAssertFalse(pages.isLoading, "there is no third page")
    XCTAssertEqual(pages.homes.map(\.id), (1...25).map { "sac-\($0)" })
    XCTAssertEqual(queries(), ["per_page=20&page=1", "per_page=20&page=2"])
  }

  func testAFailureIsShownUntilTryingAgainSucceeds() async throws {
    stub.on(.get, path, .failure(.connectionRefused), .page(1...2, of: 2))
    pages.appear()
    try await until { self.pages.problem != nil }
    XCTAssertEqual(pages.problem, "The server cannot be reached. Try again later.")
    XCTAssertFalse(pages.isLoading || pages.isEmpty)
    pages.retry()
    XCTAssertNil(pages.problem)
    try await until { self.pages.homes.count == 2 }
    XCTAssertNil(pages.problem)
  }

  func testAFailedNextPageKeepsTheRowsAndIsNotAskedForUntilTheUserSaysSo() async throws {
    stub.on(.get, path, .page(1...20, of: 25), .status(503), .page(21...25, of: 25))
    pages.appear()
    try await until { self.pages.homes.count == 20 }
    pages.appeared(.make(20))
    try await until { self.pages.problem != nil }
    pages.appeared(.make(20))
    XCTAssertFalse(pages.isLoading)
    XCTAssertEqual(pages.homes.count, 20)
    pages.retry()
    try await until { self.pages.homes.count == 25 }
  }

  func testARowThatCannotBeReadFailsItsPage() async throws {
    stub.on(.get, path, .json(#"{"code": 0, "data": {"items": [{"home_id": "sac-1"}], "total": 1}}"#))
    pages.appear()
    try await until { self.pages.problem != nil }
    XCTAssertEqual(pages.problem, "The server's response cannot be read.")
  }

  func testLeavingTheScreenCancelsItsLoadAndReturningLoadsAgain() async throws {
    stub.on(.get, path, .page(1...2, of: 2))
    stub.hold()
    pages.appear()
    try await stub.waitForRequests(1)
    pages.disappear()
    XCTAssertFalse(pages.isLoading)
    XCTAssertNil(pages.problem)
    stub.release()
    pages.appear()
    try await until { self.pages.homes.count == 2 }
    XCTAssertEqual(queries().count, 2)
    pages.appear()
    XCTAssertFalse(pages.isLoading, "the rows are there")
  }

  func testARefreshKeepsTheRowsUntilTheNewOnesAreThere() async throws {
    stub.on(.get, path, .page(1...3, of: 3), .page(2...3, of: 2))
    pages.appear()
    try await until { self.pages.homes.count == 3 }
    stub.hold()
    let refresh = Task { await pages.refresh() }
    try await stub.waitForRequests(2)
    XCTAssertEqual(pages.homes.count, 3)
    stub.release()
    await refresh.value
    XCTAssertEqual(pages.homes.map(\.id), ["sac-2", "sac-3"])
  }

  func testARefreshEndsWhenTheScreenIsLeft() async throws {
    stub.on(.get, path, .page(1...3, of: 3))
    stub.hold()
    let refresh = Task { await pages.refresh() }
    try await stub.waitForRequests(1)
    pages.disappear()
    await refresh.value
    XCTAssertFalse(pages.isLoading)
  }

  func testTypingSendsOneSearchForWhatStandsThereAtLast() async throws {
    stub.on(.get, path, .page(4...5, of: 2))
    model = launch(searchDelay: .milliseconds(500))
    for text in ["e", "el", "elk", "elk "] {
      list.text = text
      try await Task.sleep(for: .milliseconds(10))
    }
    try await until { self.pages.homes.count == 2 }
    XCTAssertEqual(queries(), ["q=elk&per_page=20&page=1"])
  }

  func testWhoClearsTheSearchSeesTheListAsItWas() async throws {
    stub.on(.get, path, .page(1...3, of: 3), .emptyPage)
    pages.appear()
    try await until { self.pages.homes.count == 3 }
    list.text = "nowhere"
    XCTAssertEqual(pages.homes, [])
    XCTAssertFalse(pages.isEmpty, "nobody knows yet")
    try await until { self.pages.isEmpty }
    list.text = ""
    XCTAssertEqual(pages.homes.count, 3)
    XCTAssertEqual(queries().count, 2)
  }

  func testASearchThatIsClearedInTimeIsNotSent() async throws {
    list.text = "elk"
    list.text = ""
    list.text = "fol"
    stub.on(.get, path, .page(4...5, of: 2))
    try await until { self.pages.homes.count == 2 }
    XCTAssertEqual(queries(), ["q=fol&per_page=20&page=1"])
  }
}
