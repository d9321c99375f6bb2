#if os(Linux)
  import APIKitTesting
  import CAPIKit
  import Foundation
  import Glibc
  @testable import TestSupport
  import TestServers
  import XCTest

  @testable import APIKit

  /// Connections that are used again: what arrived on them while they were idle, and what ends them.
  final class CurlReuseTests: XCTestCase {
    private lazy var tls = Result { try ScriptedTLS(in: temporaryFolder()) }

    /// Runs a test against plain servers and against servers with TLS.
    private func plainAndTLS(_ test: (ScriptedTLS?, CurlTransport) async throws -> Void) async throws {
      try await test(nil, try CurlTransport(.ephemeral))
      let tls = try self.tls.get()
      try await test(tls, try trusting(tls))
    }

    private func trusting(_ tls: ScriptedTLS) throws -> CurlTransport {
      var configuration = TransportConfiguration.ephemeral
      // Requests with a body have connections of their own where HTTP/2 is possible.
      configuration.versions = .http1Only
      configuration.tls.trust = .bundle(path: tls.root)
      return try CurlTransport(configuration)
    }

    /// Responds with method and target of the request.
    private static let echo: @Sendable (ScriptedServer.Received) -> [UInt8] = { received in
      ScriptedServer.response(text: "\(received.method) \(received.target)")
    }

    /// One of each way in which libcurl sends a body.
    private func requests(_ server: ScriptedServer, _ path: String) throws -> [HTTPRequest] {
      let large = [UInt8](repeating: 0x61, count: 300_000)
      return [
        HTTPRequest(url: try server.url(path)),
        HTTPRequest(method: .post, url: try server.url(path), body: .bytes(Array("a=1".utf8))),
        HTTPRequest(method: .patch, url: try server.url(path), body: .bytes(large)),
      ]
    }

    // MARK: Bytes on an idle connection

    func testBytesThatNobodyAskedForAreNotTakenForAResponse() async throws {
      try await plainAndTLS { tls, transport in
        let rounds = 24
        let (go, done) = ((0..<rounds).map { _ in Latch() }, (0..<rounds).map { _ in Latch() })
        let scripts: [[ScriptedServer.Step]] = (0..<rounds).map { round in
          [
            .readRequest, .response(Self.echo), .wait(go[round]),
            .write(ScriptedServer.response(text: "GET /poison")), .open(done[round]), .waitForClose,
          ]
        }
        let server = try ScriptedServer(scripts: scripts, tls: tls)
        defer { server.stop() }
        for round in 0..<rounds {
          let request = try requests(server, "/\(round)")[round % 3]
          let response = try await transport.send(request)
          XCTAssertEqual(String(decoding: response.bytes, as: UTF8.self), "\(request.method) /\(round)")
          XCTAssertFalse(response.metrics.isReused)
          XCTAssertEqual(response.metrics.resends, 0)
          go[round].open()
          done[round].wait()
        }
        XCTAssertEqual(server.connectionCount, rounds)
        XCTAssertEqual(server.requests.map(\.target), (0..<rounds).map { "/\($0)" })
        // From 8.10 on libcurl waits until such a server closes its side of TLS, which this one does not.
        guard tls == nil || capikit_curl_version() < 0x080A00 else { return }
        XCTAssertTrue(server.waitForOpen(atMost: 1), "connections with such bytes were not closed")
      }
    }

    func testASessionTicketLeavesAnIdleConnectionUsable() async throws {
      try XCTSkipIf(
        capikit_curl_version() >= 0x080000, "libcurl closes an idle connection on which anything arrived")
      let tls = try self.tls.get()
      let transport = try trusting(tls)
      let (go, done) = ((0..<3).map { _ in Latch() }, (0..<3).map { _ in Latch() })
      let first: [ScriptedServer.Step] = (0..<3).flatMap { round -> [ScriptedServer.Step] in
        [.readRequest, .response(Self.echo), .wait(go[round]), .ticket, .open(done[round])]
      }
      let server = try ScriptedServer(
        scripts: [first + [.readRequest, .response(Self.echo), .waitForClose]], tls: tls)
      defer { server.stop() }
      for (round, request) in (try requests(server, "/") + requests(server, "/")).prefix(4).enumerated() {
        let response = try await transport.send(request)
        XCTAssertEqual(String(decoding: response.bytes, as: UTF8.self), "\(request.method) /")
        XCTAssertEqual(response.metrics.isReused, round > 0)
        if round < 3 {
          go[round].open()
          done[round].wait()
        }
      }
      XCTAssertEqual(server.connectionCount, 1)
    }

    func testATicketDoesNotHideBytesBehindIt() async throws {
      let tls = try self.tls.get()
      let transport = try trusting(tls)
      let (go, done) = (Latch(), Latch())
      let server = try ScriptedServer(
        scripts: [
          [
            .readRequest, .response(Self.echo), .wait(go), .ticket,
            .write(ScriptedServer.response(text: "GET /poison")), .open(done), .waitForClose,
          ], [.serve(Self.echo)],
        ], tls: tls)
      defer { server.stop() }
      for path in ["/1", "/2", "/3"] {
        let response = try await transport.send(HTTPRequest(url: try server.url(path)))
        XCTAssertEqual(String(decoding: response.bytes, as: UTF8.self), "GET \(path)")
        go.open()
        done.wait()
      }
      XCTAssertEqual(server.connectionCount, 2)
    }

    func testBytesOnAConnectionOpenedInAdvanceAreNoResponse() async throws {
      try await plainAndTLS { tls, transport in
        // libcurl 8 cannot keep such a connection, and `prewarm` refuses by name.
        guard tls == nil || capikit_curl_version() < 0x080000 else { return }
        let done = Latch()
        let timeout = "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n"
        let server = try ScriptedServer(
          scripts: [[.text(timeout), .open(done), .waitForClose], [.serve(Self.echo)]], tls: tls)
        defer { server.stop() }
        try await transport.prewarm(server.url())
        done.wait()
        let response = try await transport.send(
          HTTPRequest(method: .post, url: try server.url("/1"), body: .bytes([1])))
        XCTAssertEqual(String(decoding: response.bytes, as: UTF8.self), "POST /1")
        XCTAssertEqual(server.connectionCount, 2)
      }
    }

    func testAPostGoesToANewConnectionWhenTheServerClosedTheIdleOne() async throws {
      try await plainAndTLS { tls, transport in
        let ends = (0..<6).map { _ in Latch() }
        let server = try ScriptedServer(
          scripts: ends.map { [.readRequest, .response(Self.echo), .end, .open($0), .waitForClose] }, tls: tls
        )
        defer { server.stop() }
        for round in 0..<6 {
          let response = try await transport.send(
            HTTPRequest(method: .post, url: try server.url("/\(round)"), body: .bytes([1])))
          XCTAssertEqual(String(decoding: response.bytes, as: UTF8.self), "POST /\(round)")
          XCTAssertEqual(response.metrics.resends, 0)
          ends[round].wait()
        }
        XCTAssertEqual(server.requests.count, 6)
      }
    }

    func testIdleConnectionsOfAUnixDomainSocketAreCheckedToo() async throws {
      let path = temporaryPath()
      let (go, done) = (Latch(), Latch())
      let server = try ScriptedServer(
        scripts: [
          [
            .readRequest, .response(Self.echo), .wait(go),
            .write(ScriptedServer.response(text: "GET /poison")), .open(done), .waitForClose,
          ], [.serve(Self.echo)],
        ], unixPath: path)
      defer { server.stop() }
      var configuration = TransportConfiguration.ephemeral
      configuration.unixSocketPath = path
      let transport = try CurlTransport(configuration)
      for round in 0..<4 {
        let response = try await transport.send(HTTPRequest(url: try HTTPURL("http://any.test/\(round)")))
        XCTAssertEqual(String(decoding: response.bytes, as: UTF8.self), "GET /\(round)")
        XCTAssertEqual(response.metrics.isReused, round > 1)
        go.open()
        done.wait()
      }
      XCTAssertEqual(server.connectionCount, 2)
    }

    // MARK: Requests that libcurl sends again

    func testARequestThatIsNotIdempotentIsSentOnceWhenItsConnectionEnds() async throws {
      try await plainAndTLS { tls, transport in
        let server = try ScriptedServer(
          scripts: [[.readRequest, .response(Self.echo), .readRequest]], tls: tls)
        defer { server.stop() }
        for var request in try requests(server, "/order").dropFirst() {
          // A transport does not know which field has the key.
          request.headers["Idempotency-Key"] = "k"
          _ = try await transport.send(HTTPRequest(url: try server.url("/first")))
          let error = await failure { [request] in try await transport.send(request) }
          XCTAssertEqual(error?.reason, .connectionLost)
          XCTAssertEqual(
            error?.detail,
            "the connection ended before a response; the server may have acted on the request, which is not sent again: "
              + "the method is not idempotent")
          server.waitUntilIdle()
        }
        XCTAssertEqual(server.requests.map(\.method), ["GET", "POST", "GET", "PATCH"])
      }
    }

    func testAStreamedPostIsSentOnceWhenItsConnectionEnds() async throws {
      let server = try ScriptedServer(.readRequest, .response(Self.echo), .readRequest)
      defer { server.stop() }
      let transport = try CurlTransport(.ephemeral)
      let body = HTTPBody.stream(
        HTTPBodyStream(length: 3, isReplayable: true) {
          let chunks = Counter()
          return { chunks.next() == 0 ? [1, 2, 3] : nil }
        })
      try await transport.keepConnection(to: try server.url(), for: body)
      let error = await failure {
        try await transport.send(HTTPRequest(method: .post, url: try server.url(), body: body))
      }
      XCTAssertEqual(error?.reason, .connectionLost)
      XCTAssertEqual(server.requests.count, 2)
    }

    @MainActor func testAGetThatLibcurlSendsAgainIsCountedInTheRecord() async throws {
      let server = try ScriptedServer(
        .readRequest, .response { _ in ScriptedServer.response(text: "{}") }, .readRequest)
      defer { server.stop() }
      var service = TestService(StubTransport())
      service.client = HTTPClient(transport: try CurlTransport(.ephemeral))
      service.environments = ServiceEnvironments(try server.url())
      let manager = TestManager(service)
      let first = try await manager.response()
      XCTAssertEqual(first.http.metrics.resends, 0)
      let response = try await manager.response()
      XCTAssertEqual(response.http.metrics.resends, 1)
      XCTAssertEqual(server.requests.count, 3)
      let text = try XCTUnwrap(response.record?.description)
      XCTAssertTrue(text.contains(", sent 2 times"), text)
    }

    func testHowOftenARequestWasSentIsInItsError() async throws {
      let server = try ScriptedServer(
        scripts: [[.readRequest, .response(Self.echo), .readRequest], [.readRequest, .reset]])
      defer { server.stop() }
      let transport = try CurlTransport(.ephemeral)
      _ = try await transport.send(HTTPRequest(url: try server.url()))
      let error = await failure { try await transport.send(HTTPRequest(url: try server.url())) }
      XCTAssertEqual(error?.reason, .connectionLost)
      XCTAssertEqual(
        error?.detail.hasSuffix("; the request was sent 2 times"), true, "\(error?.detail ?? "")")
      XCTAssertEqual(server.requests.count, 3)
    }

    func testManyConnectionsThatEndOneAfterAnotherFailNoLoad() async throws {
      let server = try ScriptedServer(.readRequest, .response(Self.echo), .readRequest)
      defer { server.stop() }
      let transport = try CurlTransport(.ephemeral)
      for round in 0..<20 {
        let response = try await transport.send(HTTPRequest(url: try server.url("/\(round)")))
        XCTAssertEqual(response.metrics.resends, round == 0 ? 0 : 1)
      }
      XCTAssertEqual(server.requests.count, 39)
    }

    func testAnAuthenticationChallengeIsNoResend() async throws {
      let challenge = ScriptedServer.response(
        401, ["WWW-Authenticate": #"Digest realm="r", nonce="n", qop="auth""#])
      let responses: [[ScriptedServer.Step]] = [
        [.readRequest, .write(challenge), .readRequest, .response(Self.echo), .waitForClose],
        [.readRequest, .write(challenge), .readRequest],
      ]
      for (index, script) in responses.enumerated() {
        let server = try ScriptedServer(scripts: [script, [.serve(Self.echo)]])
        defer { server.stop() }
        var request = HTTPRequest(method: .post, url: try server.url("/in"), body: .bytes(Array("a=1".utf8)))
        request.options.login = HTTPLogin(user: "u", password: "p", scheme: .digest)
        let transport = try CurlTransport(.ephemeral)
        if index == 0 {
          let response = try await transport.send(request)
          XCTAssertEqual(String(decoding: response.bytes, as: UTF8.self), "POST /in")
          XCTAssertEqual(response.metrics.resends, 0)
        } else {
          let error = await failure { [request] in try await transport.send(request) }
          XCTAssertEqual(error?.reason, .connectionLost)
        }
        XCTAssertEqual(server.requests.count, 2)
      }
    }

    func testAPostThatAnHTTP2ServerRefusedUnreadIsSentAgain() async throws {
      try XCTSkipUnless(
        CurlHandle.tellsRefusedStreams, "this libcurl does not tell refused streams from lost ones")
      // nginx ends its connections with a GOAWAY, and does not read the streams that were opened after it.
      let nginx = try NginxServer(locations: "keepalive_requests 50;")
      addTeardownBlock { nginx.stop() }
      var configuration = TransportConfiguration.ephemeral
      configuration.tls.trust = .bundle(path: nginx.certificates.root.path)
      // Else a POST goes by HTTP/1.1.
      configuration.versions = .http2PriorKnowledge
      let transport = try CurlTransport(configuration)
      let url = try HTTPURL(nginx.url("/echo", site: .http2, host: "localhost"))
      let resends = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<64 {
          group.addTask {
            var resends = 0
            for _ in 0..<20 {
              let response = try await transport.send(HTTPRequest(method: .post, url: url))
              XCTAssertEqual(response.version, .http2)
              resends += response.metrics.resends
            }
            return resends
          }
        }
        return try await group.reduce(0, +)
      }
      XCTAssertGreaterThan(resends, 0)
    }

    // MARK: Bytes that are no TLS

    @MainActor func testAPostWhoseTLSBreaksAfterItWasSentArrivesOnce() async throws {
      let tls = try self.tls.get()
      let server = try ScriptedServer(
        scripts: [[.readRequest, .unencrypted("HTTP/1.1 500 Internal Server Error\r\n\r\n"), .waitForClose]],
        tls: tls)
      defer { server.stop() }
      var service = TestService(StubTransport())
      service.client = HTTPClient(transport: try trusting(tls))
      service.environments = ServiceEnvironments(try server.url())
      service.retryPolicy = .standard
      service.retryPolicy.backoff = .constant(.zero)
      let manager = TestManager(service)
      manager.sharedState = SharedState()
      manager.method = .post
      let error = try await errorThrown { () throws(APIError) in try await manager.response(["a": 1]) }
      XCTAssertEqual(error.reason, .connectionLost, error.description)
      XCTAssertEqual(server.requests.count, 1)
    }

    // MARK: Fields that continue none

    func testAFoldedFirstFieldIsMalformedOnAHandleThatHadAResponse() async throws {
      let server = try ScriptedServer.serving { received in
        guard received.target.hasPrefix("/folded") else { return Self.echo(received) }
        let space = received.target.hasSuffix("tab") ? "\t" : " "
        return Array("HTTP/1.1 200 OK\r\n\(space)X-Folded: 1\r\nContent-Length: 2\r\n\r\nok".utf8)
      }
      defer { server.stop() }
      let transport = try CurlTransport(.ephemeral)
      for round in 0..<40 {
        let url = try server.url("/\(round)")
        let response = try await transport.send(HTTPRequest(url: url))
        XCTAssertEqual(String(decoding: response.bytes, as: UTF8.self), "GET /\(round)")
        let folded = try server.url(round % 2 == 0 ? "/folded" : "/folded-tab")
        let error = await failure { try await transport.send(HTTPRequest(url: folded)) }
        XCTAssertEqual(error?.reason, .malformedResponse, "\(error?.description ?? "")")
      }
      XCTAssertEqual(server.requests.count, 80)
    }
  }
#endif
