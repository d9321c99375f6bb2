#if os(Linux)
  @testable import TestSupport
  import XCTest

  @testable import APIKit

  /// The fields behind a body.
  final class CurlTrailerTests: XCTestCase {
    func testATrailerThatLooksLikeAStatusLineBeginsNoOtherResponse() async throws {
      let server = try ScriptedServer(
        .readRequest,
        .text(
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-Kind: real\r\n\r\n2\r\nok\r\n0\r\n"
            + "HTTP/1.1 404 x: y\r\nX-Kind: false\r\n\r\n"), .waitForClose)
      defer { server.stop() }
      let heads = Counter()
      var exchange = HTTPExchange(HTTPRequest(url: try server.url()))
      exchange.inspectHead = { _, _ in heads.increment() }
      let response = try await CurlTransport.shared.send(exchange)
      XCTAssertEqual(response.status, 200)
      XCTAssertEqual(response.headers["X-Kind"], "real")
      XCTAssertEqual(heads.value, 1)
      XCTAssertEqual(response.trailers["X-Kind"], "false")
    }

    func testAChangeOfProtocolThatWasNotAskedForIsMalformed() async throws {
      let server = try ScriptedServer(
        .readRequest,
        .text("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n"),
        .waitForClose)
      defer { server.stop() }
      var request = HTTPRequest(url: try server.url())
      request.timeouts.idle = .seconds(5)
      let error = await failure { [request] in try await CurlTransport.shared.send(request) }
      XCTAssertEqual(error?.reason, .malformedResponse, "\(error as Any)")
    }

    private func response(_ text: String) async throws -> HTTPResponse {
      let server = try ScriptedServer(.readRequest, .text(text), .waitForClose)
      defer { server.stop() }
      let transport = try CurlTransport(.ephemeral)
      return try await transport.send(
        HTTPExchange(HTTPRequest(url: HTTPURL(stringLiteral: "http://127.0.0.1:\(server.port)/"))))
    }

    func testTrailersAreKeptApartFromTheHeaderFields() async throws {
      let response = try await response(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-A: head\r\n\r\n4\r\nbody\r\n0\r\nX-A: one\r\n"
          + "x-sum:  7 \r\nContent-Length: 1\r\n\r\n")
      XCTAssertEqual(String(decoding: response.bytes, as: UTF8.self), "body")
      XCTAssertEqual(response.trailers, ["X-A": "one", "x-sum": "7", "Content-Length": "1"])
      XCTAssertEqual(response.headers.values("X-A"), ["head"])
      XCTAssertNil(response.headers["Content-Length"])
    }

    func testMostResponsesHaveNone() async throws {
      let response = try await response(
        "HTTP/1.1 103 Early\r\nX-Hint: 1\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx")
      XCTAssertTrue(response.trailers.isEmpty)
    }
  }
#endif
