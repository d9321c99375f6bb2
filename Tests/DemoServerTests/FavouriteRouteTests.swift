import APIKit
import APIKitOAuth
import DemoServer
import XCTest

/// The favourites of the user of a token.
final class FavouriteRouteTests: XCTestCase {
  private var server: DemoServer!

  override func setUp() async throws { server = try DemoServer() }
  override func tearDown() async throws { server = nil }

  private func send(
    _ method: HTTPMethod, _ path: String, _ body: String? = nil, token: String?
  ) async throws -> (status: Int, body: String) {
    var request = HTTPRequest(method: method, url: try server.url("/sacramento/v1/" + path))
    if let token { request.headers["Authorization"] = "Bearer \(token)" }
    if let body { request.body = .bytes(Array(body.utf8)) }
    let response = try await HTTPClient(transport: DefaultTransport.shared).send(HTTPExchange(request))
    return (response.status, String(decoding: response.bytes, as: UTF8.self))
  }

  /// A token, got by the redirect of the application in `Examples/Homes`.
  private func token() async throws -> String {
    let configuration = OAuthConfiguration(
      clientID: "demo", authorizationEndpoint: try server.url("/oauth/authorize"),
      tokenEndpoint: try server.url("/oauth/token"))
    let browser = HTTPClient(transport: DefaultTransport.shared, redirects: .refuse)
    let oauth = OAuthClient(configuration, client: browser)
    let authorization = try oauth.authorization(redirectURI: "com.example.homes:/signed-in")
    let page = try await browser.send(HTTPExchange(HTTPRequest(url: authorization.url)))
    let callback = try XCTUnwrap(page.headers["Location"])
    return try await oauth.credential(for: authorization, callback: callback).accessToken
  }

  func testAFavouriteIsKeptAndTakenBackHoweverOftenItIsSent() async throws {
    let token = try await token()
    for _ in 1...2 {
      let kept = try await send(.put, "favourites/sac-7", #"{"is_favourite": true}"#, token: token)
      XCTAssertEqual(kept.status, 200)
      XCTAssertTrue(kept.body.contains(#""home_id":"sac-7","is_favourite":true"#), kept.body)
    }
    let one = try await send(.get, "favourites", token: token)
    XCTAssertTrue(one.body.contains(#""items":["sac-7"]"#), one.body)
    _ = try await send(.put, "favourites/sac-7", #"{"is_favourite": false}"#, token: token)
    let none = try await send(.get, "favourites", token: token)
    XCTAssertTrue(none.body.contains(#""items":[]"#), none.body)
  }

  func testWhatIsNotAllowedOrNotThereIsRefusedWithAReason() async throws {
    let token = try await token()
    for token in [nil, "stolen"] {
      let list = try await send(.get, "favourites", token: token)
      XCTAssertEqual(list.status, 401)
      let change = try await send(.put, "favourites/sac-7", #"{"is_favourite": true}"#, token: token)
      XCTAssertEqual(change.status, 401)
      XCTAssertTrue(change.body.contains(#""code":1003"#), change.body)
    }
    let unknown = try await send(.put, "favourites/sac-0", #"{"is_favourite": true}"#, token: token)
    XCTAssertEqual(unknown.status, 404)
    let unclear = try await send(.put, "favourites/sac-7", "{}", token: token)
    XCTAssertEqual(unclear.status, 400)
  }
}
