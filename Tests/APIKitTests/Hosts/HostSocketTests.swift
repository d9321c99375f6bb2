#if os(Linux)
  import APIKitTesting
  @testable import TestSupport
  import TestServers
  import XCTest

  @testable import APIKit

  /// Pools over real sockets: servers that refuse, that are black holes, that show wrong certificates, that die.
  @MainActor final class HostSocketTests: XCTestCase {
    private lazy var tls = Result { try ScriptedTLS(in: temporaryFolder()) }

    private func makeManager(
      _ pool: HostPool, scheme: String = "http", _ configuration: TransportConfiguration = .ephemeral
    ) throws -> TestManager {
      let manager = TestManager(StubTransport())
      manager.service.client = HTTPClient(transport: try CurlTransport(configuration))
      manager.service.environments = ServiceEnvironments(try HTTPURL("\(scheme)://good.test/api"))
      manager.service.hosts = pool
      manager.sharedState = SharedState()
      return manager
    }

    private func address(_ port: Int) throws -> HostAddress { try HostAddress("127.0.0.1:\(port)") }

    /// A port of this machine at which nobody listens.
    private func refusing() throws -> HostAddress {
      let server = try ScriptedServer(.waitForClose)
      server.stop()
      let address = try address(server.port)
      server.waitUntilIdle()
      return address
    }

    private func pool(_ addresses: [HostAddress]) -> HostPool { .still(addresses, name: "good.test") }

    private func serving(_ body: String = "{}") throws -> ScriptedServer {
      try ScriptedServer.serving { _ in
        ScriptedServer.response(200, ["Content-Type": "application/json"], text: body)
      }
    }

    /// How long a first load takes: the best of three, since a busy machine delays any of them.
    private func firstLoad(_ addresses: [HostAddress]) async throws -> Duration {
      var best = Duration.seconds(60)
      for _ in 0..<3 {
        let manager = try makeManager(pool(addresses))
        manager.method = .post
        let start = ContinuousClock.now
        _ = try await manager.response(["a": 1])
        best = min(best, ContinuousClock.now - start)
      }
      return best
    }

    func testAServerThatRefusesCostsNextToNothing() async throws {
      let server = try serving()
      defer { server.stop() }
      _ = try await firstLoad([address(server.port)])
      let healthy = try await firstLoad([address(server.port), refusing()])
      let time = try await firstLoad([refusing(), address(server.port)])
      XCTAssertLessThan(time - healthy, .milliseconds(50))
      XCTAssertEqual(server.requests.count, 9, "each POST was sent once")
    }

    func testABlackHoleCostsAQuarterOfASecond() async throws {
      let server = try serving()
      defer { server.stop() }
      let hole = try BlackHole()
      let healthy = try await firstLoad([address(server.port), address(hole.port)])
      let time = try await firstLoad([address(hole.port), address(server.port)])
      XCTAssertGreaterThan(time, .milliseconds(240), "it is a black hole")
      XCTAssertLessThan(time - healthy, .milliseconds(350))
      XCTAssertEqual(server.requests.map(\.method), [HTTPMethod](repeating: .post, count: 6).map(\.rawValue))
    }

    func testTheRequestGoesOverTheConnectionThatHasWon() async throws {
      for tls in [nil, try self.tls.get()] {
        let server = try ScriptedServer(
          scripts: [
            [.serve { _ in ScriptedServer.response(200, ["Content-Type": "application/json"], text: "{}") }]
          ], tls: tls)
        defer { server.stop() }
        var configuration = TransportConfiguration.ephemeral
        configuration.tls.trust = tls.map { .bundle(path: $0.root) } ?? .system
        let manager = try makeManager(
          pool([address(server.port), refusing()]), scheme: tls == nil ? "http" : "https", configuration)
        // Later versions of libcurl leave a connection over TLS 1.3 on which nothing was read.
        let usesFirst = tls == nil || CurlSession.reusesUnreadConnections
        for isReused in [usesFirst, true] {
          manager.method = .get
          let response = try await manager.response()
          XCTAssertEqual(response.record?.requests.first?.metrics.isReused, isReused)
        }
        XCTAssertEqual(server.connectionCount, usesFirst ? 1 : 2)
        XCTAssertEqual(server.requests.first?.headers["Host"], "good.test")
        manager.method = .post
        _ = try await manager.response(["a": 1])
        XCTAssertEqual(server.requests.map(\.method), ["GET", "GET", "POST"])
      }
    }

    func testAPostOverTLSGoesOverTheConnectionThatHasWonToo() async throws {
      let tls = try self.tls.get()
      let server = try ScriptedServer(
        scripts: [
          [.serve { _ in ScriptedServer.response(200, ["Content-Type": "application/json"], text: "{}") }]
        ], tls: tls)
      defer { server.stop() }
      // Requests with a body have connections of their own: the race is for these.
      var configuration = TransportConfiguration.ephemeral
      configuration.tls.trust = .bundle(path: tls.root)
      let manager = try makeManager(pool([refusing(), address(server.port)]), scheme: "https", configuration)
      manager.method = .post
      let response = try await manager.response(["a": 1])
      let isReused = try XCTUnwrap(response.record?.requests.first?.metrics.isReused)
      // Where the library leaves unread connections, it depends on when the session tickets have come.
      XCTAssertTrue(isReused || !CurlSession.reusesUnreadConnections)
      XCTAssertEqual(server.requests.map(\.method), ["POST"])
      XCTAssertEqual(server.connectionCount, isReused ? 1 : 2)
    }

    func testAnAddressThatIsListedAndCannotBeReachedIsPassedOver() async throws {
      let server = try serving()
      defer { server.stop() }
      // A network for documents (RFC 3849), to which there is no way, and one of this machine on which nobody listens.
      let time = try await firstLoad(["[2001:db8::7]:81", address(server.port)])
      XCTAssertLessThan(time, .milliseconds(600))
      XCTAssertEqual(server.requests.count, 3)
    }

    func testAWrongCertificateAtOneAddressIsPassedOver() async throws {
      let nginx = try NginxServer.shared()
      var configuration = TransportConfiguration.ephemeral
      configuration.tls.trust = .bundle(path: nginx.certificates.root.path)
      let wrong = try address(Int(nginx.port(.tls(.wrongHost))))
      let pool = try pool([wrong, address(Int(nginx.port(.tls(.good))))])
      let manager = try makeManager(pool, scheme: "https", configuration)
      manager.service.environments = ServiceEnvironments("https://good.test/")
      manager.apiName = "echo"
      let response = try await manager.response()
      XCTAssertEqual(response.raw["sni"].string, "good.test")
      guard case .aside? = pool.status.first?.health else { return XCTFail("\(pool.status)") }
      // With none but wrong ones, that is the reason.
      let alone = try makeManager(self.pool([wrong, refusing()]), scheme: "https", configuration)
      let error = await failure { try await alone.response() }
      XCTAssertEqual(error?.reason, .certificateHostMismatch)
    }

    func testWhenEveryAddressIsDownTheLoadFailsAtOnce() async throws {
      let manager = try makeManager(pool([refusing(), refusing(), refusing()]))
      let start = ContinuousClock.now
      let error = await failure { try await manager.response() }
      XCTAssertEqual(error?.reason, .connectionRefused)
      XCTAssertLessThan(ContinuousClock.now - start, .milliseconds(500))
    }

    func testNoLoadFailsWhenAServerDies() async throws {
      let servers = try (0..<3).map { _ in try serving() }
      defer { for server in servers { server.stop() } }
      let manager = try makeManager(try pool(servers.map { try address($0.port) }))
      var policy = RetryPolicy(attempts: 2)
      policy.backoff = .constant(.zero)
      manager.retryPolicy = policy
      for index in 0..<30 {
        if index == 10 { servers[0].stop() }
        if index == 20 { servers[1].stop() }
        _ = try await manager.response(["page": index])
      }
      XCTAssertEqual(servers[0].requests.count, 10)
      XCTAssertEqual(servers[1].requests.count, 10)
      XCTAssertEqual(servers[2].requests.count, 10)
    }

    func testMeasuringLeavesNoConnectionsBehind() async throws {
      let servers = try (0..<2).map { _ in try serving() }
      defer { for server in servers { server.stop() } }
      let addresses = try servers.map { try address($0.port) }
      let pool = try pool(addresses + [refusing()])
      let manager = try makeManager(pool)
      for _ in 0..<3 {
        let status = try await manager.service.measureHosts()
        XCTAssertEqual(status.map { $0.connectTime != nil }, [true, true, false])
      }
      for server in servers {
        XCTAssertTrue(server.waitForConnections(3))
        XCTAssertTrue(server.waitUntilIdle())
        XCTAssertEqual(server.connectionCount, 3)
        XCTAssertEqual(server.requests.count, 0, "measuring sends nothing")
      }
      XCTAssertEqual(pool.status.last?.health, .doubtful(failures: 3))
    }

    func testMeasuringOfABlackHoleEndsAtTheLimitForConnecting() async throws {
      let hole = try BlackHole()
      var configuration = TransportConfiguration.ephemeral
      configuration.timeouts.connect = .milliseconds(100)
      let pool = try pool([address(hole.port), refusing()])
      let manager = try makeManager(pool, configuration)
      let start = ContinuousClock.now
      try await manager.service.measureHosts()
      XCTAssertLessThan(ContinuousClock.now - start, .seconds(2))
      XCTAssertEqual(pool.status.first?.health, .doubtful(failures: 1))
    }

    func testAMeasurementThatIsCancelledEnds() async throws {
      let hole = try BlackHole()
      let transport = try CurlTransport(.ephemeral)
      var request = HTTPRequest(url: "http://good.test/")
      request.options.connectTo = "127.0.0.1:\(hole.port)"
      let exchange = HTTPExchange(request)
      for keeping in [true, false] {
        let task = Task { try await transport.connect(for: exchange, keeping: keeping) }
        task.cancel()
        let error = await failure { try await task.value }
        XCTAssertEqual(error?.reason, .cancelled)
        let later = Task { try await transport.connect(for: exchange, keeping: keeping) }
        try await Task.sleep(for: .milliseconds(30))
        later.cancel()
        let late = await failure { try await later.value }
        XCTAssertEqual(late?.reason, .cancelled)
      }
      await transport.shutdown()
      let error = await failure { try await transport.connect(for: exchange, keeping: false) }
      XCTAssertEqual(error?.reason, .transportStopped)
    }
  }
#endif
