import APIKit
import APIKitTesting
import XCTest

#if SWIFT_PACKAGE
  @testable import HomesModel
#endif

/// One home: what is shown before and after its load.
@MainActor final class HomeDetailTests: HomesCase {
  private let path = "/sacramento/v1/homes/sac-7"

  func testWhatTheListKnowsIsShownUntilTheServerHasAnswered() async throws {
    let detail = launch().detail(of: .make(7))
    XCTAssertEqual(detail.home.price, 100_007)
    let cheaper = Home(
      id: "sac-7", name: "Home 7", price: 90_000, beds: 3, baths: 1.5, area: 1_000, city: "Elk Grove",
      zip: "95624")
    stub.on(.get, path, .home(cheaper))
    await detail.load()
    XCTAssertEqual(detail.home.price, 90_000)
    XCTAssertNil(detail.problem)
  }

  func testTheWordsOfTheServerAreShownAndGoWhenTheLoadSucceeds() async throws {
    let detail = launch().detail(of: .make(7))
    stub.on(
      .get, path, .json(#"{"code": 1001, "message": "The home is being sold."}"#), .home(.make(7)))
    await detail.load()
    XCTAssertEqual(detail.problem, "The home is being sold.")
    XCTAssertEqual(detail.home, .make(7))
    await detail.load()
    XCTAssertNil(detail.problem)
  }

  func testTheTaskOfAViewThatDisappearsCancelsTheLoadAndNothingIsShown() async throws {
    let detail = launch().detail(of: .make(7))
    stub.on(.get, path, .silence)
    let task = Task { await detail.load() }
    try await stub.waitForRequests(1)
    task.cancel()
    await task.value
    XCTAssertNil(detail.problem)
    XCTAssertEqual(FlightRegistry.shared.flights(.service("Homes")).count, 0)
  }
}
