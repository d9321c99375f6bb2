import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitSigning

/// Nothing of a response is acted on before it is verified: no cookie is kept, no redirect is followed.
final class VerifiedExchangeTests: XCTestCase {
  /// A server whose path `/api/list` redirects to `/api/other` and sets a cookie with every response.
  private func server(signing: Bool) throws -> ScriptedServer {
    let signer = MessageSigner([
      .init(
        key: try SignatureTestKeys.shared(), components: [.status, .method.ofRequest, .path.ofRequest],
        whereStated: [.contentDigest, "location"])
    ])
    return try ScriptedServer.serving { received in
      let isRedirect = received.target.hasPrefix("/api/list")
      let body = Array((isRedirect ? "" : #"{"items": []}"#).utf8)
      var response = HTTPResponse(
        status: isRedirect ? 302 : 200, headers: ["Content-Type": "application/json", "Set-Cookie": "sid=1"],
        body: .bytes(body))
      if isRedirect { response.headers["Location"] = "/api/other" }
      let request = HTTPRequest(
        method: HTTPMethod(rawValue: received.method),
        url: HTTPURL(stringLiteral: "http://127.0.0.1\(received.target)"))
      if signing {
        try? signer.sign(&response, to: request, .make(secondsSince1970: Int(WallClock.now), nonce: "n"))
      }
      return ScriptedServer.response(response.status, response.headers, body)
    }
  }

  @MainActor
  private func manager(_ server: ScriptedServer, _ jar: CookieJar, inline: Bool) throws -> TestManager {
    var client = HTTPClient(transport: try DefaultTransport.make(.ephemeral))
    client.cookies = jar
    var service = TestService(
      client, ServiceEnvironments(HTTPURL(stringLiteral: "http://127.0.0.1:\(server.port)/api")))
    let verifier = MessageVerifier(
      keys: [try SignatureTestKeys.shared()],
      required: [.status, .contentDigest, .method.ofRequest, .path.ofRequest])
    service.verifier = inline ? verifier : SlowVerifier(verifier)
    return TestManager(service)
  }

  @MainActor
  func testAnUnverifiedRedirectIsNotFollowedAndSetsNoCookie() async throws {
    for inline in [true, false] {
      let server = try server(signing: false)
      defer { server.stop() }
      let jar = CookieJar()
      let manager = try manager(server, jar, inline: inline)
      do throws(APIError) {
        _ = try await manager.response([:])
        XCTFail("a redirect that nobody has signed was followed")
      } catch {
        XCTAssertEqual(error.reason, .unverifiedResponse)
      }
      XCTAssertEqual(server.requests.count, 1)
      XCTAssertNil(jar.header(for: HTTPURL(stringLiteral: "http://127.0.0.1:\(server.port)/")))
    }
  }

  @MainActor
  func testASignedRedirectIsFollowedAndItsCookiesAreKept() async throws {
    for inline in [true, false] {
      let server = try server(signing: true)
      defer { server.stop() }
      let jar = CookieJar()
      let response = try await manager(server, jar, inline: inline).response([:])
      XCTAssertEqual(response.raw.items.kind, .array)
      XCTAssertEqual(response.http.redirects.count, 1)
      XCTAssertEqual(server.requests.count, 2)
      XCTAssertEqual(jar.header(for: HTTPURL(stringLiteral: "http://127.0.0.1:\(server.port)/api/")), "sid=1")
    }
  }
}

/// As another, but in a task.
private struct SlowVerifier: ResponseVerifier {
  private let verifier: MessageVerifier

  init(_ verifier: MessageVerifier) { self.verifier = verifier }

  func verify(
    _ response: HTTPResponse, to request: HTTPRequest, secondsSince1970: Int
  ) throws(SignatureFault) {
    try verifier.verify(response, to: request, secondsSince1970: secondsSince1970)
  }
}
