import APIKit
import APIKitOAuth
import TestServers
import XCTest

/// The OAuth client against an authorization server that is not ours.
@MainActor final class AuthorizationServerTests: XCTestCase {
  private let http = HTTPClient(transport: DefaultTransport.shared, redirects: .refuse)

  private func server() throws -> AuthorizationServer { try needing { try AuthorizationServer.shared() } }

  private func client(
    _ server: AuthorizationServer, _ name: String = "app",
    _ change: (inout OAuthConfiguration) -> Void = { _ in }
  ) throws -> OAuthClient {
    var configuration = OAuthConfiguration(
      clientID: name, authorizationEndpoint: try HTTPURL(server.url("/authorize")),
      tokenEndpoint: try HTTPURL(server.url("/token")), scopes: ["read"])
    configuration.deviceEndpoint = try HTTPURL(server.url("/device"))
    configuration.revocationEndpoint = try HTTPURL(server.url("/revoke"))
    change(&configuration)
    return OAuthClient(configuration, client: http)
  }

  /// What a browser would be sent back to.
  private func visit(_ authorization: OAuthAuthorization) async throws -> String {
    let response = try await http.send(HTTPExchange(HTTPRequest(url: authorization.url)))
    return try XCTUnwrap(response.headers["Location"], "\(response.status)")
  }

  private func signIn(_ oauth: OAuthClient) async throws -> Credential {
    let authorization = try oauth.authorization(redirectURI: "http://127.0.0.1:9/callback")
    return try await oauth.credential(for: authorization, callback: visit(authorization))
  }

  private func get(_ url: String, _ token: String? = nil) async throws -> HTTPResponse {
    var request = HTTPRequest(url: try HTTPURL(url))
    if let token { request.headers["Authorization"] = "Bearer \(token)" }
    return try await http.send(HTTPExchange(request))
  }

  private func reason(_ work: () async throws -> Void) async -> APIError.Reason? {
    do { try await work() } catch { return (error as? APIError)?.reason }
    return nil
  }

  func testACodeIsExchangedAndItsTokenIsGood() async throws {
    let server = try server()
    let credential = try await signIn(try client(server))
    XCTAssertNotNil(credential.refreshToken)
    XCTAssertEqual(credential.scopes, ["read"])
    let me = try await get(server.url("/api/me"), credential.accessToken)
    XCTAssertEqual(try me.json.user.string, "ann")
  }

  func testTheServerIsKnownByItsNameAndItsRedirectsNameIt() async throws {
    let server = try server()
    let metadata = try await OAuthServerMetadata.discover(server.baseURL.absoluteString, client: http)
    XCTAssertEqual(metadata.tokenEndpoint.string, server.url("/token"))
    XCTAssertEqual(metadata.deviceEndpoint?.string, server.url("/device"))
    XCTAssertTrue(metadata.namesIssuer)
    let oauth = OAuthClient(
      OAuthConfiguration(clientID: "app", server: metadata, scopes: ["read"]), client: http)
    _ = try await signIn(oauth)
    let other = try client(server) { $0.issuer = "http://127.0.0.1:1" }
    let mixedUp = await reason { _ = try await self.signIn(other) }
    XCTAssertEqual(mixedUp, .issuerMismatch)
  }

  func testACodeIsGoodForItsOwnVerifierAndOnce() async throws {
    let oauth = try client(try server())
    let uri = "http://127.0.0.1:9/callback"
    let mine = try oauth.authorization(redirectURI: uri)
    let callback = try await visit(mine)
    let other = try oauth.authorization(redirectURI: uri)
    let mixed = await reason { _ = try await oauth.credential(for: other, callback: callback) }
    XCTAssertEqual(mixed, .stateMismatch)
    _ = try await oauth.credential(for: mine, callback: callback)
    let again = await reason { _ = try await oauth.credential(for: mine, callback: callback) }
    XCTAssertEqual(again, .invalidGrant)
  }

  func testAUserWhoSaysNoIsAReason() async throws {
    let oauth = try client(try server()) { $0.scopes = ["deny"] }
    let denied = await reason { _ = try await self.signIn(oauth) }
    XCTAssertEqual(denied, .accessDenied)
  }

  func testRefreshTokensRotateAndASpentOneIsRefused() async throws {
    let server = try server()
    let oauth = try client(server)
    let first = try await signIn(oauth)
    let second = try await oauth.renew(first)
    XCTAssertNotEqual(second.refreshToken, first.refreshToken)
    let me = try await get(server.url("/api/me"), second.accessToken)
    XCTAssertEqual(me.status, 200)
    let spent = await reason { _ = try await oauth.renew(first) }
    XCTAssertEqual(spent, .invalidGrant)
  }

  func testAConfidentialClientProvesItselfInBothWays() async throws {
    let server = try server()
    let basic = try client(server, "svc") { $0.proof = .basic(secret: "svc:secret") }
    let byField = try await basic.clientCredential()
    let post = try client(server, "svc") { $0.proof = .post(secret: "svc:secret") }
    let byBody = try await post.clientCredential()
    XCTAssertNotEqual(byField.accessToken, byBody.accessToken)
    XCTAssertNil(byField.refreshToken)
    let wrong = try client(server, "svc") { $0.proof = .basic(secret: "x") }
    let refused = await reason { _ = try await wrong.clientCredential() }
    XCTAssertEqual(refused, .invalidClient)
  }

  func testAServiceSignsItselfInAndRenewsWithoutAUser() async throws {
    let server = try server()
    let oauth = try client(server, "svc") { $0.proof = .basic(secret: "svc:secret") }
    let authenticator = oauth.clientAuthenticator()
    let service = try Me(
      environments: ServiceEnvironments(HTTPURL(server.url("/api"))), client: http,
      authenticator: authenticator)
    let manager = ServiceMeManager(service)
    let first = try await manager.response().raw.client.string
    XCTAssertEqual(first, "svc")
    XCTAssertNil(authenticator.credential?.refreshToken)
    let before = try await get(server.url("/counts")).json.token.int ?? 0
    try authenticator.signIn(with: Credential(accessToken: "ended"))
    let again = try await manager.response().raw.client.string
    XCTAssertEqual(again, "svc", "it was refused, renewed and sent again")
    let after = try await get(server.url("/counts")).json.token.int ?? 0
    XCTAssertEqual(after - before, 1)
  }

  func testADeviceIsLetInByItsUserElsewhere() async throws {
    let server = try server()
    let oauth = try client(server, "tv")
    let device = try await oauth.deviceAuthorization()
    let asking = Task { try await oauth.credential(for: device) }
    let approved = try await get(try XCTUnwrap(device.completeVerificationURI))
    XCTAssertEqual(approved.status, 200)
    let credential = try await asking.value
    let me = try await get(server.url("/api/me"), credential.accessToken)
    XCTAssertEqual(try me.json.client.string, "tv")
  }

  func testARevokedTokenIsWorthless() async throws {
    let server = try server()
    let oauth = try client(server)
    let credential = try await signIn(oauth)
    try await oauth.revoke(credential)
    let ended = await reason { _ = try await oauth.renew(credential) }
    XCTAssertEqual(ended, .invalidGrant)
  }

  func testALoadWithAnEndedTokenIsRenewedOnItsWay() async throws {
    let server = try server()
    let oauth = try client(server)
    let credential = try await signIn(oauth)
    let authenticator = oauth.authenticator()
    var ended = credential
    ended.accessToken = "ended"
    try authenticator.signIn(with: ended)
    let service = try Me(
      environments: ServiceEnvironments(HTTPURL(server.url("/api"))), client: http,
      authenticator: authenticator)
    let managers = (0..<10).map { _ in MeManager(service) }
    let before = try await get(server.url("/counts")).json.token.int ?? 0
    try await withThrowingTaskGroup(of: String?.self) { group in
      for manager in managers {
        group.addTask { try await manager.response().raw.user.string }
      }
      for try await user in group { XCTAssertEqual(user, "ann") }
    }
    let after = try await get(server.url("/counts")).json.token.int ?? 0
    XCTAssertEqual(after - before, 1, "ten loads were refused, and one renewal was made")
    XCTAssertNotEqual(authenticator.credential?.refreshToken, credential.refreshToken)
  }
}

private struct Me: APIService {
  let name = "Me"
  let environments: ServiceEnvironments
  let wire: WireOptions
  let identity: ServiceIdentity

  init(environments: ServiceEnvironments, client: HTTPClient, authenticator: Authenticator?) {
    self.environments = environments
    wire = WireOptions(client: client)
    identity = ServiceIdentity(authenticator: authenticator)
  }
}

private final class ServiceMeManager: BaseAPIManager, APIManager {
  let service: Me
  let apiName = "me"
  let signIn = SignInRule.required

  init(_ service: Me) { self.service = service }
}

private final class MeManager: BaseAPIManager, APIManager {
  let service: Me
  let apiName = "me"

  init(_ service: Me) { self.service = service }
}
