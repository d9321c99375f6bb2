#if os(Linux)
  import APIKit
  import APIKitSockets
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
    let apiName: String
    var options = SocketOptions()
    var reconnection = ReconnectPolicy.never
    /// The number after the last that has come.
    var next = 0

    init(_ service: Oracle, _ apiName: String) {
      self.service = service
      self.apiName = apiName
    }

    func prepare(_ reconnection: inout SocketReconnection) {
      reconnection.parameters = ["from": ParameterValue.integer(next)]
    }
  }

  private final class OracleEvents: BaseEventStreamManager, EventStreamManager {
    let service: Oracle
    let apiName = "events"
    var reconnection: ReconnectPolicy { .hasty }
    init(_ service: Oracle) { self.service = service }
  }

  extension ReconnectPolicy {
    fileprivate static var hasty: Self {
      var policy = standard
      policy.backoff = .constant(.milliseconds(1))
      return policy
    }
  }

  /// Counts the numbers that come, up to 50.
  @MainActor private final class Numbers: SocketManagerDelegate {
    private(set) var openings = 0
    private(set) var closing: SocketClosing?

    func socket(_ manager: BaseSocketManager, didOpenWith opening: SocketOpening) {
      openings = opening.number
    }
    func socket(_ manager: BaseSocketManager, didReceive message: SocketMessage) {
      guard let socket = manager as? OracleSocket else { return }
      XCTAssertEqual(message, .text("\(socket.next)"))
      socket.next += 1
      if socket.next == 50 { manager.cancel() }
    }
    func socket(_ manager: BaseSocketManager, didCloseWith closing: SocketClosing) { self.closing = closing }
  }

  /// Sockets and events against servers with a code of their own; run by `Scripts/oracles/sockets`.
  @MainActor final class SocketOracleTests: XCTestCase {
    private func service(isSecure: Bool = false) throws -> Oracle {
      let environment = ProcessInfo.processInfo.environment
      guard let url = environment[isSecure ? "APIKIT_SOCKETS_TLS_URL" : "APIKIT_SOCKETS_URL"] else {
        throw XCTSkip("run by Scripts/oracles/sockets")
      }
      var configuration = TransportConfiguration.ephemeral
      if let root = environment["APIKIT_SOCKETS_ROOT"] { configuration.tls.trust = .bundle(path: root) }
      return Oracle(
        environments: ServiceEnvironments(try HTTPURL(url)),
        client: HTTPClient(transport: try CurlTransport(configuration)))
    }

    private func needs(_ server: String) throws {
      guard ProcessInfo.processInfo.environment["APIKIT_SOCKETS_SERVER"] == server else {
        throw XCTSkip("only \(server) has it")
      }
    }

    private func echo(_ socket: OracleSocket, _ counts: [Int]) async throws {
      var messages = socket.messages().makeAsyncIterator()
      let opening = try await socket.opened()
      XCTAssertEqual(opening.isCompressed, socket.options.compressionBits != nil)
      for (round, count) in counts.enumerated() {
        let message: SocketMessage =
          round % 2 == 0
          ? .text(String(repeating: "ä\(round) ", count: count / 6))
          : .data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* round) })
        try await socket.sendWhenPossible(message, compressed: round % 3 != 0)
        let back = try await messages.next()
        XCTAssertEqual(back, message)
      }
      let time = try await socket.ping()
      XCTAssertGreaterThan(time, .zero)
      try socket.close(.init(rawValue: 4000), reason: "bye")
      let last = try await messages.next()
      XCTAssertNil(last)
      XCTAssertEqual(socket.lastClosing?.end, .clean)
      XCTAssertEqual(socket.lastClosing?.sentCode?.rawValue, 4000)
    }

    func testMessagesComeBackWithAndWithoutTLSAndCompression() async throws {
      for isSecure in [false, true] {
        for bits in [nil, 9, 12, 15] {
          let socket = OracleSocket(try service(isSecure: isSecure), "echo")
          socket.options.compressionBits = bits
          try await echo(socket, (0..<100).map { $0 * $0 * 14 })
        }
      }
    }

    func testLargeMessagesComeBack() async throws {
      for isSecure in [false, true] {
        for bits in [nil, 12] {
          let socket = OracleSocket(try service(isSecure: isSecure), "echo")
          socket.options.compressionBits = bits
          try await echo(socket, [1 << 20, 3 << 20, 8 << 20, 12 << 20])
        }
      }
    }

    func testTheServersCloseIsTold() async throws {
      for code: UInt16 in [1000, 1001, 1003, 1011, 3000, 4999] {
        let socket = OracleSocket(try service(), "close/\(code)")
        let messages = socket.messages()
        _ = try await socket.opened()
        for try await _ in messages { XCTFail("there is no message") }
        XCTAssertEqual(socket.lastClosing?.code.rawValue, code)
        XCTAssertEqual(socket.lastClosing?.reason, "as asked")
        XCTAssertEqual(socket.lastClosing?.end, .clean)
      }
    }

    func testPingsOfTheServerGetTheirPongs() async throws {
      let socket = OracleSocket(try service(isSecure: true), "ping")
      var messages = socket.messages().makeAsyncIterator()
      _ = try await socket.opened()
      let pong = try await messages.next()
      XCTAssertEqual(pong, .text("pong"))
      try socket.close()
      while try await messages.next() != nil {}
      XCTAssertEqual(socket.lastClosing?.end, .clean)
    }

    func testFragmentsMakeOneMessage() async throws {
      try needs("websockets")
      for bits in [nil, 12] {
        let socket = OracleSocket(try service(), "fragments/60")
        socket.options.compressionBits = bits
        let messages = socket.messages()
        socket.open()
        var count = 0
        for try await message in messages {
          count += 1
          let text = (0..<count).map { String(repeating: ["ä", "€", "😀"][$0 % 3], count: $0) }.joined()
          XCTAssertEqual(message, .text(text))
        }
        XCTAssertEqual(count, 60)
      }
    }

    func testAMessageAboveTheLimitEndsWith1009() async throws {
      let socket = OracleSocket(try service(), "large/3000000")
      socket.options.maximumMessageBytes = 1 << 20
      let messages = socket.messages()
      _ = try await socket.opened()
      do {
        for try await _ in messages { XCTFail("it is too large") }
        XCTFail("it ended in order")
      } catch {
        XCTAssertEqual(error.reason, .responseTooLarge)
      }
      XCTAssertEqual(socket.lastClosing?.sentCode, .messageTooLarge)
    }

    func testALostSocketGoesOnBehindTheLastMessage() async throws {
      for isSecure in [false, true] {
        let socket = OracleSocket(try service(isSecure: isSecure), "drop")
        socket.reconnection = .hasty
        let numbers = Numbers()
        socket.delegate = numbers
        socket.open()
        for _ in 0..<2000 where numbers.closing == nil { try await Task.sleep(for: .milliseconds(5)) }
        XCTAssertNotNil(numbers.closing)
        XCTAssertEqual(socket.next, 50)
        XCTAssertEqual(numbers.openings, 5)
      }
    }

    func testARefusalIsTriedAgainAsItsStatusSays() async throws {
      for status in [429, 503] {
        let socket = OracleSocket(try service(), "refuse/\(status)")
        socket.reconnection = .hasty
        var messages = socket.messages().makeAsyncIterator()
        _ = try await socket.opened()
        try socket.send("here")
        let back = try await messages.next()
        XCTAssertEqual(back, .text("here"))
        socket.cancel()
      }
      let final = OracleSocket(try service(), "refuse/403")
      final.reconnection = .hasty
      do {
        _ = try await final.opened()
        XCTFail("403 is final")
      } catch {
        XCTAssertEqual(error.context.status, 403)
        XCTAssertEqual(
          error.response.map { String(decoding: $0.bytes, as: UTF8.self) }?.hasPrefix("not yet"), true)
      }
    }

    func testAnEventStreamGoesOnBehindItsLastEvent() async throws {
      try needs("aiohttp")
      for isSecure in [false, true] {
        let manager = OracleEvents(try service(isSecure: isSecure))
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
  }
#endif
