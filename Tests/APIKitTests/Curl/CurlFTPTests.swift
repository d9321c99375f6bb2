#if os(Linux)
  import XCTest

  @testable import APIKit

  /// FTP with servers and proxies that no real one shows; the rest is in Tests/Interop.
  final class CurlFTPTests: XCTestCase {
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

    func testAnHTTPProxyAnswersForFTPInHTTP() async throws {
      let proxy = try ScriptedServer.serving { received in
        received.target.hasSuffix("/missing")
          ? ScriptedServer.response(404, ["X-By": "proxy"], text: "no such file")
          : ScriptedServer.response(text: "\(received.method) \(received.target) \(received.body.count)")
      }
      defer { proxy.stop() }
      var configuration = TransportConfiguration.ephemeral
      configuration.proxy = HTTPProxy(.http, host: "127.0.0.1", port: proxy.port)
      let transport = try CurlTransport(configuration)
      let missing = try await transport.send(HTTPRequest(url: "ftp://far.test/missing"))
      XCTAssertEqual(missing.status, 404)
      XCTAssertEqual(missing.headers["X-By"], "proxy")
      let put = try await transport.send(
        HTTPRequest(method: .put, url: "ftp://far.test/file", body: .bytes([1, 2, 3])))
      XCTAssertEqual(String(decoding: put.bytes, as: UTF8.self), "PUT ftp://far.test/file 3")
    }
  }
#endif
