import APIKit
import APIKitTesting
@testable import TestSupport
import XCTest

final class HTTPClientTests: XCTestCase {
  private let request = HTTPRequest(url: "https://a.test/start")

  func testRedirectsAreFollowedAndRecorded() async throws {
    let stub = StubTransport()
    stub.on("/start", .redirect(to: "next?x=1"))
    stub.on("/next", .redirect(to: "https://b.test/end", status: 308))
    stub.on("/end", .text("there"))
    let response = try await HTTPClient(transport: stub).send(HTTPExchange(request))
    XCTAssertEqual(response.bytes, Array("there".utf8))
    XCTAssertEqual(response.url?.string, "https://b.test/end")
    XCTAssertEqual(response.redirects.map(\.url.string), ["https://a.test/start", "https://a.test/next?x=1"])
    XCTAssertEqual(response.metrics.redirectCount, 2)
  }

  func testARefusedRedirectIsTheResponse() async throws {
    let stub = StubTransport(.redirect(to: "/next"))
    let response = try await HTTPClient(transport: stub, redirects: .refuse).send(HTTPExchange(request))
    XCTAssertEqual(response.status, 302)
    XCTAssertEqual(stub.requests.count, 1)
  }

  func testAnEmptyLocationLeadsNowhere() async throws {
    let stub = StubTransport(.text("the page of the form"))
    stub.on(.post, "/start", .redirect(to: "", status: 303))
    for method in [HTTPMethod.post, .get] {
      var request = request
      request.method = method
      let response = try await HTTPClient(transport: stub).send(HTTPExchange(request))
      XCTAssertEqual(response.status, method == .post ? 303 : 200)
    }
    XCTAssertEqual(stub.requests.map(\.method), [.post, .get])
  }

  func testPreparationRunsForEachHopOfTheOriginAndNeverBeyond() async throws {
    let stub = StubTransport()
    stub.on("/start", .redirect(to: "/second"))
    stub.on("/second", .redirect(to: "https://b.test/third"))
    stub.on("/third", .redirect(to: "https://a.test/fourth"))
    stub.on("/fourth", .status(200))
    var signed = request
    signed.headers = ["Authorization": "Bearer t", "X-Key": "k"]
    _ = try await HTTPClient(transport: stub).send(HTTPExchange(signed)) {
      request throws(APIError) in
      request.headers["X-Signature"] = "of " + request.url.path
    }
    let sent = stub.requests
    XCTAssertEqual(
      sent.map { $0.headers["X-Signature"] }, ["of /start", "of /second", nil, "of /fourth"])
    XCTAssertEqual(sent.map { $0.headers["Authorization"] }, ["Bearer t", "Bearer t", nil, nil])
    XCTAssertEqual(sent.map { $0.headers["X-Key"] }, ["k", "k", nil, nil])
  }

  func testCookiesAreSentStoredAndKeptApartByHost() async throws {
    let stub = StubTransport()
    stub.on(
      "/start", .status(302, headers: ["Location": "/second", "Set-Cookie": "s=1", "set-cookie": "t=2"]))
    stub.on("/second", .redirect(to: "https://b.test/third"))
    stub.on("/third", .status(200, headers: ["Set-Cookie": "u=3"]))
    let jar = CookieJar()
    let client = HTTPClient(transport: stub, cookies: jar)
    var first = request
    first.headers = ["Cookie": "own=0"]
    _ = try await client.send(HTTPExchange(first))
    XCTAssertEqual(stub.requests.map { $0.headers["Cookie"] }, ["own=0", "own=0; s=1; t=2", nil])
    XCTAssertEqual(jar.cookies.map(\.name), ["s", "t", "u"])
    XCTAssertEqual(jar.header(for: "https://b.test/"), "u=3")
  }

  func testACookieThatTheRequestStatesIsSentOnceBesideOneThatEndsWithAJoiningLetter() async throws {
    let stub = StubTransport()
    stub.on("/start", .status(200, headers: ["Set-Cookie": "a=\u{D4E}", "set-cookie": "own=1"]))
    let client = HTTPClient(transport: stub, cookies: CookieJar())
    _ = try await client.send(HTTPExchange(request))
    var second = request
    second.headers = ["Cookie": "own=0"]
    _ = try await client.send(HTTPExchange(second))
    XCTAssertEqual(stub.requests.last?.headers["Cookie"], "own=0; a=\u{D4E}")
  }

  func testARedirectToItselfThatSetsACookieIsNoLoop() async throws {
    let stub = StubTransport()
    stub.when(
      { $0.headers["Cookie"] == nil }, .status(302, headers: ["Location": "/start", "Set-Cookie": "s=1"]))
    stub.when({ $0.headers["Cookie"] == "s=1" }, .text("in"))
    let response = try await HTTPClient(transport: stub, cookies: CookieJar()).send(HTTPExchange(request))
    XCTAssertEqual(response.status, 200)
    let error = await failure {
      try await HTTPClient(transport: stub).send(HTTPExchange(HTTPRequest(url: "https://a.test/start")))
    }
    XCTAssertEqual(error?.reason, .redirectLoop)
  }

  func testTheHeadOfAFollowedRedirectIsNotInspected() async throws {
    struct Refused: Error {}
    let stub = StubTransport()
    stub.on("/start", .redirect(to: "/end"))
    stub.on("/end", .status(200))
    var exchange = HTTPExchange(request)
    exchange.inspectHead = { status, _ in if status != 200 { throw Refused() } }
    let response = try await HTTPClient(transport: stub).send(exchange)
    XCTAssertEqual(response.status, 200)
    stub.on("/end", .status(404))
    let error = await failure { [exchange] in try await HTTPClient(transport: stub).send(exchange) }
    XCTAssertEqual(error?.reason, .refusedAtHeaders)
    XCTAssertTrue(error?.underlying is Refused)
  }

  func testAFailingPreparationEndsTheLoadBeforeTheWire() async throws {
    let stub = StubTransport(.status(200))
    let error = await failure {
      try await HTTPClient(transport: stub).send(HTTPExchange(HTTPRequest(url: "https://a.test/"))) {
        _ throws(APIError) in throw APIError(.signing, .signingFailed)
      }
    }
    XCTAssertEqual(error?.reason, .signingFailed)
    XCTAssertEqual(stub.requests.count, 0)
  }
}
