#if os(Linux)
  import Glibc
  @testable import TestSupport
  import TestServers
  import XCTest

  @testable import APIKit

  final class CurlTransportTests: XCTestCase {
    func testManyWaitingRequestsAreSuspendedAsFastAsFew() async throws {
      let server = try ScriptedServer(.readRequest, .waitForClose)
      defer { server.stop() }
      let transport = try CurlTransport()
      let request = HTTPRequest(url: try server.url())
      let ended = Counter()
      let operations = (0..<4_000).map { _ in
        transport.start(HTTPExchange(request)) { _ in ended.increment() } as? any SuspendableOperation
      }
      let before = await transport.counts()
      let waiting = try XCTUnwrap(before?.waiting)
      XCTAssertGreaterThan(waiting, 3_000)
      let start = Duration.ofProcessor
      for operation in operations { operation?.suspend() }
      // The loop has read them all at the second look at the latest.
      for _ in 0..<2 { _ = await transport.counts() }
      XCTAssertLessThan(.ofProcessor - start, .milliseconds(1500), "it was three seconds")
      var counts = await transport.counts()
      XCTAssertEqual(counts?.waiting, 0)
      for operation in operations { operation?.resume() }
      // Those that are suspended and resumed between two looks stay where they are.
      for operation in operations { operation?.suspend() }
      for operation in operations { operation?.resume() }
      for _ in 0..<2 { counts = await transport.counts() }
      XCTAssertEqual(counts?.waiting, waiting)
      for operation in operations { operation?.cancel() }
      await transport.shutdown()
      XCTAssertEqual(ended.value, 4_000)
    }

    func testABodyComesBackWithHeadVersionAndMetrics() async throws {
      let nginx = try NginxServer.shared()
      let transport = try CurlTransport()
      let url = try HTTPURL(nginx.url("/files/megabyte.bin"))
      for round in 0..<3 {
        let response = try await transport.send(HTTPRequest(url: url))
        XCTAssertEqual(response.status, 200)
        XCTAssertEqual(response.bytes.count, 1 << 20)
        XCTAssertEqual(response.bytes[1000], UInt8(1000 % 251))
        XCTAssertEqual(response.headers["content-type"], "application/octet-stream")
        XCTAssertEqual(response.version, .http1_1)
        XCTAssertEqual(response.metrics.isReused, round > 0)
        XCTAssertEqual(response.metrics.remoteAddress, "127.0.0.1")
        XCTAssertEqual(response.metrics.remotePort, Int(nginx.port()))
        XCTAssertEqual(response.metrics.bytesReceived, 1 << 20)
        XCTAssertGreaterThan(response.metrics.total, 0)
        XCTAssertLessThanOrEqual(response.metrics.firstByte, response.metrics.total)
      }
      await transport.shutdown()
    }

    func testManyRequestsOfEveryMethodShareTheConnections() async throws {
      let nginx = try NginxServer.shared()
      let transport = try CurlTransport()
      let url = try HTTPURL(nginx.url("/echo"))
      let methods: [HTTPMethod] = [.get, .post, .put, .delete, .head, .options, .patch]
      let connections = try await withThrowingTaskGroup(of: String?.self) { group in
        for index in 0..<700 {
          group.addTask {
            let method = methods[index % methods.count]
            let response = try await transport.send(
              HTTPRequest(
                method: method, url: url, headers: ["Accept": "a/\(index)"],
                body: method == .post ? .bytes(Array("a=1".utf8)) : .empty))
            let text = String(decoding: response.bytes, as: UTF8.self)
            if method == .head {
              XCTAssertEqual(text, "")
            } else {
              XCTAssertTrue(text.contains(#""method": "\#(method)""#), text)
              XCTAssertTrue(text.contains(#""accept": "a/\#(index)""#), text)
            }
            if method == .post {
              XCTAssertTrue(text.contains(#""contentLength": "3""#), text)
              XCTAssertTrue(text.contains(#""contentType": """#), text)
            }
            return response.headers["X-Connection"]
          }
        }
        return try await group.reduce(into: Set<String>()) { if let name = $1 { $0.insert(name) } }
      }
      XCTAssertLessThanOrEqual(connections.count, 64)
      let counts = await transport.counts()
      XCTAssertEqual(counts?.active, 0)
      XCTAssertEqual(counts?.waiting, 0)
      XCTAssertLessThanOrEqual(counts?.handlesMade ?? .max, 64)
      await transport.shutdown()
    }

    func testCancellingEndsTheAttemptAndFreesItsPlace() async throws {
      let server = try ScriptedServer(.readRequest, .waitForClose)
      defer { server.stop() }
      let transport = try CurlTransport()
      let url = try server.url()
      let task = Task { try await transport.send(HTTPRequest(url: url)) }
      XCTAssertTrue(server.waitForRequests(1))
      task.cancel()
      await expect(.cancelled) { _ = try await task.value }
      XCTAssertTrue(server.waitUntilIdle())
      let counts = await transport.counts()
      XCTAssertEqual(counts?.active, 0)
      XCTAssertEqual(counts?.pooledHandles, counts?.handlesMade)
    }

    func testEachLimitInTimeHasItsOwnReason() async throws {
      let server = try ScriptedServer(.readRequest, .waitForClose)
      defer { server.stop() }
      let transport = try CurlTransport()
      var request = HTTPRequest(url: try server.url())
      request.timeouts = HTTPTimeouts(idle: .milliseconds(80))
      await expect(.idleTimeout) { [request] in _ = try await transport.send(request) }
      request.timeouts = HTTPTimeouts(total: .milliseconds(80))
      await expect(.totalTimeout) { [request] in _ = try await transport.send(request) }
      let hole = try BlackHole()
      request.timeouts = HTTPTimeouts(connect: .milliseconds(80))
      request.options.connectTo = "127.0.0.1:\(hole.port)"
      await expect(.connectTimeout) { [request] in _ = try await transport.send(request) }
    }

    func testBrokenServersHaveTheirReasons() async throws {
      let transport = try CurlTransport()
      let cases: [(APIError.Reason, ScriptedServer.Step)] = [
        (.connectionLost, .close),
        (.connectionLost, .reset),
        (.truncatedBody, .text("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")),
        (.truncatedBody, .text("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab")),
        (.malformedResponse, .text("garbage\r\n\r\n")),
        (.malformedResponse, .text("HTtP/1.1 404 No\r\nContent-Length: 2\r\n\r\nno")),
        (.malformedResponse, .text("HTTP/1.1 99 No\r\nContent-Length: 0\r\n\r\n")),
        (.malformedResponse, .text("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc")),
        (.malformedResponse, .text("HTTP/1.1 200 OK\r\nContent-Length: 2, 3\r\n\r\nabc")),
        (.malformedResponse, .text("HTTP/1.1 200 OK\r\nContent-Length: 3x\r\n\r\nabc")),
        (.malformedResponse, .text("HTTP/1.1 200 OK\r\nContent-Length: -3\r\n\r\nabc")),
        (.malformedResponse, .text("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nab")),
        (
          .malformedResponse,
          .text("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n1\r\na\r\n0\r\n\r\n")
        ),
      ]
      for (reason, step) in cases {
        let server = try ScriptedServer(.readRequest, step)
        defer { server.stop() }
        let url = try server.url()
        await expect(reason) { _ = try await transport.send(HTTPRequest(url: url)) }
      }
      await expect(.connectionRefused) {
        _ = try await transport.send(HTTPRequest(url: "http://127.0.0.1:1/"))
      }
      await expect(.unknownHost) {
        _ = try await transport.send(HTTPRequest(url: "https://nowhere.invalid/"))
      }
    }

    func testHeaderFieldsWithoutEndAreTooLarge() async throws {
      let transport = try CurlTransport()
      let fields = String(repeating: "X-Field: \(String(repeating: "v", count: 90))\r\n", count: 3000)
      for head in [fields, "X-Long: \(String(repeating: "a", count: 400_000))\r\n"] {
        let server = try ScriptedServer(.readRequest, .text("HTTP/1.1 200 OK\r\n\(head)"), .waitForClose)
        defer { server.stop() }
        let url = try server.url()
        await expect(.responseTooLarge) { _ = try await transport.send(HTTPRequest(url: url)) }
      }
    }

    func testOneLengthSaidTwiceIsStillOne() async throws {
      let transport = try CurlTransport()
      for fields in ["Content-Length: 3, 3", "Content-Length: 3\r\nContent-Length: 3"] {
        let server = try ScriptedServer(.readRequest, .text("HTTP/1.1 200 OK\r\n\(fields)\r\n\r\nabc"))
        defer { server.stop() }
        let response = try await transport.send(HTTPRequest(url: try server.url()))
        XCTAssertEqual(response.bytes, Array("abc".utf8), fields)
      }
    }

    func testStoppingLandsEverythingInTheAirAndWaiting() async throws {
      let server = try ScriptedServer(.readRequest, .waitForClose)
      defer { server.stop() }
      var configuration = TransportConfiguration()
      configuration.connections.perHost = 2
      let transport = try CurlTransport(configuration)
      let url = try server.url()
      let tasks = (0..<10).map { _ in Task { try await transport.send(HTTPRequest(url: url)) } }
      XCTAssertTrue(server.waitForRequests(2))
      await transport.shutdown()
      for task in tasks { await expect(.transportStopped) { _ = try await task.value } }
      await expect(.transportStopped) { _ = try await transport.send(HTTPRequest(url: url)) }
      let counts = await transport.counts()
      XCTAssertNil(counts)
    }

    func testConnectionsAreClosedWhenStoppingReturns() async throws {
      let server = try ScriptedServer.serving { _ in ScriptedServer.response(text: "fine") }
      defer { server.stop() }
      let url = try server.url()
      for _ in 0..<10 {
        let transport = try CurlTransport()
        _ = try await transport.send(HTTPRequest(url: url))
        let sockets = Self.sockets(to: server.port)
        XCTAssertEqual(sockets, 1)
        await transport.shutdown()
        XCTAssertEqual(Self.sockets(to: server.port), 0)
      }
    }

    /// The sockets of this process that are connected to a port, seen from the side that connected.
    private static func sockets(to port: Int) -> Int {
      (0..<4096 as Range<Int32>).count { descriptor in
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) { pointer in
          pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &length) }
        }
        return code == 0 && address.sin_family == AF_INET && Int(UInt16(bigEndian: address.sin_port)) == port
      }
    }

    func testAnAddressBesideAUnixDomainSocketIsRefused() async throws {
      var configuration = TransportConfiguration.ephemeral
      configuration.unixSocketPath = "/nowhere/a.sock"
      let transport = try CurlTransport(configuration)
      var request = HTTPRequest(url: "http://any.test/")
      request.options.connectTo = "127.0.0.1"
      await expect(.unsupportedCapability) { [request] in _ = try await transport.send(request) }
      await expect(.unsupportedCapability) { [request] in
        _ = try transport.makeWire(for: HTTPExchange(request), speaksHTTP: false)
      }
    }

    func testNoConnectionIsOpenedAheadWhereNoneIsAskedFor() async throws {
      let server = try ScriptedServer(.waitForClose)
      let url = try server.url()
      server.stop()
      let transport = try CurlTransport(.ephemeral)
      try await transport.prewarm(url, connections: 0)
      await expect(.connectionRefused) { try await transport.prewarm(url) }
    }

    private func expect(
      _ reason: APIError.Reason, line: UInt = #line, _ work: () async throws -> Void
    ) async {
      do {
        try await work()
        XCTFail("nothing was thrown, expected \(reason)", line: line)
      } catch {
        XCTAssertEqual((error as? APIError)?.reason, reason, "\(error)", line: line)
      }
    }
  }
#endif
