import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitOAuth

/// What an authorization server says about itself, over a stub (RFC 8414).
final class OAuthDiscoveryTests: XCTestCase {
  private let stub = StubTransport()
  private let issuer = "https://id.test/tenant"

  private func document(_ changes: [String: String] = [:]) -> String {
    let members = [
      "issuer": #""https://id.test/tenant""#, "authorization_endpoint": #""https://id.test/authorize""#,
      "token_endpoint": #""https://id.test/token""#, "revocation_endpoint": #""https://id.test/revoke""#,
      "code_challenge_methods_supported": #"["plain", "S256"]"#,
      "authorization_response_iss_parameter_supported": "true",
    ].merging(changes) { $1 }.filter { !$0.value.isEmpty }
    return "{" + members.map { #""\#($0.key)": \#($0.value)"# }.joined(separator: ",") + "}"
  }

  private func discover(_ issuer: String? = nil) async throws -> OAuthServerMetadata {
    try await OAuthServerMetadata.discover(issuer ?? self.issuer, client: HTTPClient(transport: stub))
  }

  func testOneNameGivesAllAddresses() async throws {
    stub.on("/.well-known/oauth-authorization-server/tenant", .json(document()))
    let configuration = OAuthConfiguration(clientID: "app", server: try await discover(), scopes: ["read"])
    XCTAssertEqual(configuration.authorizationEndpoint, "https://id.test/authorize")
    XCTAssertEqual(configuration.tokenEndpoint, "https://id.test/token")
    XCTAssertEqual(configuration.revocationEndpoint, "https://id.test/revoke")
    XCTAssertNil(configuration.deviceEndpoint)
    XCTAssertEqual(configuration.issuer, issuer)
    XCTAssertTrue(configuration.requiresIssuer, "the server promises to name itself")
    XCTAssertEqual(configuration.scopes, ["read"])
  }

  func testAServerOfOpenIDConnectIsFoundAtItsOwnAddress() async throws {
    stub.on("/.well-known/oauth-authorization-server/tenant", .status(404))
    stub.on(
      "/tenant/.well-known/openid-configuration",
      .json(document(["authorization_response_iss_parameter_supported": ""])))
    let server = try await discover()
    XCTAssertEqual(server.tokenEndpoint, "https://id.test/token")
    XCTAssertFalse(server.namesIssuer)
    XCTAssertEqual(
      try OAuthServerMetadata.addresses(of: "https://id.test").map(\.string),
      [
        "https://id.test/.well-known/oauth-authorization-server",
        "https://id.test/.well-known/openid-configuration",
      ])
  }

  func testADocumentIsBelievedOnlyFromTheServerAskedAndForSafeAddresses() async throws {
    let cases: [([String: String], APIError.Reason)] = [
      (["issuer": #""https://evil.test""#], .issuerMismatch),
      (["issuer": #""https://id.test/tenant/""#], .issuerMismatch),
      (["issuer": ""], .malformedOAuthResponse),
      (["token_endpoint": ""], .malformedOAuthResponse),
      (["token_endpoint": #""http://id.test/token""#], .misconfigured),
      (["revocation_endpoint": #""http://id.test/revoke""#], .misconfigured),
      (["code_challenge_methods_supported": #"["plain"]"#], .misconfigured),
    ]
    for (changes, reason) in cases {
      stub.reset()
      stub.on("/.well-known/oauth-authorization-server/tenant", .json(document(changes)))
      let error = await failure { try await self.discover() }
      XCTAssertEqual(error?.reason, reason, "\(changes)")
      XCTAssertEqual(error?.stage, .auth)
    }
  }

  func testWhatIsNoDocumentIsNamed() async throws {
    stub.on(
      "/.well-known/oauth-authorization-server/tenant",
      .bytes(Array("<html>".utf8), contentType: "text/html"))
    let page = await failure { try await self.discover() }
    XCTAssertEqual(page?.reason, .malformedOAuthResponse)
    XCTAssertEqual(stub.requests.count, 1, "only where it is not found is another address tried")
    stub.reset()
    stub.on("/.well-known/oauth-authorization-server/tenant", .status(404))
    stub.on("/tenant/.well-known/openid-configuration", .status(404))
    let missing = await failure { try await self.discover() }
    XCTAssertEqual(missing?.context.status, 404)
    let open = await failure { try await self.discover("http://id.test") }
    XCTAssertEqual(open?.reason, .misconfigured)
  }
}
