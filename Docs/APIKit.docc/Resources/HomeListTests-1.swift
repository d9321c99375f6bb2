import APIKit
import APIKitTesting
import XCTest

@testable import HomeList

@MainActor final class HomeListTests: XCTestCase {
  func testTheFilterIsSentAndTheItemsBecomeRows() async throws {
    let stub = StubTransport()
    stub.on(
      .get, "/sacramento/v1/homes",
      .json(
        #"{"code": 0, "data": {"items": [{"home_name": "Cottage", "asking_price": 90000}], "total": 1}}"#))
    let homes = HomeListManager(service: Homes(wire: WireOptions(client: HTTPClient(transport: stub))))

    let response = try await homes.response(HomeFilter(city: "DAVIS", leastBeds: 2).parameters)
    let rows = try response.data(with: HomeRowReformer())

    XCTAssertEqual(rows.map(\.name), ["Cottage"])
    XCTAssertEqual(rows.map(\.price), ["$90000"])
    XCTAssertEqual(stub.requests.map(\.url.query), ["city=DAVIS&min_beds=2"])
  }
}
