import DemoServer
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitOAuth

/// The way back from a browser to a command line, over real sockets.
final class LoopbackRedirectTests: XCTestCase {
  private let client = HTTPClient(transport: DefaultTransport.shared)

  private func get(_ url: String) async throws -> HTTPResponse {
    try await client.send(HTTPExchange(HTTPRequest(url: try HTTPURL(url))))
  }

  func testTheUserIsThankedAndTheirURLHandedOver() async throws {
    let redirect = try LoopbackRedirect(message: "Back \u{D4E}<again>")
    async let callback = redirect.callback(within: .seconds(20))
    let icon = try await get(redirect.uri.replacing("/callback", with: "/favicon.ico"))
    XCTAssertEqual(icon.status, 404)
    let page = try await get(redirect.uri + "?code=c&state=s")
    XCTAssertEqual(page.status, 200)
    XCTAssertTrue(String(decoding: page.bytes, as: UTF8.self).contains("Back \u{D4E}&lt;again&gt;"))
    let url = try await callback
    XCTAssertEqual(url, redirect.uri + "?code=c&state=s")
  }

  func testARedirectURIWithoutAPathIsWaitedForAndOneThatNoBrowserAsksForIsRefused() async throws {
    let redirect = try LoopbackRedirect(path: "")
    XCTAssertFalse(redirect.uri.hasSuffix("/"))
    async let callback = redirect.callback(within: .seconds(5))
    let page = try await get(redirect.uri + "/?code=c&state=s")
    XCTAssertEqual(page.status, 200)
    let url = try await callback
    XCTAssertEqual(url, redirect.uri + "/?code=c&state=s")
    for path in ["callback", "/zurück", "/a b", "/back?app=1", "/back#1", "/a/../b"] {
      XCTAssertThrowsError(try LoopbackRedirect(path: path), path) { error in
        XCTAssertEqual((error as? APIError)?.reason, .misconfigured)
      }
    }
    for path in ["/", "/back/", "/zur%C3%BCck"] { XCTAssertNoThrow(try LoopbackRedirect(path: path), path) }
  }

  func testAUserWhoWasSentBackWithAnErrorIsNotToldThatTheyAreSignedIn() async throws {
    let redirect = try LoopbackRedirect()
    async let callback = redirect.callback(within: .seconds(20))
    let page = try await get(redirect.uri + "?state=s&error=access_denied")
    XCTAssertTrue(String(decoding: page.bytes, as: UTF8.self).contains("You are not signed in."))
    let url = try await callback
    XCTAssertEqual(url, redirect.uri + "?state=s&error=access_denied")
  }

  private var oauth: OAuthClient {
    OAuthClient(
      OAuthConfiguration(
        clientID: "app", authorizationEndpoint: "https://id.test/a", tokenEndpoint: "https://id.test/t"),
      client: client)
  }

  func testARequestOfAnotherPageDoesNotEndTheSignIn() async throws {
    let redirect = try LoopbackRedirect()
    let authorization = try oauth.authorization(redirectURI: redirect.uri)
    async let callback = redirect.callback(for: authorization, within: .seconds(20))
    for query in [
      "", "?code=stolen&state=guess", "?state=\(authorization.state)&state=x", "?error=access_denied",
    ] {
      let page = try await get(redirect.uri + query)
      XCTAssertEqual(page.status, 404, query)
    }
    let page = try await get(redirect.uri + "?code=c&state=\(authorization.state)")
    XCTAssertEqual(page.status, 200)
    let code = try authorization.code(from: try await callback)
    XCTAssertEqual(code, "c")
  }

  func testEachOfSeveralWaitsGetsTheRedirectOfItsOwnAuthorization() async throws {
    let redirect = try LoopbackRedirect()
    let authorizations = try (1...4).map { _ in try oauth.authorization(redirectURI: redirect.uri) }
    let waits = authorizations.map { authorization in
      Task { try await redirect.callback(for: authorization, within: .seconds(10)) }
    }
    // One that was given up leaves the others alone.
    waits[0].cancel()
    let cancelled = await failure { try await waits[0].value }
    XCTAssertEqual(cancelled?.reason, .cancelled)
    for (number, authorization) in authorizations.enumerated() {
      let page = try await get(redirect.uri + "?code=c\(number)&state=\(authorization.state)")
      XCTAssertEqual(page.status, number == 0 ? 404 : 200, "\(number)")
    }
    for (number, authorization) in authorizations.enumerated().dropFirst() {
      let code = try authorization.code(from: try await waits[number].value)
      XCTAssertEqual(code, "c\(number)")
    }
  }

  func testConnectionsThatSayNothingDoNotKeepTheRedirectOut() async throws {
    let redirect = try LoopbackRedirect()
    let port = try XCTUnwrap(HTTPURL(redirect.uri).port)
    async let callback = redirect.callback(within: .seconds(10))
    let silent = (1...100).map { LoopbackCaller(port: port, saying: $0 % 2 == 0 ? "" : "GET /callback") }
    let page = try await get(redirect.uri + "?code=c&state=s")
    XCTAssertEqual(page.status, 200)
    let url = try await callback
    XCTAssertEqual(url, redirect.uri + "?code=c&state=s")
    withExtendedLifetime(silent) {}
  }

  func testABrowserThatDoesNotReadItsPageSignsInAllTheSame() async throws {
    let redirect = try LoopbackRedirect(message: String(repeating: "x", count: 8 << 20))
    let port = try XCTUnwrap(HTTPURL(redirect.uri).port)
    let caller = LoopbackCaller(port: port, saying: "GET /callback?code=c HTTP/1.1\r\nHost: a\r\n\r\n")
    // Whoever waits for it to read is freed after a while, and has waited too long.
    let rescue = Task {
      try await Task.sleep(for: .seconds(8))
      caller.hangUp()
    }
    let start = ContinuousClock.now
    let url = try await redirect.callback(within: .seconds(20))
    XCTAssertEqual(url, redirect.uri + "?code=c")
    XCTAssertLessThan(ContinuousClock.now - start, .seconds(7))
    rescue.cancel()
    caller.hangUp()
  }

  func testNobodyIsWaitedForForEver() async throws {
    let redirect = try LoopbackRedirect()
    let error = await failure { try await redirect.callback(within: .milliseconds(50)) }
    XCTAssertEqual(error?.reason, .deadlineExceeded)
    let task = Task { await failure { try await redirect.callback() } }
    task.cancel()
    let cancelled = await task.value
    XCTAssertEqual(cancelled?.reason, .cancelled)
  }

  func testAWholeAuthorizationAgainstTheDemosServer() async throws {
    let server = try DemoServer()
    defer { server.stop() }
    var configuration = OAuthConfiguration(
      clientID: "demo", authorizationEndpoint: try server.url("/oauth/authorize"),
      tokenEndpoint: try server.url("/oauth/token"), scopes: ["homes"])
    configuration.issuer = server.baseURL.string
    configuration.requiresIssuer = true
    configuration.revocationEndpoint = try server.url("/oauth/revoke")
    let oauth = OAuthClient(configuration, client: client)
    let redirect = try LoopbackRedirect()
    let authorization = try oauth.authorization(redirectURI: redirect.uri)
    async let callback = redirect.callback(for: authorization, within: .seconds(20))
    _ = try await get(authorization.url.string)
    let credential = try await oauth.credential(for: authorization, callback: callback)
    XCTAssertEqual(credential.scopes, ["homes"])

    let renewed = try await oauth.renew(credential)
    XCTAssertNotEqual(renewed.refreshToken, credential.refreshToken)
    let reused = await failure { try await oauth.renew(credential) }
    XCTAssertEqual(reused?.reason, .invalidGrant, "refresh tokens rotate")
    try await oauth.revoke(renewed)
    let ended = await failure { try await oauth.renew(renewed) }
    XCTAssertEqual(ended?.reason, .invalidGrant)
  }
}

/// A connection to a loopback port that says something and then neither reads nor closes until it is told to.
private final class LoopbackCaller: Sendable {
  private let open: Mutex<Int32?>

  init(port: Int, saying text: String) {
    #if canImport(Glibc)
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    open = Mutex(descriptor)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    _ = write(descriptor, text, text.utf8.count)
  }

  deinit { hangUp() }

  func hangUp() {
    open.withLock { descriptor in
      if let descriptor { close(descriptor) }
      descriptor = nil
    }
  }
}
