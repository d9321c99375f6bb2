import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit

extension TransportConformanceTests {
  func testOneConnectionServesRequestAfterRequest() async throws {
    let server = try serving { ScriptedServer.response(text: $0.target) }
    let transport = try transport()
    for number in 0..<10 {
      let response = try await transport.send(HTTPRequest(url: try server.url("/\(number)")))
      XCTAssertEqual(String(decoding: response.bytes, as: UTF8.self), "/\(number)")
      if transport.capabilities.contains(.metrics) {
        XCTAssertEqual(response.metrics.isReused, number > 0)
      }
    }
    XCTAssertEqual(server.connectionCount, 1)
  }

  func testAHundredRequestsAtOnceEachGetTheirOwnResponse() async throws {
    let server = try serving { ScriptedServer.response(200, ["X-Target": $0.target], Array($0.target.utf8)) }
    let transport = try transport()
    let urls = try (0..<100).map { try server.url("/item/\($0)") }
    let wrong = try await withThrowingTaskGroup(of: Bool.self) { group in
      for url in urls {
        group.addTask {
          let response = try await transport.send(HTTPRequest(url: url))
          return response.bytes != Array(url.path.utf8) || response.headers["X-Target"] != url.path
        }
      }
      return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    XCTAssertEqual(wrong, 0)
    XCTAssertEqual(Set(server.requests.map(\.target)).count, 100)
  }

  func testTheLimitOfConnectionsPerHostIsKept() async throws {
    guard try transport().capabilities.contains(.connectionLimits) else { return }
    let server = try server(
      .serve { request in
        usleep(5000)
        return ScriptedServer.response(text: request.target)
      })
    let transport = try transport { $0.connections.perHost = 3 }
    let url = try server.url()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<30 { group.addTask { _ = try await transport.send(HTTPRequest(url: url)) } }
      try await group.waitForAll()
    }
    XCTAssertEqual(server.requests.count, 30)
    XCTAssertLessThanOrEqual(server.connectionCount, 3)
  }

  func testNothingIsRememberedBetweenRequests() async throws {
    let server = try serving { _ in
      ScriptedServer.response(
        200, ["Set-Cookie": "a=1", "Cache-Control": "max-age=1000", "ETag": "\"1\""], text: "fresh")
    }
    let transport = try transport()
    for _ in 0..<3 {
      let response = try await transport.send(HTTPRequest(url: try server.url()))
      XCTAssertEqual(response.bytes, Array("fresh".utf8))
    }
    XCTAssertEqual(server.requests.count, 3, "no cache but ours")
    for request in server.requests {
      XCTAssertNil(request.headers["Cookie"])
      XCTAssertNil(request.headers["If-None-Match"])
    }
  }

  func testMetricsAreInOrder() async throws {
    let server = try server(
      .readRequest, .pause(.milliseconds(30)), .write(ScriptedServer.response(200, [:], Self.pattern(1000))),
      .waitForClose)
    let transport = try transport()
    let response = try await transport.send(
      HTTPRequest(method: .post, url: try server.url(), body: .bytes(Self.pattern(500))))
    let metrics = response.metrics
    XCTAssertGreaterThan(metrics.total, 25_000)
    XCTAssertLessThan(metrics.total, 5_000_000)
    XCTAssertEqual(metrics.bytesReceived, 1000)
    XCTAssertEqual(metrics.bytesSent, 500)
    XCTAssertEqual(response.version, .http1_1)
    guard transport.capabilities.contains(.metrics) else { return }
    let times = [
      metrics.queued, metrics.nameLookup, metrics.connect, metrics.tls, metrics.requestSent,
      metrics.firstByte, metrics.total,
    ]
    XCTAssertEqual(times, times.sorted())
    XCTAssertGreaterThan(metrics.firstByte, 25_000)
    XCTAssertEqual(metrics.remoteAddress, "127.0.0.1")
    XCTAssertEqual(metrics.remotePort, server.port)
    XCTAssertNotNil(metrics.localPort)
    XCTAssertFalse(metrics.isReused)
    XCTAssertEqual(metrics.version, .http1_1)
    XCTAssertNil(metrics.proxy)
    XCTAssertNil(metrics.tlsProtocol)
    XCTAssertEqual(metrics.earlier, [])
    XCTAssertGreaterThan(metrics.firstByte, metrics.requestSent + 25_000)
  }

  // MARK: Above the transport

  func testCredentialsNeverCrossAnOrigin() async throws {
    let stranger = try serving { _ in ScriptedServer.response(text: "stranger") }
    let there = try stranger.url("/landing").string
    let own = try serving { request in
      request.target == "/start"
        ? ScriptedServer.response(302, ["Location": "/second"])
        : ScriptedServer.response(307, ["Location": there, "Set-Cookie": "own=1"])
    }
    let jar = CookieJar()
    let client = HTTPClient(transport: try transport(), cookies: jar)
    let exchange = HTTPExchange.make(try own.url("/start", host: "localhost")) {
      $0.request.headers = [
        "Authorization": "Bearer secret", "Cookie": "session=secret", "Proxy-Authorization": "Basic secret",
        "X-Signature": "secret", "Accept": "text/html",
      ]
    }
    let response = try await client.send(exchange) {
      request throws(APIError) in
      request.headers["X-Prepared"] = "secret"
    }
    XCTAssertEqual(String(decoding: response.bytes, as: UTF8.self), "stranger")
    XCTAssertEqual(response.redirects.map(\.url.path), ["/start", "/second"])
    for request in own.requests {
      for name in ["Authorization", "Cookie", "X-Signature", "X-Prepared", "Accept"] {
        XCTAssertTrue(request.headers.contains(name), "\(name) belongs to \(request.target)")
      }
    }
    let landed = try XCTUnwrap(stranger.requests.first)
    XCTAssertFalse(landed.head.contains("secret"), landed.head)
    XCTAssertFalse(landed.head.contains("own=1"), landed.head)
    XCTAssertEqual(landed.headers["Accept"], "text/html")
  }

  func testHeaderFieldsOfTheConfigurationStayWithTheOriginThatWasAsked() async throws {
    let stranger = try serving { _ in ScriptedServer.response(text: "stranger") }
    let there = try stranger.url("/landing").string
    let own = try serving { request in
      request.target == "/start"
        ? ScriptedServer.response(302, ["Location": "/second"])
        : ScriptedServer.response(307, ["Location": there])
    }
    let transport = try transport {
      $0.headers = ["X-Api-Key": "secret", "Authorization": "Basic secret", "Accept-Language": "de"]
    }
    let exchange = HTTPExchange(HTTPRequest(url: try own.url("/start", host: "localhost")))
    _ = try await HTTPClient(transport: transport).send(exchange)
    for request in own.requests {
      XCTAssertEqual(request.headers["X-Api-Key"], "secret", request.target)
      XCTAssertEqual(request.headers["Authorization"], "Basic secret", request.target)
    }
    let landed = try XCTUnwrap(stranger.requests.first)
    XCTAssertFalse(landed.head.contains("secret"), landed.head)
    XCTAssertEqual(landed.headers["Accept-Language"], "de")
  }

  func testARedirectThatFailsLeavesNoFile() async throws {
    let server = try serving { _ in ScriptedServer.response(302, ["Location": "ftp://x/"], text: "moved") }
    let transport = try transport()
    let path = temporaryPath()
    let exchange = HTTPExchange(HTTPRequest(url: try server.url()), destination: .file(path: path))
    guard await can(.fileDownload, "fileDownload", transport, exchange) else { return }
    let error = await failure { try await HTTPClient(transport: transport).send(exchange) }
    XCTAssertEqual(error?.reason, .redirectRefused)
    XCTAssertFalse(FileManager.default.fileExists(atPath: path))
  }

  func testABodyIsSentAgainWhereARedirectWantsIt() async throws {
    let server = try serving { request in
      request.target == "/old"
        ? ScriptedServer.response(308, ["Location": "/new"])
        : ScriptedServer.response(text: "\(request.method) \(request.text)")
    }
    let transport = try transport()
    let path = try temporaryFile("again".utf8)
    var bodies: [HTTPBody] = [.bytes(Array("again".utf8))]
    if transport.capabilities.contains(.fileUpload) { bodies.append(.file(path: path)) }
    if transport.capabilities.contains(.streamUpload) {
      bodies.append(
        .stream(
          HTTPBodyStream(isReplayable: true) {
            let rest = Record<Void>()
            return {
              defer { rest.add(()) }
              return rest.all.isEmpty ? Array("again".utf8) : nil
            }
          }))
    }
    for body in bodies {
      let response = try await HTTPClient(transport: transport).send(
        HTTPExchange.make(try server.url("/old")) {
          $0.request.method = .put
          $0.request.body = body
        })
      XCTAssertEqual(String(decoding: response.bytes, as: UTF8.self), "PUT again")
    }
  }

  func testCookiesComeBackToTheirServer() async throws {
    let server = try serving { request in
      request.target == "/login"
        ? ScriptedServer.response(200, ["Set-Cookie": "s=1; Path=/", "Set-Cookie": "t=2; Path=/deep"])
        : ScriptedServer.response(text: request.headers["Cookie"] ?? "none")
    }
    let client = HTTPClient(transport: try transport(), cookies: CookieJar())
    var seen: [String] = []
    for path in ["/before", "/login", "/after", "/deep/x"] {
      let response = try await client.send(HTTPExchange(HTTPRequest(url: try server.url(path))))
      seen.append(String(decoding: response.bytes, as: UTF8.self))
    }
    XCTAssertEqual(seen, ["none", "", "s=1", "t=2; s=1"])
  }
}
