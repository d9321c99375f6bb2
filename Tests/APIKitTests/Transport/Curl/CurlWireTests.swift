#if os(Linux)
  // Owns the constants of sockets in a build that reads it before Glibc.
  import CAPIKit
  import Foundation
  import Glibc
  @testable import TestSupport
  import TestServers
  import XCTest

  @testable import APIKit

  /// What only the libcurl transport offers: sockets of other families, limits in all, pre-warming.
  final class CurlWireTests: XCTestCase {
    private func transport(
      _ change: (inout TransportConfiguration) -> Void = { _ in }
    ) throws -> CurlTransport {
      var configuration = TransportConfiguration.ephemeral
      change(&configuration)
      return try CurlTransport(configuration)
    }

    // MARK: Addresses

    func testAUnixDomainSocketTakesThePlaceOfHostAndPort() async throws {
      let path = temporaryPath()
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
      let server = try OneResponse(AF_UNIX, &address, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nunix")
      let transport = try transport { $0.unixSocketPath = path }
      let response = try await transport.send(HTTPRequest(url: "http://any.test/"))
      XCTAssertEqual(String(decoding: response.bytes, as: UTF8.self), "unix")
      XCTAssertTrue(server.received().contains("Host: any.test"))
    }

    func testAnIPv6AddressIsSpokenTo() async throws {
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_addr = in6addr_loopback
      guard
        let server = try? OneResponse(AF_INET6, &address, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nsix")
      else { throw XCTSkip("this machine has no IPv6 loopback") }
      let url = try HTTPURL("http://[::1]:\(server.port)/")
      let response = try await transport().send(HTTPRequest(url: url))
      XCTAssertEqual(String(decoding: response.bytes, as: UTF8.self), "six")
      XCTAssertEqual(response.metrics.remoteAddress, "::1")
    }

    func testAnInternationalNameTravelsInASCII() async throws {
      let server = try ScriptedServer.serving { _ in ScriptedServer.response() }
      defer { server.stop() }
      var request = HTTPRequest(url: "http://bücher.test/")
      request.options.connectTo = "127.0.0.1:\(server.port)"
      _ = try await transport().send(request)
      XCTAssertEqual(server.requests.first?.headers["Host"], "xn--bcher-kva.test")
    }

    // MARK: The rest

    func testWhatTheClientSaysOfItselfMayBeRemoved() async throws {
      let server = try ScriptedServer.serving { _ in ScriptedServer.response() }
      defer { server.stop() }
      let transport = try transport {
        $0.headers["User-Agent"] = nil
        $0.headers["Accept-Language"] = nil
      }
      _ = try await transport.send(HTTPRequest(url: try server.url()))
      let headers = try XCTUnwrap(server.requests.first).headers
      XCTAssertFalse(headers.contains("User-Agent"))
      XCTAssertFalse(headers.contains("Accept-Language"))
    }

    func testTheLimitOfConnectionsInAllIsKept() async throws {
      let servers = try (0..<3).map { _ in
        try ScriptedServer.serving { _ in
          usleep(2000)
          return ScriptedServer.response(text: "fine")
        }
      }
      defer { for server in servers { server.stop() } }
      let transport = try transport { $0.connections = ConnectionLimits(perHost: 4, total: 2) }
      let urls = try servers.map { try $0.url() }
      let most = Mutex(0)
      let watch = Task {
        while !Task.isCancelled, let counts = await transport.counts() {
          most.withLock { $0 = max($0, counts.openSockets) }
          try await Task.sleep(for: .milliseconds(1))
        }
      }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 0..<45 {
          group.addTask { _ = try await transport.send(HTTPRequest(url: urls[index % 3])) }
        }
        try await group.waitForAll()
      }
      watch.cancel()
      XCTAssertTrue((1...2).contains(most.withLock { $0 }), "\(most.withLock { $0 }) connections at once")
      XCTAssertEqual(servers.map(\.requests.count), [15, 15, 15])
    }

    func testHTTP2IsSpokenAtOnceWithAServerKnownToSpeakIt() async throws {
      let nginx = try NginxServer.shared()
      let transport = try transport { $0.versions = .http2PriorKnowledge }
      let url = try HTTPURL(nginx.url("/echo", site: .plainHTTP2))
      let response = try await transport.send(HTTPRequest(url: url))
      XCTAssertEqual(response.version, .http2)
      let old = try await self.transport { $0.versions = .http1Only }.send(
        HTTPRequest(url: try HTTPURL(nginx.url("/echo", site: .plain))))
      XCTAssertEqual(old.version, .http1_1)
    }

    func testPrewarmedConnectionsAreTheOnesUsedAndNothingWasSentOnThem() async throws {
      let nginx = try NginxServer.shared()
      for site: NginxServer.Site in [.plain, .tls(.good), .http2] {
        let transport = try transport { $0.tls.trust = .bundle(path: nginx.certificates.root.path) }
        let url = try HTTPURL(nginx.url("/echo", site: site, host: "localhost"))
        if site == .tls(.good), !CurlSession.reusesUnreadConnections {
          let refused = await failure { try await transport.prewarm(url, connections: 3) }
          XCTAssertEqual(refused?.reason, .unsupportedCapability)
          continue
        }
        try await transport.prewarm(url, connections: 3)
        let sockets = await transport.counts()?.openSockets
        XCTAssertEqual(sockets, site == .http2 ? 1 : 3, "\(site)")
        let response = try await transport.send(HTTPRequest(url: url))
        XCTAssertTrue(response.metrics.isReused, "\(site)")
        XCTAssertEqual(response.metrics.connect, response.metrics.queued)
        XCTAssertEqual(response.metrics.tls, response.metrics.queued)
        // nginx counts the requests of a connection.
        XCTAssertEqual(response.headers["X-Connection-Request"], "1", "\(site)")
        let counts = await transport.counts()
        XCTAssertEqual(counts?.active, 0)
        XCTAssertEqual(counts?.openSockets, site == .http2 ? 1 : 3, "\(site)")
      }
    }

    func testPrewarmingAsksTheServerForNothing() async throws {
      let server = try ScriptedServer.serving { _ in ScriptedServer.response(text: "fine") }
      defer { server.stop() }
      let (transport, url) = (try transport(), try server.url())
      try await transport.prewarm(url, connections: 2)
      XCTAssertEqual(server.requests.count, 0)
      let response = try await transport.send(HTTPRequest(url: url))
      XCTAssertEqual(response.status, 200)
      XCTAssertEqual(server.requests.map(\.method), ["GET"])
      // The date that kept the opening request back is not left behind.
      XCTAssertNil(server.requests.first?.headers["If-Modified-Since"])
    }

    func testPrewarmingTellsWhatIsWrongWithTheConnection() async throws {
      let nginx = try NginxServer.shared()
      let refused = await failure { try await transport().prewarm("http://127.0.0.1:1/") }
      XCTAssertEqual(refused?.reason, .connectionRefused)
      let url = try HTTPURL(nginx.url("/echo", site: .tls(.good), host: "localhost"))
      let untrusted = await failure { try await transport().prewarm(url) }
      XCTAssertEqual(untrusted?.reason, .certificateUntrusted)
      let pin = try PinSet.Pin(try nginx.certificates.publicKeyPin(.expired))
      let pinned = try transport {
        $0.tls.trust = .bundle(path: nginx.certificates.root.path)
        $0.tls.pinning = .publicKey(PinSet([.init("localhost", pins: [pin])]))
      }
      let mismatch = await failure { try await pinned.prewarm(url) }
      XCTAssertEqual(mismatch?.reason, .pinMismatch)
      let scheme = await failure { try await transport().prewarm("ftp://127.0.0.1/") }
      XCTAssertEqual(scheme?.reason, .unsupportedScheme)
    }

    func testHTTP0Point9IsNoResponse() async throws {
      let server = try ScriptedServer(.readRequest, .text("<html>just a page</html>"))
      defer { server.stop() }
      let (transport, url) = (try transport(), try server.url())
      let error = await failure { try await transport.send(HTTPRequest(url: url)) }
      XCTAssertEqual(error?.reason, .malformedResponse)
    }

    func testARefusedOptionIsAnErrorAndSpoilsNothing() async throws {
      let server = try ScriptedServer.serving { _ in ScriptedServer.response(text: "fine") }
      defer { server.stop() }
      let transport = try transport()
      var request = HTTPRequest(url: try server.url())
      request.options.connectTo = "127.0.0.1:no"
      let error = await failure { [request] in try await transport.send(request) }
      XCTAssertEqual(error?.reason, .misconfigured)
      request.options.connectTo = nil
      let response = try await transport.send(request)
      XCTAssertEqual(response.status, 200)
      let counts = await transport.counts()
      XCTAssertEqual(counts?.active, 0)
    }

    func testAWaitingRequestIsCancelledAndTimedOutWhereItStands() async throws {
      let server = try ScriptedServer(.readRequest, .waitForClose)
      defer { server.stop() }
      let transport = try transport { $0.connections.perHost = 1 }
      let url = try server.url()
      let first = Task { try await transport.send(HTTPRequest(url: url)) }
      XCTAssertTrue(server.waitForRequests(1))
      let limited = HTTPRequest(url: url, timeouts: HTTPTimeouts(total: .milliseconds(50)))
      let late = await failure { try await transport.send(limited) }
      XCTAssertEqual(late?.reason, .totalTimeout)
      let second = Task { await failure { try await transport.send(HTTPRequest(url: url)) } }
      try await wait(for: transport) { $0.waiting == 1 }
      second.cancel()
      let cancelled = await second.value
      XCTAssertEqual(cancelled?.reason, .cancelled)
      try await wait(for: transport) { $0.waiting == 0 }
      first.cancel()
      XCTAssertEqual(server.requests.count, 1)
    }

    func testNothingLeaksWhenTransportsComeAndGo() async throws {
      let server = try ScriptedServer.serving { _ in ScriptedServer.response(text: "fine") }
      let silent = try ScriptedServer(.readRequest, .waitForClose)
      defer {
        server.stop()
        silent.stop()
      }
      let (url, silentURL) = (try server.url(), try silent.url())
      // Transports that other tests still hold, the shared one among them, are not this test's.
      let loops = Self.loopThreads()
      func useOne(stops: Bool) async throws {
        let transport = try CurlTransport(.ephemeral)
        for _ in 0..<5 { _ = try await transport.send(HTTPRequest(url: url)) }
        let hanging = Task { try await transport.send(HTTPRequest(url: silentURL)) }
        try await wait(for: transport) { $0.active == 1 }
        if stops { await transport.shutdown() } else { hanging.cancel() }
        _ = try? await hanging.value
      }
      try await useOne(stops: true)
      try await settle(Self.loopThreads, at: 0...loops)
      let descriptors = Self.descriptors()
      for round in 0..<20 { try await useOne(stops: round % 2 == 0) }
      try await settle(Self.loopThreads, at: 0...loops)
      try await settle(Self.descriptors, at: 0...descriptors)
      XCTAssertTrue(server.waitUntilIdle())
      XCTAssertTrue(silent.waitUntilIdle())
    }

    /// Waits, with an end, until the loop holds what is expected.
    private func wait(
      for transport: CurlTransport, line: UInt = #line, _ isReached: (CurlCounts) -> Bool
    ) async throws {
      for _ in 0..<1000 {
        if let counts = await transport.counts(), isReached(counts) { return }
        try await Task.sleep(for: .milliseconds(5))
      }
      XCTFail("the loop never held that", line: line)
    }

    /// Waits until a count is in a range: threads that were told to end do so in their own time.
    private func settle(_ count: () -> Int, at range: ClosedRange<Int>, line: UInt = #line) async throws {
      for _ in 0..<500 where !range.contains(count()) { try await Task.sleep(for: .milliseconds(10)) }
      XCTAssertTrue(range.contains(count()), "\(count()) is not in \(range)", line: line)
    }

    private static func descriptors() -> Int {
      (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
    }

    private static func loopThreads() -> Int {
      let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
      return tasks.filter { task in
        (try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)) == "apikit-curl\n"
      }.count
    }
  }

  /// Accepts one connection of any family, reads once and responds.
  private final class OneResponse: Sendable {
    let port: Int
    private let done = DispatchSemaphore(value: 0)
    private let text = Record<String>()

    init<Address>(_ family: Int32, _ address: inout Address, _ response: String) throws {
      let listener = socket(family, Int32(SOCK_STREAM.rawValue), 0)
      var length = socklen_t(MemoryLayout<Address>.size)
      let isBound = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
          bind(listener, pointer, length) == 0 && listen(listener, 1) == 0
            && getsockname(listener, pointer, &length) == 0
        }
      }
      guard isBound else {
        close(listener)
        throw POSIXError(.EADDRNOTAVAIL)
      }
      port = withUnsafeBytes(of: address) { Int($0[2]) << 8 | Int($0[3]) }
      Thread.detachNewThread { [self] in
        let one = accept(listener, nil, nil)
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = read(one, &buffer, buffer.count)
        text.add(String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self))
        _ = write(one, response, response.utf8.count)
        close(one)
        close(listener)
        done.signal()
      }
    }

    func received() -> String {
      done.wait()
      return text.all.joined()
    }
  }
#endif
