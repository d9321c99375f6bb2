import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitOAuth

/// OAuth 2.0 on the client's side, over a stub.
final class OAuthTests: XCTestCase {
  private let stub = StubTransport()
  private let time = ManualTime(wallClock: 1000)
  private let redirect = "app://cb"

  private func client(_ change: (inout OAuthConfiguration) -> Void = { _ in }) -> OAuthClient {
    var configuration = OAuthConfiguration(
      clientID: "my app", authorizationEndpoint: "https://id.test/authorize?tenant=1",
      tokenEndpoint: "https://id.test/token", scopes: ["read", "write"])
    configuration.deviceEndpoint = "https://id.test/device"
    configuration.revocationEndpoint = "https://id.test/revoke"
    change(&configuration)
    let stub = stub
    return OAuthClient(
      configuration, send: { (request) throws(APIError) in try await stub.send(HTTPExchange(request)) },
      time: time)
  }

  private func form(_ request: HTTPRequest?) -> [String: String] {
    guard case .bytes(let bytes)? = request?.body else { return [:] }
    return Self.pairs(String(decoding: bytes, as: UTF8.self))
  }

  private static func pairs(_ text: String) -> [String: String] {
    var pairs: [String: String] = [:]
    for pair in text.split(separator: "&") {
      let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      pairs[String(halves[0])] = PercentEncoding.decode(halves[1], plusIsSpace: true)
    }
    return pairs
  }

  private let good = #"{"access_token": "a", "token_type": "bearer", "expires_in": 60, "refresh_token": "r"}"#

  func testTheChallengeIsThatOfTheRFC() {
    XCTAssertEqual(
      ProofKey.challenge(of: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"),
      "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "RFC 7636, appendix B")
    XCTAssertEqual(ProofKey.makeVerifier().count, 43)
  }

  func testTheAuthorizationURLHasAllThatTheServerNeedsAndNothingSecret() throws {
    let authorization = try client().authorization(redirectURI: redirect, parameters: ["prompt": "login"])
    let query = Self.pairs(authorization.url.query ?? "")
    XCTAssertEqual(authorization.url.location, "https://id.test/authorize")
    XCTAssertEqual(query["tenant"], "1", "the endpoint's own query is kept")
    XCTAssertEqual(query["prompt"], "login")
    XCTAssertEqual(query["client_id"], "my app")
    XCTAssertEqual(query["response_type"], "code")
    XCTAssertEqual(query["redirect_uri"], redirect)
    XCTAssertEqual(query["scope"], "read write")
    XCTAssertEqual(query["code_challenge_method"], "S256")
    XCTAssertEqual(query["code_challenge"], ProofKey.challenge(of: authorization.verifier))
    XCTAssertFalse(authorization.url.string.contains(authorization.verifier))
    let other = try client().authorization(redirectURI: redirect)
    XCTAssertNotEqual(other.state, authorization.state)
    XCTAssertNotEqual(other.verifier, authorization.verifier)
  }

  func testACodeIsExchangedWithTheVerifierOfItsOwnRequest() async throws {
    stub.on(.post, "/token", .json(good))
    let oauth = client()
    let authorization = try oauth.authorization(redirectURI: redirect)
    let credential = try await oauth.credential(
      for: authorization, callback: "app://cb?code=c%2B1&state=\(authorization.state)#_=_")
    XCTAssertEqual(credential.accessToken, "a")
    XCTAssertEqual(credential.refreshToken, "r")
    XCTAssertEqual(credential.tokenType, "Bearer")
    XCTAssertEqual(credential.expiresAt, 1060)
    let request = try XCTUnwrap(stub.requests.first)
    XCTAssertEqual(
      form(request),
      [
        "grant_type": "authorization_code", "code": "c+1", "redirect_uri": redirect, "client_id": "my app",
        "code_verifier": authorization.verifier,
      ])
    XCTAssertEqual(request.headers["Accept"], "application/json")
    XCTAssertNil(request.headers["Authorization"])
  }

  func testAnIssuerOfOneTextAndOtherBytesIsAnother() throws {
    // The sign for kelvins is canonically equivalent to a K.
    let authorization = try client { $0.issuer = "https://id.test/K" }.authorization(redirectURI: redirect)
    let callback = "app://cb?code=c&state=\(authorization.state)&iss=https%3A%2F%2Fid.test%2F%E2%84%AA"
    XCTAssertThrowsError(try authorization.code(from: callback))
    let raw = try RawData(plain: [
      "issuer": "https://id.test/\u{212A}", "token_endpoint": "https://id.test/token",
      "authorization_endpoint": "https://id.test/authorize", "code_challenge_methods_supported": ["S256"],
    ])
    XCTAssertThrowsError(try OAuthServerMetadata(raw, issuer: "https://id.test/K")) { error in
      XCTAssertEqual((error as? APIError)?.reason, .issuerMismatch)
    }
  }

  func testWhatComesBackIsBelievedOnlyFromTheRightServerAndForTheRightRequest() throws {
    let oauth = client { $0.issuer = "https://id.test" }
    let authorization = try oauth.authorization(redirectURI: redirect)
    let state = "state=\(authorization.state)"
    let cases: [(String, APIError.Reason)] = [
      ("app://cb?code=c", .stateMismatch),
      ("app://cb?code=c&state=x", .stateMismatch),
      ("app://cb?error=access_denied&state=x", .stateMismatch),
      ("app://cb?code=c&\(state)&iss=https%3A%2F%2Fevil.test", .issuerMismatch),
      ("app://cb?error=access_denied&error_description=no%0Athanks&\(state)", .accessDenied),
      ("app://cb?error=odd&\(state)", .otherOAuthError),
      ("app://cb?\(state)", .malformedOAuthResponse),
      ("app://cb?code=&\(state)", .malformedOAuthResponse),
      ("app://cb?code=a&code=b&\(state)", .malformedOAuthResponse),
      ("app://cb?code=%zz&\(state)", .malformedOAuthResponse),
      ("other://cb?code=c&\(state)", .malformedOAuthResponse),
      ("app://cb.evil?code=c&\(state)", .malformedOAuthResponse),
    ]
    for (callback, reason) in cases {
      do {
        let code = try authorization.code(from: callback)
        XCTFail("\(callback) gave \(code)")
      } catch {
        XCTAssertEqual(error.reason, reason, callback)
        XCTAssertEqual(error.stage, .auth)
        XCTAssertFalse(error.description.contains("\n"))
      }
    }
    XCTAssertEqual(try authorization.code(from: "app://cb?code=c&\(state)"), "c")
    XCTAssertEqual(
      try authorization.code(from: "app://cb?code=c&\(state)&iss=https%3A%2F%2Fid.test"), "c")
    let strict = try client {
      $0.issuer = "https://id.test"
      $0.requiresIssuer = true
    }.authorization(redirectURI: redirect)
    XCTAssertThrowsError(try strict.code(from: "app://cb?code=c&state=\(strict.state)"))
  }

  func testARenewalKeepsWhatTheServerDoesNotSay() async throws {
    stub.on(.post, "/token", .json(#"{"access_token": "a2", "token_type": "Bearer", "expires_in": "30"}"#))
    let old = Credential(
      accessToken: "a", refreshToken: "r", scopes: ["read"], notes: ["user": "ann"])
    let renewed = try await client().renew(old)
    XCTAssertEqual(renewed.refreshToken, "r")
    XCTAssertEqual(renewed.scopes, ["read"])
    XCTAssertEqual(renewed.notes, ["user": "ann"])
    XCTAssertEqual(renewed.expiresAt, 1030)
    XCTAssertEqual(form(stub.requests.first)["refresh_token"], "r")
    let error = await failure { try await self.client().renew(Credential(accessToken: "a")) }
    XCTAssertEqual(error?.reason, .invalidGrant)
  }

  func testAnEmptyRefreshTokenIsNone() async throws {
    stub.on(.post, "/token", .json(#"{"access_token": "a2", "token_type": "Bearer", "refresh_token": ""}"#))
    let renewed = try await client().renew(Credential(accessToken: "a", refreshToken: "r"))
    XCTAssertEqual(renewed.refreshToken, "r")
    let own = try await client().clientCredential()
    XCTAssertNil(own.refreshToken)
  }

  func testTheClientProvesItselfAsConfigured() async throws {
    stub.on(.post, "/token", .json(good))
    _ = try await client { $0.proof = .basic(secret: "p:ä") }.clientCredential()
    _ = try await client { $0.proof = .post(secret: "p:ä") }.clientCredential()
    let (basic, post) = (stub.requests[0], stub.requests[1])
    XCTAssertEqual(
      basic.headers["Authorization"], "Basic " + Base64.encode(Array("my+app:p%3A%C3%A4".utf8)),
      "both halves are encoded first (RFC 6749, 2.3.1)")
    XCTAssertNil(form(basic)["client_id"])
    XCTAssertEqual(form(post)["client_secret"], "p:ä")
    XCTAssertEqual(form(post)["scope"], "read write")
  }

  func testErrorsOfTheRFCAreReasonsAndAnythingElseIsNamed() async throws {
    let responses: [(StubResponse, APIError.Reason, String)] = [
      (
        .json(#"{"error": "invalid_grant", "error_description": "used"}"#, status: 400), .invalidGrant,
        "the code or refresh token is not valid any more"
      ),
      (
        .json(#"{"error": "invalid_client"}"#, status: 401), .invalidClient,
        "the client is not known or did not prove itself"
      ),
      (
        .bytes(Array("<html>oops</html>".utf8), contentType: "text/html; charset=utf-8"),
        .malformedOAuthResponse, "https://id.test/token responded 200 with text/html where JSON is due"
      ),
      (
        .bytes(Array("<html>".utf8), status: 502, contentType: "text/html"), .malformedOAuthResponse,
        "https://id.test/token responded 502 with text/html where JSON is due"
      ),
      (
        .json(#"{"access_token": "a",}"#), .malformedOAuthResponse,
        "https://id.test/token responded 200 with application/json that is no JSON object"
      ),
      (
        .json(""), .malformedOAuthResponse, "https://id.test/token responded 200 with an empty body"
      ),
      (
        .json(#"{"token": 1}"#), .malformedOAuthResponse,
        "https://id.test/token responded 200 with JSON without a token or an error"
      ),
      (
        .json(#"{"access_token": "a", "token_type": "mac"}"#), .malformedOAuthResponse,
        "the token is not of the type Bearer"
      ),
      (
        .json(#"{"access_token": "a\r\nX-Admin: 1"}"#), .malformedOAuthResponse,
        "the token has a control character, which no header field may have"
      ),
      (.failure(.connectionRefused), .connectionRefused, ""),
    ]
    for (response, reason, detail) in responses {
      stub.reset()
      stub.on(.post, "/token", response)
      let error = await failure { try await self.client().clientCredential() }
      XCTAssertEqual(error?.reason, reason)
      if !detail.isEmpty { XCTAssertEqual(error?.detail, detail) }
    }
  }

  func testADeviceAsksAsSlowlyAsItIsTold() async throws {
    stub.on(
      .post, "/device",
      .json(
        #"{"device_code": "d", "user_code": "AB-CD", "verification_uri": "https://id.test/go", "expires_in": 60, "#
          + #""interval": 3}"#))
    stub.on(
      .post, "/token", .json(#"{"error": "authorization_pending"}"#, status: 400),
      .json(#"{"error": "slow_down"}"#, status: 400), .json(good))
    let oauth = client()
    let device = try await oauth.deviceAuthorization()
    XCTAssertEqual(device.userCode, "AB-CD")
    async let credential = oauth.credential(for: device)
    for seconds in [3, 3, 8] { await time.advanceOnceAsleep(by: .seconds(seconds)) }
    let token = try await credential.accessToken
    XCTAssertEqual(token, "a")
    XCTAssertEqual(stub.requests.count, 4)
    XCTAssertEqual(form(stub.requests.last)["device_code"], "d")
  }

  func testADeviceCodeThatEndsAndAUserWhoSaysNoEndTheAsking() async throws {
    stub.on(
      .post, "/device",
      .json(
        #"{"device_code": "d", "user_code": "A", "verification_uri": "https://id.test/go", "expires_in": 8}"#)
    )
    stub.on(
      .post, "/token", .json(#"{"error": "access_denied"}"#, status: 400),
      .json(#"{"error": "authorization_pending"}"#, status: 400))
    let oauth = client()
    for reason in [APIError.Reason.accessDenied, .deviceCodeExpired] {
      let device = try await oauth.deviceAuthorization()
      async let error = failure { try await oauth.credential(for: device) }
      await time.advanceOnceAsleep(by: .seconds(5))
      if reason == .deviceCodeExpired { await time.advanceOnceAsleep(by: .seconds(5)) }
      let ended = await error
      XCTAssertEqual(ended?.reason, reason)
    }
  }

  func testAnIntervalBeyondTheEndOfTheCodeDelaysNothing() async throws {
    stub.on(
      .post, "/device",
      .json(
        #"{"device_code": "d", "user_code": "A", "verification_uri": "https://id.test/go", "expires_in": 8, "#
          + #""interval": 3600}"#))
    stub.on(.post, "/token", .json(#"{"error": "authorization_pending"}"#, status: 400))
    let oauth = client()
    let device = try await oauth.deviceAuthorization()
    async let error = failure { try await oauth.credential(for: device) }
    await time.advanceOnceAsleep(by: .seconds(8))
    let ended = await error
    XCTAssertEqual(ended?.reason, .deviceCodeExpired)
  }

  func testAServerThatRestartsDoesNotEndTheSignInOfADevice() async throws {
    stub.on(
      .post, "/device",
      .json(#"{"device_code": "d", "user_code": "A", "verification_uri": "https://id.test/go"}"#))
    stub.on(
      .post, "/token", .failure(.connectionRefused),
      .bytes(Array("<html>".utf8), status: 502, contentType: "text/html"),
      .json(#"{"error": "temporarily_unavailable"}"#, status: 503), .json(good))
    let oauth = client()
    let device = try await oauth.deviceAuthorization()
    async let credential = oauth.credential(for: device)
    for seconds in [5, 10, 20, 40] { await time.advanceOnceAsleep(by: .seconds(seconds)) }
    let token = try await credential.accessToken
    XCTAssertEqual(token, "a")
  }

  func testADeviceIsAskedForAccordingToTheRFCAndNotToTheTimeOfDay() {
    var polling = DevicePolling(interval: .seconds(5), end: .seconds(600))
    XCTAssertEqual(polling.wait(now: .zero), .seconds(5))
    XCTAssertTrue(polling.goesOn(after: .authorizationPending))
    XCTAssertEqual(polling.interval, .seconds(5))
    XCTAssertTrue(polling.goesOn(after: .slowDown))
    XCTAssertTrue(polling.goesOn(after: .slowDown))
    XCTAssertEqual(polling.interval, .seconds(15), "for this and all later questions")
    for _ in 0..<8 { XCTAssertTrue(polling.goesOn(after: .connectTimeout)) }
    XCTAssertEqual(polling.interval, .seconds(300))
    for reason in [APIError.Reason.accessDenied, .deviceCodeExpired, .invalidGrant, .cancelled] {
      XCTAssertFalse(polling.goesOn(after: reason))
    }
    XCTAssertEqual(polling.wait(now: .seconds(590)), .seconds(10), "not beyond the end of the code")
    XCTAssertNil(polling.wait(now: .seconds(600)))
    var slow = DevicePolling(interval: .seconds(400), end: .seconds(600))
    XCTAssertTrue(slow.goesOn(after: .connectionLost))
    for reason in [APIError.Reason.tlsHandshakeFailed, .proxyFailed, .truncatedBody, .totalTimeout] {
      XCTAssertTrue(slow.goesOn(after: reason), "\(reason)")
    }
    XCTAssertEqual(slow.interval, .seconds(400), "never sooner than the server wants")
  }

  func testAClockThatJumpsEndsNoDeviceCode() async throws {
    stub.on(
      .post, "/device",
      .json(
        #"{"device_code": "d", "user_code": "A", "verification_uri": "https://id.test/go", "expires_in": 60}"#
      ))
    stub.on(.post, "/token", .json(good))
    let oauth = client()
    let device = try await oauth.deviceAuthorization()
    time.wallClock += 86_400
    async let credential = oauth.credential(for: device)
    await time.advanceOnceAsleep(by: .seconds(5))
    let token = try await credential.accessToken
    XCTAssertEqual(token, "a")
  }

  func testLifetimesThatCannotBeAreCutAndBreakNothing() async throws {
    for (text, end) in [("1e300", 315_361_000.0), ("-5", 1000), (#""1e999""#, nil), (#""soon""#, nil)] {
      stub.reset()
      stub.on(.post, "/token", .json(#"{"access_token": "a", "expires_in": \#(text)}"#))
      let credential = try await client().clientCredential()
      if let end { XCTAssertEqual(credential.expiresAt, end, text) }
      XCTAssertFalse(credential.description.isEmpty)
    }
    let odd = Credential(accessToken: "a", expiresAt: .infinity)
    XCTAssertTrue(odd.description.hasSuffix("ends at no time"), odd.description)
  }

  func testRevokingNamesTheTokenThatEndsAll() async throws {
    stub.on(.post, "/revoke", .status(200), .json(#"{"error": "unsupported_token_type"}"#, status: 400))
    let credential = Credential(accessToken: "a", refreshToken: "r")
    try await client().revoke(credential)
    XCTAssertEqual(
      form(stub.requests.first), ["token": "r", "token_type_hint": "refresh_token", "client_id": "my app"])
    let error = await failure { try await self.client().revoke(credential) }
    XCTAssertEqual(error?.reason, .otherOAuthError)
  }

  func testTokensNeverTravelInTheClear() async throws {
    let open = client { $0.tokenEndpoint = "http://id.test/token" }
    let error = await failure { try await open.clientCredential() }
    XCTAssertEqual(error?.reason, .misconfigured)
    XCTAssertEqual(stub.requests.count, 0)
    stub.on(.post, "/token", .json(good))
    _ = try await client { $0.tokenEndpoint = "http://127.0.0.1:8080/token" }.clientCredential()
  }
}
