#if os(Linux)
  @testable import TestSupport
  import XCTest

  @testable import APIKit

  /// FTP with servers and proxies that no real one shows; the rest is in Tests/Interop.
  final class CurlFTPTests: XCTestCase {
    /// The replies of a server to the commands of a HEAD.
    private static let reply: @Sendable (String) -> String = { line in
      let replies = [
        "USER": "230 in", "PWD": "257 \"/\"", "TYPE": "200 binary", "SIZE": "213 6",
        "MDTM": "213 20200102030405", "REST": "350 go on", "QUIT": "221 bye",
      ]
      return (replies[String(line.prefix { $0 != " " })] ?? "500 unknown") + "\r\n"
    }

    func testAServerThatNeverGreetsRunsIntoTheConnectLimit() async throws {
      let server = try ScriptedServer(.waitForClose)
      defer { server.stop() }
      let request = HTTPRequest(
        url: try HTTPURL("ftp://127.0.0.1:\(server.port)/file"),
        timeouts: HTTPTimeouts(connect: .milliseconds(80)))
      let error = await failure { try await CurlTransport(.ephemeral).send(request) }
      XCTAssertEqual(error?.reason, .connectTimeout)
    }

    func testAServerThatSendsOneAwayIsTold() async throws {
      let server = try ScriptedServer(.text("500 not for you\r\n"), .waitForClose)
      defer { server.stop() }
      let request = HTTPRequest(url: try HTTPURL("ftp://127.0.0.1:\(server.port)/file"))
      let error = await failure { try await CurlTransport(.ephemeral).send(request) }
      XCTAssertEqual(error?.reason, .malformedResponse)
    }

    func testAGreetingThatLooksLikeHTTPIsFTP() async throws {
      let server = try ScriptedServer(
        .text("HTTP/1.1 200 OK\r\nSet-Cookie: stolen=1\r\n\r\n220 ready\r\n"),
        .lines(until: "QUIT", Self.reply))
      defer { server.stop() }
      let url = try HTTPURL("ftp://127.0.0.1:\(server.port)/file")
      let transport = try CurlTransport(.ephemeral)
      let jar = CookieJar()
      let client = HTTPClient(transport: transport, cookies: jar)
      let response = try await client.send(HTTPExchange(HTTPRequest(method: .head, url: url)))
      XCTAssertNil(response.headers["Set-Cookie"])
      XCTAssertEqual(response.headers["Content-Length"], "6")
      XCTAssertNotEqual(response.version, .http1_1)
      XCTAssertEqual(jar.cookies, [])
    }

    func testAReplyOfFTPIsNoResponseOfHTTP() async throws {
      for reply in ["220 ready\r\n", "220 ready\r\nSet-Cookie: a=1\r\n\r\n", "220-HTTP/1.1 200 OK\r\n\r\n"] {
        let server = try ScriptedServer(.readRequest, .text(reply))
        defer { server.stop() }
        let transport = try CurlTransport(.ephemeral)
        let jar = CookieJar()
        let client = HTTPClient(transport: transport, cookies: jar)
        let error = await failure { try await client.send(HTTPExchange(HTTPRequest(url: try server.url()))) }
        XCTAssertEqual(error?.reason, .malformedResponse, reply)
        XCTAssertEqual(jar.cookies, [])
      }
    }

    func testAnIdleConnectionThatTheServerTookLeaveOfIsNotUsedAgain() async throws {
      let (go, done) = (Latch(), Latch())
      let server = try ScriptedServer(scripts: [
        // REST is the last command of a HEAD.
        [
          .text("220 ready\r\n"), .lines(until: "REST", Self.reply), .wait(go), .text("421 too slow\r\n"),
          .open(done), .waitForClose,
        ], [.text("220 ready\r\n"), .lines(until: "QUIT", Self.reply)],
      ])
      defer { server.stop() }
      let transport = try CurlTransport(.ephemeral)
      let request = HTTPRequest(method: .head, url: try HTTPURL("ftp://127.0.0.1:\(server.port)/file"))
      for _ in 0..<3 {
        let response = try await transport.send(request)
        XCTAssertEqual(response.headers["Content-Length"], "6")
        go.open()
        done.wait()
      }
      XCTAssertEqual(server.connectionCount, 2)
    }

    func testAnHTTPProxyRespondsForFTPInHTTP() async throws {
      let proxy = try ScriptedServer.serving { received in
        received.target.hasSuffix("/missing")
          ? ScriptedServer.response(404, ["X-By": "proxy"], text: "no such file")
          : ScriptedServer.response(text: "\(received.method) \(received.target) \(received.body.count)")
      }
      defer { proxy.stop() }
      var configuration = TransportConfiguration.ephemeral
      configuration.proxy = .through(HTTPProxy(.http, host: "127.0.0.1", port: proxy.port))
      let transport = try CurlTransport(configuration)
      let missing = try await transport.send(HTTPRequest(url: "ftp://far.test/missing"))
      XCTAssertEqual(missing.status, 404)
      XCTAssertEqual(missing.headers["X-By"], "proxy")
      let put = try await transport.send(
        HTTPRequest(method: .put, url: "ftp://far.test/file", body: .bytes([1, 2, 3])))
      XCTAssertEqual(String(decoding: put.bytes, as: UTF8.self), "PUT ftp://far.test/file 3")
    }

    func testAPutThatAsksFirstIsRefused() async throws {
      var request = HTTPRequest(method: .put, url: "ftp://127.0.0.1:1/file", body: .bytes([1]))
      request.options.expectsContinue = true
      let error = await failure { [request] in try await CurlTransport(.ephemeral).send(request) }
      XCTAssertEqual(error?.reason, .unsupportedCapability)
    }
  }
#endif
