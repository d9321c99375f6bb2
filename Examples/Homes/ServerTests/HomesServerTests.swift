import APIKit
import DemoServer
import Foundation
import XCTest

@testable import HomesModel

/// The application against the demo's server: what the stubs of the other tests say is what the server does.
@MainActor final class HomesServerTests: XCTestCase {
  func testAUserSearchesSignsInKeepsAFavouriteSendsAPhotoAndLeaves() async throws {
    let server = try DemoServer()
    defer { server.stop() }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let network = NetworkMonitor(watchesSystem: false)
    network.force(.wifi)
    let model = HomesModel(
      HomesModel.Configuration(
        server: server.baseURL, network: network, searchDelay: .milliseconds(20), folder: folder))
    let running = Task { await model.run() }
    defer { running.cancel() }

    model.list.shown.appear()
    try await until { model.list.shown.homes.count == 20 }
    model.list.text = "elk resid"
    try await until { !model.list.shown.homes.isEmpty }
    let home = try XCTUnwrap(model.list.shown.homes.first)
    XCTAssertEqual(Set(model.list.shown.homes.map(\.city)), ["Elk Grove"])
    let detail = model.detail(of: home)
    await detail.load()
    XCTAssertEqual(detail.home, home)
    XCTAssertNil(detail.problem)

    await model.account.signIn { page in try await self.consent(page) }
    XCTAssertNil(model.account.problem)
    try await until { model.account.user == "ann" }
    model.favourites.toggle(home)
    try await until { model.favourites.changes.isEmpty }
    await model.favourites.load(of: "ann")
    XCTAssertTrue(model.favourites.isFavourite(home))
    XCTAssertNil(model.favourites.problem)

    detail.upload.send(Data(repeating: 7, count: 2 << 20))
    try await until { !detail.upload.isSending }
    XCTAssertEqual(detail.upload.state, .sent(2 << 20))

    await model.account.signOut()
    try await until { model.account.user == nil }
    XCTAssertNil(model.account.problem)
    XCTAssertEqual(server.requests.last?.path, "/oauth/revoke")
  }

  /// Plays the browser's part: asks the page, and returns where it is redirected to.
  private func consent(_ page: HTTPURL) async throws -> URL {
    let browser = HTTPClient(transport: DefaultTransport.shared, redirects: .refuse)
    let response = try await browser.send(HTTPExchange(HTTPRequest(url: page)))
    return try XCTUnwrap(response.headers["Location"].flatMap { URL(string: $0) })
  }

  private func until(_ isTrue: @MainActor () -> Bool, line: UInt = #line) async throws {
    for _ in 0..<5_000 {
      if isTrue() { return }
      try await Task.sleep(for: .milliseconds(2))
    }
    XCTFail("the condition did not come true", line: line)
  }
}
