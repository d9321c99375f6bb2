#if os(Linux)
  import APIKit
  import Foundation
  import XCTest

  private struct Oracle: APIService {
    let name = "Oracle"
    let environments: ServiceEnvironments
    let client: HTTPClient
    var wire: WireOptions { WireOptions(client: client) }
  }

  private final class OracleSocket: BaseSocketManager, SocketManager {
    let service: Oracle
    let apiName = "echo"
    var options = SocketOptions()
    init(_ service: Oracle) { self.service = service }
  }

  private final class OracleEvents: BaseEventStreamManager, EventStreamManager {
    let service: Oracle
    let apiName = "events"
    var reconnection: ReconnectPolicy {
      var policy = ReconnectPolicy.standard
      policy.backoff = .constant(.milliseconds(1))
      return policy
    }
    init(_ service: Oracle) { self.service = service }
  }

  /// Sockets and events against aiohttp; run by `Scripts/oracles/aiohttp`.
  @MainActor final class SocketOracleTests: XCTestCase {
    private func service() throws -> Oracle {
      guard let url = ProcessInfo.processInfo.environment["APIKIT_AIOHTTP_URL"] else {
        throw XCTSkip("run by Scripts/oracles/aiohttp")
      }
      return Oracle(
        environments: ServiceEnvironments(try HTTPURL(url)),
        client: HTTPClient(transport: try CurlTransport()))
    }

    func testMessagesComeBack() async throws {
      for bits in [nil, 9, 12, 15] {
        let socket = OracleSocket(try service())
        socket.options.compressionBits = bits
        var messages = socket.messages().makeAsyncIterator()
        let opening = try await socket.opened()
        XCTAssertEqual(opening.isCompressed, bits != nil)
        for round in 0..<200 {
          let count = round * round * 7
          let message: SocketMessage =
            round % 2 == 0
            ? .text(String(repeating: "ä\(round) ", count: count / 6))
            : .data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* round) })
          try await socket.sendWhenPossible(message)
          let back = try await messages.next()
          XCTAssertEqual(back, message)
        }
        _ = try await socket.ping()
        try socket.close(.init(rawValue: 4000), reason: "bye")
        let last = try await messages.next()
        XCTAssertNil(last)
        XCTAssertEqual(socket.lastClosing?.end, .clean)
      }
    }

    func testAnEventStreamGoesOnBehindItsLastEvent() async throws {
      let manager = OracleEvents(try service())
      let events = manager.events()
      manager.open()
      var next = 1
      for try await event in events {
        XCTAssertEqual(event.data, "\(next)\nä")
        XCTAssertEqual(event.id, "\(next)")
        next += 1
      }
      XCTAssertEqual(next, 301)
      XCTAssertEqual(manager.lastClosing?.end, .finished)
    }
  }
#endif
