#if os(Linux)
  @testable import TestSupport
  import XCTest

  @testable import APIKit
  @testable import APIKitSockets

  /// What a change of network makes wrong, and what it leaves alone.
  final class CurlNetworkTests: XCTestCase {
    /// A network that a test changes.
    private final class Network: Sendable {
      private let tell = Mutex<(@Sendable (NetworkHub.Report) -> Void)?>(nil)

      func hub(_ way: String = "wlan0 1") -> NetworkHub {
        NetworkHub { tell in
          self.tell.withLock { $0 = tell }
          tell(NetworkHub.Report(condition: .wifi, way: way))
          return nil
        }
      }

      func change(to way: String, _ condition: NetworkCondition = .wifi) {
        tell.withLock { $0 }?(NetworkHub.Report(condition: condition, way: way))
      }
    }

    func testIdleConnectionsGoWithTheirNetwork() async throws {
      let server = try ScriptedServer.serving { _ in ScriptedServer.response(text: "in") }
      defer { server.stop() }
      let network = Network()
      let transport = try CurlTransport(.ephemeral, network: network.hub())
      let request = HTTPRequest(url: try server.url())
      var isReused: [Bool] = []
      func load() async throws { isReused.append(try await transport.send(request).metrics.isReused) }
      try await load()
      try await load()
      network.change(to: "wlan0 1")  // news of the same network
      try await load()
      network.change(to: "wlan0 2")  // another Wi-Fi
      XCTAssertTrue(server.waitUntilIdle(), "the idle connection is closed at once")
      try await load()
      try await load()
      network.change(to: "", .offline)
      XCTAssertTrue(server.waitUntilIdle())
      XCTAssertEqual(isReused, [false, true, true, false, true])
    }

    func testTransfersUnderWayGoOnAlsoPausedOnes() async throws {
      let (arrived, gate) = (Latch(), Latch())
      let size = 4 << 20
      let slow = try ScriptedServer(
        .readRequest, .text("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf"), .open(arrived), .wait(gate),
        .text("half"))
      let large = try ScriptedServer(
        .readRequest, .text("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n"),
        .write([UInt8](repeating: 7, count: size)))
      defer {
        slow.stop()
        large.stop()
      }
      let network = Network()
      let transport = try CurlTransport(.ephemeral, network: network.hub())
      let request = HTTPRequest(url: try slow.url())
      let load = Task { try await transport.send(request) }
      let streamed = try await transport.send(
        HTTPExchange(HTTPRequest(url: try large.url()), destination: .stream))
      XCTAssertTrue(arrived.wait())
      // The stream is not read, so libcurl pauses the transfer when its share is full.
      try await Task.sleep(for: .milliseconds(100))
      network.change(to: "eth0 1", .wired)
      _ = await transport.counts()
      gate.open()
      let response = try await load.value
      XCTAssertEqual(String(decoding: response.bytes, as: UTF8.self), "halfhalf")
      guard case .stream(let stream) = streamed.body else { return XCTFail("no stream") }
      var count = 0
      for try await chunk in stream { count += chunk.count }
      XCTAssertEqual(count, size)
    }

    func testOpenStreamsGoOn() async throws {
      let gate = Latch()
      let server = try ScriptedServer(.text("half"), .wait(gate), .text("half"), .waitForClose)
      defer { server.stop() }
      let network = Network()
      let transport = try CurlTransport(.ephemeral, network: network.hub())
      let stream = try await ByteStream.open("127.0.0.1", port: server.port, over: transport)
      _ = try await stream.read(minimum: 4)
      network.change(to: "eth0 1", .wired)
      let counts = await transport.counts(of: .wires)
      XCTAssertEqual(counts?.active, 1)
      gate.open()
      let rest = try await stream.read(minimum: 4)
      XCTAssertEqual(rest.bytes, Array("half".utf8))
    }

    func testNamesOfTheOldNetworkAreResolvedAgain() {
      var names = CurlDNSCacheAge()
      XCTAssertNil(names.limit(at: 5_000_000), "libcurl's own limit")
      names.networkChanged(at: 10_000_000)
      XCTAssertEqual(names.limit(at: 10_500_000), 0)
      XCTAssertEqual(names.limit(at: 19_900_000), 9, "what is younger than the change is used")
      XCTAssertNil(names.limit(at: 70_000_000), "libcurl has dropped the others by itself")
    }

    func testATransportThatIsGoneHearsOfNoChange() async throws {
      let network = Network()
      let hub = network.hub()
      var transport: CurlTransport? = try CurlTransport(.ephemeral, network: hub)
      await transport?.shutdown()
      network.change(to: "wlan0 2")
      transport = nil
      XCTAssertEqual(hub.observerCount, 0)
      network.change(to: "wlan0 3")
    }
  }
#endif
