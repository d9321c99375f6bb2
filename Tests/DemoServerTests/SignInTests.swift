import APIKit
import APIKitOAuth
import DemoServer
import XCTest

/// The sign-in that the guide of the demo server shows.
@MainActor final class SignInTests: XCTestCase {
  private struct Homes: APIService {
    let name = "Homes"
    let environments: ServiceEnvironments
    let identity: ServiceIdentity
    let businessErrors: BusinessErrorRule = .code("code", success: "0", message: "message")
  }

  private final class FavouritesManager: BaseAPIManager, APIManager {
    let service: Homes
    let apiName = "sacramento/v1/favourites"
    let signIn = SignInRule.required
    init(_ service: Homes) { self.service = service }
  }

  func testAStaleAccessTokenIsRefreshedOnce() async throws {
    let demo = try DemoServer()
    let server = try await OAuthServerMetadata.discover(demo.baseURL.string, client: .shared)
    let oauth = OAuthClient(
      OAuthConfiguration(clientID: "demo", server: server, scopes: ["homes"]), client: .shared)
    let redirect = try LoopbackRedirect()
    let authorization = try oauth.authorization(redirectURI: redirect.uri)
    let page = authorization.url
    Task { try await HTTPClient.shared.send(HTTPExchange(HTTPRequest(url: page))) }
    let callback = try await redirect.callback(for: authorization, within: .seconds(60))
    let credential = try await oauth.credential(for: authorization, callback: callback)
    XCTAssertEqual(credential.scopes, ["homes"])
    let authenticator = oauth.authenticator()
    try authenticator.signIn(with: Credential(accessToken: "stale", refreshToken: credential.refreshToken))
    let service = Homes(
      environments: ServiceEnvironments(demo.baseURL), identity: ServiceIdentity(authenticator: authenticator)
    )

    let response = try await FavouritesManager(service).response()

    XCTAssertEqual(try response.raw["data", "items"].require(.array).count, 0)
    let tried = demo.requests.filter { $0.path == "/sacramento/v1/favourites" }
    XCTAssertEqual(tried.count, 2)
    XCTAssertEqual(tried.first?.headers["Authorization"], "Bearer stale")
  }
}
