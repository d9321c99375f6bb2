import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// The transport's part in a load: its exchange, and the requests that its redirects ask for.
@MainActor final class SendingTests: XCTestCase {
  func testSignatureAndSignInNeverLeaveTheOriginOfTheFlight() async throws {
    let stub = StubTransport(.json(someJSON))
    stub.on("/api/list", .redirect(to: "/api/moved"))
    stub.on("/api/moved", .redirect(to: "https://elsewhere.test/landing", status: 307))
    let manager = TestManager(stub)
    manager.service.signer = CountingSigner()
    manager.service.extraHeaders = ["Accept": "text/plain", "X-Own": "key", "Authorization": "Bearer secret"]
    _ = try await manager.response()
    let sent = stub.requests
    XCTAssertEqual(sent.map(\.url.host), ["homes.test", "homes.test", "elsewhere.test"])
    let secret = ["X-Attempt", "X-Nonce", "X-Time", "Authorization", "X-Own"]
    for request in sent.dropLast() {
      for name in secret {
        XCTAssertTrue(request.headers.contains(name), "\(name) belongs to \(request.url)")
      }
    }
    for name in secret { XCTAssertFalse(sent[2].headers.contains(name), "\(name) went elsewhere") }
    XCTAssertEqual(sent[2].headers["Accept"], "text/plain")
    XCTAssertNotEqual(sent[0].headers["X-Nonce"], sent[1].headers["X-Nonce"], "each hop is signed anew")
  }

  func testWhatARuleAttachesStaysWithItsOriginWhereverItIsPut() async throws {
    let stub = StubTransport(.json(someJSON))
    stub.on("/api/list", .redirect(to: "/api/moved", status: 307))
    stub.on("/api/moved", .redirect(to: "https://elsewhere.test/landing", status: 307))
    var rules = Authenticator.Rules()
    rules.attach = { credential, request in
      request.headers["X-Session"] = credential.accessToken
      request.body = .bytes(Array("token=\(credential.accessToken)".utf8))
    }
    let authenticator = Authenticator(rules: rules)
    try authenticator.signIn(with: Credential(accessToken: "secret"))
    let manager = TestManager(stub)
    manager.method = .post
    manager.service.authenticator = authenticator
    _ = try await manager.response()
    let sent = stub.requests
    XCTAssertEqual(sent.map { $0.headers["X-Session"] }, ["secret", "secret", nil])
    XCTAssertEqual(sent.map(\.body.isEmpty), [false, false, true])
  }

  func testTheRecordHasALineForEachRedirectThatIsFollowed() async throws {
    let stub = StubTransport(.json(someJSON))
    stub.on("/api/list", .redirect(to: "/api/moved?token=secret"))
    stub.on("/api/moved", .redirect(to: "https://elsewhere.test/landing", status: 307))
    let response = try await TestManager(stub).response()
    let lines = (response.record?.events ?? []).map(\.description)
    let hops = lines.filter { $0.hasPrefix("status 30") }
    XCTAssertEqual(hops.count, 2, "\(lines)")
    XCTAssertTrue(hops.first?.hasSuffix(", to https://homes.test:443") == true, "\(hops)")
    XCTAssertTrue(hops.last?.hasSuffix(", to https://elsewhere.test:443") == true, "\(hops)")
    XCTAssertEqual(lines.filter { $0.hasPrefix("status 200") }.count, 1, "\(lines)")
    XCTAssertEqual(response.record?.attempts, 1)
  }

  func testTheRequestsOfRedirectsShareTheTotalTimeout() async throws {
    let transport = HandTransport.responding { request in
      let steps = ["/api/list": "/api/moved", "/api/moved": "https://elsewhere.test/landing"]
      return steps[request.url.path].map { Self.redirect(to: $0) } ?? .json()
    }
    let manager = TestManager(TestService(HTTPClient(transport: transport), TestService.homes))
    manager.service.timeouts = HTTPTimeouts(total: .milliseconds(600))
    _ = try await manager.response()
    XCTAssertEqual(totals(transport), [.milliseconds(600), .milliseconds(400), .milliseconds(200)])
  }

  func testTheTimeOfARequestThatWasSuspendedDoesNotCountForTheNext() async throws {
    // A verifier of the application's own runs in a task.
    for verifier in [nil, OwnVerifier()] {
      let transport = HandTransport()
      let manager = TestManager(TestService(HTTPClient(transport: transport), TestService.homes))
      manager.service.verifier = verifier
      manager.service.timeouts = HTTPTimeouts(total: .milliseconds(600))
      let flight = try XCTUnwrap(manager.load().flightID)
      await waitUntil { transport.starts.count == 1 }
      try manager.suspend(flight)
      manager.resume(flight)
      transport.starts[0].completion(.success(Self.redirect(to: "/api/moved")))
      await waitUntil { transport.starts.count == 2 }
      XCTAssertEqual(totals(transport), [.milliseconds(600), .milliseconds(600)])
      transport.starts[1].completion(.success(.json()))
      await landingsWorkedOff()
    }
  }

  private struct OwnVerifier: ResponseVerifier {
    func verify(_ response: HTTPResponse, to request: HTTPRequest, secondsSince1970: Int) {}
  }

  private nonisolated static func redirect(to target: String) -> HTTPResponse {
    var response = HTTPResponse(status: 307, headers: ["Location": target])
    response.metrics.total = 200_000
    return response
  }

  private func totals(_ transport: HandTransport) -> [Duration?] {
    transport.starts.map { $0.request.timeouts.filled(from: .standard).total }
  }

  func testAFailureOfTheTransportNamesWhereTheRequestWent() async throws {
    let manager = TestManager(StubTransport(.failure(.connectionRefused)))
    let error = try await errorThrown { () throws(APIError) in
      try await manager.response(["city": "Suzhou"])
    }
    XCTAssertEqual(error.label, "transport.connection-refused")
    XCTAssertEqual(error.context.location, "https://homes.test/api/list", "without the query")
  }

  func testCancellingALoadCancelsItsExchangeOnce() async throws {
    let transport = HandTransport()
    let manager = TestManager(StubTransport())
    manager.service.client = HTTPClient(transport: transport)
    manager.load()
    manager.cancel()
    manager.cancel()
    XCTAssertEqual(transport.starts.count, 1)
    XCTAssertEqual(transport.cancellations.value, 1)
  }

  func testALoadThatIsCancelledDuringARedirectSendsNothingMore() async throws {
    let transport = HandTransport()
    let manager = TestManager(StubTransport())
    manager.service.client = HTTPClient(transport: transport)
    manager.load()
    let complete = try XCTUnwrap(transport.starts.first).completion
    manager.cancel()
    await Site.onTransport {
      complete(.success(HTTPResponse(status: 302, headers: ["Location": "/api/moved"])))
    }
    await landingsWorkedOff()
    XCTAssertEqual(transport.starts.map(\.request.url.path), ["/api/list"])
  }

  func testARedirectThatMayNotBeFollowedFailsTheLoad() async throws {
    let stub = StubTransport(.json(someJSON))
    stub.on("/api/list", .redirect(to: "ftp://homes.test/list"))
    let error = try await errorThrown { () throws(APIError) in try await TestManager(stub).response() }
    XCTAssertEqual(error.stage, .transport)
    XCTAssertEqual(stub.requests.count, 1)
  }
}
