#if os(Linux)
  import APIKitTesting
  @testable import TestSupport
  import XCTest

  @testable import APIKit
  import APIKitSigning

  /// Servers that are no good in ways that only real connections show.
  @MainActor final class HostSocketBadCaseTests: XCTestCase {
    private func makeManager(_ pool: HostPool, _ transport: any HTTPTransport) throws -> TestManager {
      let manager = TestManager(StubTransport())
      manager.service.client = HTTPClient(transport: transport)
      manager.service.environments = ServiceEnvironments("http://good.test/api")
      manager.service.hosts = pool
      manager.sharedState = SharedState()
      return manager
    }

    private func pool(_ servers: [ScriptedServer]) throws -> HostPool {
      .still(try servers.map { try HostAddress("127.0.0.1:\($0.port)") }, name: "good.test")
    }

    private func serving(_ status: Int = 200) throws -> ScriptedServer {
      try ScriptedServer.serving { _ in
        ScriptedServer.response(status, ["Content-Type": "application/json"], text: "{}")
      }
    }

    func testAnAddressThatServesAnotherNameIsPassedOverWithinTheAttempt() async throws {
      let servers = try [serving(421), serving()]
      defer { for server in servers { server.stop() } }
      let pool = try pool(servers)
      let manager = try makeManager(pool, CurlTransport(.ephemeral))
      manager.method = .post
      for page in 0..<3 {
        let response = try await manager.response(["page": page])
        XCTAssertEqual(response.record?.attempts, 1)
      }
      XCTAssertEqual(servers.map(\.requests.count), [1, 3])
      XCTAssertEqual(servers[0].requests.first?.headers["Host"], "good.test")
      guard case .aside? = pool.status.first?.health else { return XCTFail("\(pool.status)") }
    }

    func testAWinnerThatDiesBetweenTheRaceAndTheRequestIsReplaced() async throws {
      for method in [HTTPMethod.get, .post] {
        let servers = try [serving(), serving()]
        defer { for server in servers { server.stop() } }
        let pool = try pool(servers)
        let transport = AfterConnecting(try CurlTransport(.ephemeral)) { address in
          guard address.hasSuffix(":\(servers[0].port)") else { return }
          servers[0].stop()
          servers[0].waitUntilIdle()
        }
        let manager = try makeManager(pool, transport)
        manager.method = method
        let response = try await manager.response(["a": 1])
        let text = try XCTUnwrap(response.record?.description)
        XCTAssertTrue(text.contains("127.0.0.1:\(servers[0].port): the first of 2 to connect"), text)
        XCTAssertTrue(
          text.contains("127.0.0.1:\(servers[0].port) failed (transport.connection-refused)"), text)
        XCTAssertEqual(response.record?.attempts, 1)
        XCTAssertEqual(servers.map(\.requests.count), [0, 1], "\(method) was sent once")
      }
    }

    func testALoadDoesNotFailAtTheLimitOfAnotherOneThatHasBegunTheRace() async throws {
      let hole = try BlackHole()
      let server = try serving()
      defer { server.stop() }
      let pool = HostPool.still(
        try [hole.port, server.port].map { try HostAddress("127.0.0.1:\($0)") }, name: "good.test")
      let hurried = try makeManager(pool, CurlTransport(.ephemeral))
      let patient = TestManager(hurried.service)
      hurried.ownTimeouts = HTTPTimeouts(total: .milliseconds(100))
      async let failed = errorThrown { () throws(APIError) in try await hurried.response() }
      await waitUntil { hurried.isLoading }
      let response = try await patient.response()
      XCTAssertEqual(response.http.status, 200)
      let error = try await failed
      XCTAssertEqual(error.reason, .totalTimeout)
    }

    func testALoadsOwnShortLimitSaysNothingOfAServer() async throws {
      let holes = try [BlackHole(), BlackHole()]
      let pool = HostPool.still(
        try holes.map(\.port).map { try HostAddress("127.0.0.1:\($0)") }, name: "good.test")
      // The second load keeps the race alive when the time of the first is over.
      let first = try makeManager(pool, CurlTransport(.ephemeral))
      first.ownTimeouts = HTTPTimeouts(total: .milliseconds(200))
      let second = TestManager(first.service)
      (second.ownTimeouts, second.sharedState) = (first.ownTimeouts, first.sharedState)
      async let failed = errorThrown { () throws(APIError) in try await first.response() }
      try await Task.sleep(for: .milliseconds(80))
      let late = try await errorThrown { () throws(APIError) in try await second.response(["page": 1]) }
      let early = try await failed
      XCTAssertEqual([early.reason, late.reason], [.totalTimeout, .totalTimeout])
      XCTAssertTrue(pool.status.allSatisfy { $0.health == .good }, "\(pool.status)")
    }

    func testOverURLSessionAPoolOfOriginsWorksAndOneOfAddressesIsRefusedByName() async throws {
      let servers = try [serving(), serving()]
      defer { servers[1].stop() }
      servers[0].stop()
      servers[0].waitUntilIdle()
      let transport = try URLSessionTransport(.ephemeral)
      let origins = try servers.map { try HTTPURL("http://127.0.0.1:\($0.port)") }
      let manager = try makeManager(.still([], name: "good.test", origins: origins), transport)
      manager.service.signer = HMACSigner(key: SecretKey("secret"))
      let response = try await manager.response(["a": 1])
      XCTAssertEqual(response.record?.attempts, 1)
      // The session does not tell there how far a request came, so one that must not be repeated goes to one server.
      let posting = try makeManager(.still([], name: "good.test", origins: origins), transport)
      posting.method = .post
      let lost = await failure { try await posting.response(["a": 1]) }
      XCTAssertEqual(lost?.reason, .connectionRefused)
      XCTAssertEqual(lost?.requestProgress, .sent)
      XCTAssertEqual(servers[1].requests.map { $0.headers["Host"] }, ["127.0.0.1:\(servers[1].port)"])
      let refused = try makeManager(try pool(servers), transport)
      let error = await failure { try await refused.response() }
      XCTAssertEqual(error?.reason, .unsupportedCapability)
      XCTAssertTrue(error?.detail.contains("connectTo") == true, error?.detail ?? "")
      let measured = await failure { try await refused.service.measureHosts() }
      XCTAssertEqual(measured?.reason, .unsupportedCapability)
    }
  }

  /// Tells of each connection that stands, before the request goes over it.
  private final class AfterConnecting: ConnectingTransport {
    private let base: CurlTransport
    private let stands: @Sendable (_ address: String) -> Void

    init(_ base: CurlTransport, _ stands: @escaping @Sendable (_ address: String) -> Void) {
      (self.base, self.stands) = (base, stands)
    }

    var capabilities: TransportCapabilities { base.capabilities }

    func start(_ exchange: HTTPExchange, completion: @escaping Completion) -> any CancellableOperation {
      base.start(exchange, completion: completion)
    }

    func connect(for exchange: HTTPExchange, keeping: Bool) async throws(APIError) -> Duration? {
      let time = try await base.connect(for: exchange, keeping: keeping)
      stands(exchange.request.options.connectTo ?? "")
      return time
    }
  }
#endif
