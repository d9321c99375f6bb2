#if os(Linux)
  import APIKitTesting
  import Foundation
  @testable import TestSupport
  import XCTest

  @testable import APIKit
  @testable import APIKitReports

  /// What an archive has of loads over a real wire: an entry for each attempt, hop and hedged request, with times that add
  /// up.
  @MainActor final class ArchiveOfAttemptsTests: XCTestCase {
    private var servers: [ScriptedServer] = []
    private let exchanges = ExchangeArchive()

    override func tearDown() async throws {
      for server in servers { server.stop() }
      servers = []
    }

    private nonisolated static func json(_ request: ScriptedServer.Received) -> [UInt8] {
      ScriptedServer.response(200, ["Content-Type": "application/json"], text: "{}")
    }

    private func makeManager(
      _ responses: [@Sendable (ScriptedServer.Received) -> [UInt8]]
    ) throws -> TestManager {
      servers = try responses.map { try ScriptedServer.serving($0) }
      let manager = TestManager(StubTransport())
      manager.service.client = HTTPClient(transport: exchanges.archiving(try CurlTransport(.ephemeral)))
      manager.service.environments = ServiceEnvironments("http://named.test/api")
      manager.service.hosts = .still(try servers.map { try HostAddress("127.0.0.1:\($0.port)") })
      manager.sharedState = SharedState()
      return manager
    }

    /// Each entry of the file: the sum of its phases, its time, and TLS against connecting.
    private func assertTimesAddUp(file: StaticString = #filePath, line: UInt = #line) throws {
      for entry in try RawData(parsing: exchanges.archive.harBytes()).log.entries.elements {
        let timings = entry.timings
        let phases = ["blocked", "dns", "connect", "send", "wait", "receive"].compactMap {
          timings[$0].double
        }
        XCTAssertEqual(phases.count, 6, file: file, line: line)
        XCTAssertEqual(
          phases.filter { $0 >= 0 }.reduce(0, +), entry.time.double ?? -1, accuracy: 1, file: file, line: line
        )
        XCTAssertLessThanOrEqual(timings.ssl.double ?? 0, timings.connect.double ?? 0, file: file, line: line)
      }
    }

    func testAHedgedLoadHasAnEntryForEachOfItsRequests() async throws {
      let latch = Latch()
      defer { latch.open() }
      let manager = try makeManager([
        { request in
          if request.target.contains("slow") { latch.wait() }
          return Self.json(request)
        }, Self.json,
      ])
      manager.retryPolicy.hedgesSlowReads = true
      for _ in 0..<120 { _ = try await manager.response() }
      let response = try await manager.response(["slow": true])
      await waitUntil { self.exchanges.archive.entries.count == 122 }
      let entries = Array(exchanges.archive.entries.suffix(2))
      XCTAssertEqual(entries.map(\.flight), [response.flightID?.rawValue, response.flightID?.rawValue])
      XCTAssertEqual(entries.map(\.apiName), ["list", "list"])
      XCTAssertEqual(entries.map { $0.response?.status }, [nil, 200])
      XCTAssertEqual(entries.map(\.failure), ["transport.cancelled", nil], "the slower one is given up")
      XCTAssertEqual(
        entries.map(\.request.url), [String](repeating: "http://named.test/api/list?slow=true", count: 2))
      XCTAssertGreaterThanOrEqual(entries[0].timings.total, 50, "it had its time")
      XCTAssertLessThan(entries[0].timings.total, 10_000)
      XCTAssertGreaterThanOrEqual(entries[1].secondsSince1970 - entries[0].secondsSince1970, 0.049)
      try assertTimesAddUp()
    }

    func testALoadThatIsRetriedHedgedAndRedirectedHasAnEntryForEachRequest() async throws {
      let latch = Latch()
      defer { latch.open() }
      func slow(_ response: @escaping @Sendable () -> [UInt8])
        -> @Sendable (ScriptedServer.Received) -> [UInt8]
      {
        { request in request.target.hasPrefix("/api/list?slow") ? response() : Self.json(request) }
      }
      let manager = try makeManager([
        slow { ScriptedServer.response(502) },
        slow {
          latch.wait()
          return []
        }, slow { ScriptedServer.response(302, ["Location": "/api/moved"]) },
      ])
      manager.retryPolicy = RetryPolicy(attempts: 2)
      manager.retryPolicy.backoff = .constant(.zero)
      manager.retryPolicy.hedgesSlowReads = true
      for _ in 0..<120 { _ = try await manager.response() }
      let response = try await manager.response(["slow": true])
      await waitUntil { self.exchanges.archive.entries.count == 124 }
      let entries = exchanges.archive.entries.suffix(4)
      XCTAssertEqual(Set(entries.map(\.flight)), [response.flightID?.rawValue])
      XCTAssertEqual(entries.map { $0.response?.status }, [502, nil, 302, 200])
      XCTAssertEqual(entries.last?.request.url, "http://named.test/api/moved")
      XCTAssertEqual(
        response.record?.requests.map(\.status), [502, 302, 200], "the loser is no part of the load")
      try assertTimesAddUp()
    }
  }
#endif
