import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitReports

/// What servers and lists do that are no good, as a load meets it, without sockets.
@MainActor final class HostBadCaseTests: XCTestCase {
  private let stub = StubTransport(.json(someJSON))
  private let time = ManualTime()
  private lazy var folder = temporaryPath()

  private func makeManager(_ pool: HostPool, _ transport: (any HTTPTransport)? = nil) -> TestManager {
    let manager = TestManager(stub)
    manager.service.client = HTTPClient(transport: transport ?? stub)
    manager.service.environments = ServiceEnvironments("https://named.test/api")
    manager.service.hosts = pool
    manager.sharedState = SharedState()
    manager.time = time
    return manager
  }

  private var asked: [String] { stub.requests.map { $0.options.connectTo ?? $0.url.host } }

  func testAListAPIThatRespondsWithHTMLNothingOrNamesChangesNothing() async throws {
    let listing = StubTransport()
    let responses: [(String, StubResponse)] = [
      ("HTML", .bytes(Array("<html><li>10.0.0.9</li></html>".utf8), contentType: "text/html")),
      ("HTML that says it is JSON", .json("<html>10.0.0.9</html>")),
      ("an empty list", .json(#"{"hosts": []}"#)), ("no list", .json(#"{"hosts": "10.0.0.9"}"#)),
      ("nothing", .json("{}")), ("names", .json(#"{"hosts": ["api.example.com", "localhost"]}"#)),
      ("a name among addresses", .json(#"{"hosts": ["10.0.0.9", "evil.example.com"]}"#)),
      ("numbers among addresses", .json(#"{"hosts": ["10.0.0.9", 7]}"#)),
      ("URLs", .json(#"{"hosts": ["https://10.0.0.9/"]}"#)), ("an outage", .status(503)),
      ("a redirect to nowhere", .redirect(to: "https://config.test/gone")),
    ]
    for (what, response) in responses {
      listing.reset()
      listing.on("/hosts", response)
      let service = TestService(
        HTTPClient(transport: listing), ServiceEnvironments("https://config.test/"))
      let lists = TestManager(service)
      lists.apiName = "hosts"
      let pool = HostPool.still(
        ["10.0.0.1"],
        source: try .daily(in: folder, key: .random()) {
          try await lists.response().raw.hosts.decode(as: [String].self)
        })
      let manager = makeManager(pool)
      _ = try await manager.response()
      await waitUntil { !listing.requests.isEmpty && pool.need(self.time) == .nothing }
      _ = try await manager.response()
      XCTAssertEqual(asked.last, "10.0.0.1", what)
      XCTAssertEqual(pool.status(time.now).map(\.host.description), ["10.0.0.1"], what)
    }
  }

  func testWhenAllAreSlowToConnectTheRequestIsSentOnceToTheFirstThatStands() async throws {
    let time = time
    let transport = ConnectingStub(stub) { _ throws(APIError) in
      do { try await time.sleep(for: .milliseconds(400)) } catch { throw .transport(.cancelled) }
      return .milliseconds(400)
    }
    let pool = HostPool.still(["10.0.0.1", "10.0.0.2", "10.0.0.3"])
    let manager = makeManager(pool, transport)
    manager.method = .post
    async let response = manager.response(["a": 1])
    // The first connection and the wait before the second.
    await time.advanceOnceAsleep(by: .milliseconds(250), sleepers: 2)
    await waitUntil { transport.connected.all.count == 2 }
    await time.advanceOnceAsleep(by: .milliseconds(150), sleepers: 3)
    _ = try await response
    XCTAssertEqual(asked, ["10.0.0.1"])
    XCTAssertEqual(transport.connected.all, ["race 10.0.0.1", "race 10.0.0.2"], "the third was not needed")
    await waitUntil { time.sleeperCount == 0 }
    XCTAssertEqual(pool.status(time.now).map(\.health), [.good, .good, .good])
    // Slow, and all there is: it is used without a race.
    _ = try await manager.response(["a": 1])
    XCTAssertEqual(transport.connected.all.count, 2)
  }

  /// A server that is the fastest by far, and out of order every other minute, for an hour.
  func testAServerThatFlapsFailsNoLoadAndIsAskedSeldomWhileItIsDown() async throws {
    let time = time
    let isUp: @Sendable () -> Bool = { Int(time.now / .seconds(60)) % 2 == 0 }
    let (asksInVain, switches) = (Counter(), Record<String>())
    let transport = ConnectingStub(stub) { address throws(APIError) in
      guard address == "10.0.0.1" else { return .milliseconds(50) }
      if !isUp() { throw .transport(.connectionRefused) }
      return .milliseconds(1)
    }
    stub.when(
      { $0.options.connectTo == "10.0.0.1" },
      .computed { _ in
        guard !isUp() else { return .json(someJSON) }
        asksInVain.increment()
        return .failure(.connectionRefused)
      })
    let pool = HostPool.still(["10.0.0.1", "10.0.0.2"], measuringInterval: .seconds(60))
    let manager = makeManager(pool, transport)
    for second in stride(from: 0, to: 3600, by: 3) {
      _ = try await manager.response(["at": second])
      await waitUntil { time.sleeperCount == 0 }
      if let used = asked.last, used != switches.all.last { switches.add(used) }
      time.advance(by: .seconds(3))
    }
    XCTAssertGreaterThan(asked.count { $0 == "10.0.0.1" }, 200, "it is used while it is up")
    XCTAssertLessThanOrEqual(asksInVain.value, 30, "once in each of its 30 bad minutes at most")
    XCTAssertLessThanOrEqual(switches.all.count, 62, "there and back in each")
  }

  func testARaceIsRunByTheTransportThatWrappersWrap() async throws {
    let transport = ConnectingStub(stub) { address throws(APIError) in
      if address == "10.0.0.1" { throw .transport(.connectionRefused) }
      return .milliseconds(3)
    }
    let exchanges = ExchangeArchive()
    let pool = HostPool.still(["10.0.0.1", "10.0.0.2"])
    let manager = makeManager(pool, exchanges.archiving(transport))
    let recorder = Recorder()
    manager.delegate = recorder
    for page in 0..<5 { manager.load(["page": page]) }
    await recorder.waitForLandings(5)
    XCTAssertEqual(Set(transport.connected.all), ["race 10.0.0.1", "race 10.0.0.2"])
    XCTAssertEqual(Set(asked), ["10.0.0.2"])
    XCTAssertEqual(exchanges.archive.entries.count, 5, "connections that are opened ahead are no exchanges")
    let status = try await manager.service.measureHosts()
    XCTAssertEqual(status.count, 2)
  }
}
