#if os(Linux)
  import APIKitTesting
  @testable import TestSupport
  import XCTest

  @testable import APIKit
  @testable import APIKitSockets

  private struct PooledService: APIService {
    let name = "Pooled"
    let environments: ServiceEnvironments
    let wire: WireOptions
    let admission: AdmissionOptions
  }

  private final class Echo: BaseSocketManager, SocketManager {
    let service: PooledService
    let apiName = "echo"
    let reconnection: ReconnectPolicy
    init(_ service: PooledService, _ reconnection: ReconnectPolicy) {
      (self.service, self.reconnection) = (service, reconnection)
    }
  }

  private final class Events: BaseEventStreamManager, EventStreamManager {
    let service: PooledService
    let apiName = "events"
    let reconnection: ReconnectPolicy
    init(_ service: PooledService, _ reconnection: ReconnectPolicy) {
      (self.service, self.reconnection) = (service, reconnection)
    }
  }

  @MainActor private final class EventLog: EventStreamDelegate {
    var lines: [String] = []
    func events(_ manager: BaseEventStreamManager, didOpenWith response: HTTPResponse, number: Int) {
      lines.append("open \(number)")
    }
    func events(_ manager: BaseEventStreamManager, didReceive event: ServerEvent) { lines.append(event.data) }
    func events(_ manager: BaseEventStreamManager, didCloseWith closing: StreamClosing) {
      lines.append("close")
    }
  }

  /// Sockets and streams of a service with a pool.
  @MainActor final class HostUpgradeTests: XCTestCase {
    private lazy var tls = Result { try ScriptedTLS(in: temporaryFolder()) }

    private func service(
      _ addresses: [HostAddress], name: String = "good.test", isTLS: Bool = false
    ) throws -> (PooledService, HostPool) {
      var configuration = TransportConfiguration.ephemeral
      if isTLS { configuration.tls.trust = .bundle(path: try self.tls.get().root) }
      let pool = HostPool.still(addresses, name: name)
      let service = PooledService(
        environments: ServiceEnvironments(try HTTPURL("\(isTLS ? "https" : "http")://\(name)/api")),
        wire: WireOptions(client: HTTPClient(transport: try CurlTransport(configuration))),
        admission: AdmissionOptions(network: NetworkMonitor(watchesSystem: false), hosts: pool))
      return (service, pool)
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

    private var soon: ReconnectPolicy {
      var policy = ReconnectPolicy(attempts: 5)
      policy.backoff = Backoff(initial: .milliseconds(1), maximum: .milliseconds(1))
      return policy
    }

    func testASocketConnectsByAddressWithTheTLSOfTheName() async throws {
      let server = try ScriptedServer(
        scripts: [[.readHead, .upgrade(then: ServerFrames.text("1")), .waitForClose]], tls: try self.tls.get()
      )
      defer { server.stop() }
      let (service, pool) = try service([refusing(), address(server.port)], isTLS: true)
      let (socket, log) = (Echo(service, .never), SocketLog())
      socket.delegate = log
      _ = try await socket.opened()
      await log.wait { log.messages == [.text("1")] }
      XCTAssertEqual(server.requests.map { $0.headers["Host"] }, ["good.test"])
      XCTAssertEqual(pool.status.map(\.health), [.doubtful(failures: 1), .good])
      socket.cancel()
      // The certificate is asked for the pool's name, and for no address.
      let (other, _) = try self.service([address(server.port)], name: "other.test", isTLS: true)
      let error = await failure { try await Echo(other, .never).opened() }
      XCTAssertEqual(error?.reason, .certificateHostMismatch)
    }

    func testASocketWhoseServerDiesIsOpenedAgainAtAnother() async throws {
      let servers = try (0..<2).map { number in
        try ScriptedServer(.readHead, .upgrade(then: ServerFrames.text("\(number)")), .waitForClose)
      }
      defer { for server in servers { server.stop() } }
      let (service, _) = try service(servers.map { try address($0.port) })
      let (socket, log) = (Echo(service, soon), SocketLog())
      socket.delegate = log
      log.onMessage = { _, message in if message == .text("0") { servers[0].stop() } }
      socket.open()
      await log.wait { log.messages.count == 2 }
      XCTAssertEqual(log.messages, [.text("0"), .text("1")])
      XCTAssertEqual(log.lines, ["open", "message", "disconnect", "open", "message"])
      socket.cancel()
    }

    func testAnEventStreamGoesOnAtAnotherServerBehindItsLastEvent() async throws {
      let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
      let servers = try (0..<2).map { number in
        try ScriptedServer(.readRequest, .text(head + "id: \(number)\ndata: \(number)\n\n"), .waitForClose)
      }
      defer { for server in servers { server.stop() } }
      let (service, _) = try service(servers.map { try address($0.port) })
      let (events, log) = (Events(service, soon), EventLog())
      events.delegate = log
      events.open()
      await waitUntil { log.lines.contains("0") }
      servers[0].stop()
      await waitUntil { log.lines.contains("1") }
      XCTAssertEqual(log.lines, ["open 1", "0", "open 2", "1"])
      XCTAssertEqual(servers[1].requests.first?.headers["Last-Event-ID"], "0")
      events.cancel()
    }
  }
#endif
