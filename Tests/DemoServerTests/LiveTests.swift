import APIKit
@testable import TestSupport
import XCTest

@testable import DemoServer

/// What the server sends as long as a client listens.
final class LiveTests: XCTestCase {
  private var server: DemoServer!

  override func setUp() async throws { server = try DemoServer() }
  override func tearDown() async throws { server = nil }

  private func ids(_ text: String) -> [Int] {
    text.components(separatedBy: "\n").filter { $0.hasPrefix("id: ") }.compactMap { Int($0.dropFirst(4)) }
  }

  private func events(_ target: String, _ field: String = "", times: Int = 4) -> String {
    let client = RawClient(port: server.port)
    client.send("GET \(target) HTTP/1.1\r\nHost: a\r\n\(field)\r\n")
    return client.read(until: "}\n\n", times: times)
  }

  func testEventsGoOnBehindTheOneThatTheClientNames() {
    let first = events("/events?every=20")
    XCTAssertTrue(first.contains("\r\nContent-Type: text/event-stream; charset=utf-8\r\n"), first)
    XCTAssertTrue(first.contains("\r\nConnection: close\r\n\r\nretry: 500\n\nid: "), first)
    let numbers = ids(first)
    XCTAssertGreaterThanOrEqual(numbers.count, 4)
    XCTAssertEqual(numbers, Array(numbers[0]..<(numbers[0] + numbers.count)))
    let again = events("/events?every=20", "Last-Event-ID: \(numbers[1])\r\n")
    XCTAssertEqual(ids(again).first, numbers[2])
    // A change is the same for everybody.
    func data(_ text: String, _ id: Int) -> String? {
      text.components(separatedBy: "id: \(id)\n").dropFirst().first?.components(separatedBy: "\n\n").first
    }
    XCTAssertNotNil(data(first, numbers[2]))
    XCTAssertEqual(data(first, numbers[2]), data(again, numbers[2]))
    // Whoever was away for long gets the last hundred.
    let late = ids(events("/events?every=20", "Last-Event-ID: 5\r\n", times: 100))
    XCTAssertGreaterThanOrEqual(late.count, 100)
    XCTAssertGreaterThan(late[0], numbers[0] - 200)
  }

  func testWhatIsAskedWronglyIsRefused() {
    func status(_ target: String) -> String {
      let client = RawClient(port: server.port)
      client.send("GET \(target) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
      return String(client.readToEnd().prefix(12))
    }
    for target in ["/events?every=0", "/events?every=x", "/events?place=nowhere", "/prices?every=60001"] {
      XCTAssertEqual(status(target), "HTTP/1.1 400", target)
    }
    XCTAssertEqual(status("/prices"), "HTTP/1.1 426")
  }

  /// A client that has shaken hands.
  private func socket(_ target: String = "/prices?every=60000") -> RawClient {
    let client = RawClient(port: server.port)
    client.send(
      "GET \(target) HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
    let head = client.read(until: "\r\n\r\n")
    XCTAssertTrue(head.hasPrefix("HTTP/1.1 101 Switching Protocols\r\n"), head)
    // The example of RFC 6455, 1.3.
    XCTAssertTrue(head.contains("\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"), head)
    return client
  }

  private static func frame(_ opcode: UInt8, _ payload: [UInt8], isLast: Bool = true) -> [UInt8] {
    let mask: [UInt8] = [1, 2, 3, 4]
    let length: [UInt8] =
      payload.count <= 125
      ? [0x80 | UInt8(payload.count)] : [0x80 | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
    return [(isLast ? 0x80 : 0) | opcode] + length + mask
      + payload.enumerated().map { $0.element ^ mask[$0.offset & 3] }
  }

  func testASocketIsToldWhatItAsksForAndWhy() {
    let client = socket("/prices?every=10")
    client.send(Self.frame(1, Array(#"{"follow": "sawyer"}"#.utf8)))
    _ = client.read(until: #"{"following":"Sawyer"}"#)
    XCTAssertTrue(client.read(until: #""place":"Sawyer""#, times: 3).contains("Sawyer"))
    client.send(Self.frame(1, Array(#"{"follow": "nowhere"}"#.utf8)))
    _ = client.read(until: "there is no place nowhere")
    client.send(Self.frame(1, Array("[".utf8)))
    _ = client.read(until: "what can be asked for")
    client.send(Self.frame(1, Array(#"{"follow": null}"#.utf8)))
    _ = client.read(until: #"{"following":null}"#)
    client.send(Self.frame(9, Array("are you there".utf8)))
    _ = client.read(until: "are you there")
    client.send(Self.frame(8, [0x03, 0xE8] + Array("bye".utf8)))
    let end = client.readToEnd()
    XCTAssertTrue(end.utf8.count >= 4, "it closes in order")
    XCTAssertFalse(end.contains("bye"))
  }

  func testAnEchoSendsBackEachText() {
    let client = socket("/echo")
    client.send(Self.frame(1, Array("héllo".utf8)))
    _ = client.read(until: "héllo")
    client.send(Self.frame(9, Array("are you there".utf8)))
    _ = client.read(until: "are you there")
    client.send(Self.frame(8, [0x03, 0xE8]))
    XCTAssertTrue(client.readToEnd().utf8.count >= 4, "it closes in order")
  }

  func testFramesAreReadInPiecesOfAnySizeAndJudged() {
    let frame = Self.frame
    let cases: [([UInt8], [SocketFrames.Event])] = [
      (frame(1, Array("héllo".utf8), true), [.text("héllo")]),
      (frame(1, [0x61], false) + frame(9, [7], true) + frame(0, [0x62], true), [.ping([7]), .text("ab")]),
      (
        frame(1, [UInt8](repeating: 0x61, count: 300), true) + frame(10, [], true),
        [.text(String(repeating: "a", count: 300)), .pong([])]
      ),
      (frame(8, [], true), [.close([])]), (frame(8, [3], true), [.failure(1002)]),
      (frame(2, [1], true), [.failure(1003)]), (frame(3, [1], true), [.failure(1002)]),
      (frame(0, [1], true), [.failure(1002)]), (frame(9, [1], false), [.failure(1002)]),
      (frame(1, [0x61], false) + frame(1, [0x61], true), [.failure(1002)]),
      (frame(1, [0xFF], true), [.failure(1007)]), ([0x81, 0x01, 0x61], [.failure(1002)]),
      ([0xC1, 0x81], [.failure(1002)]), ([0x81, 0xFF, 0, 0, 0, 0, 0, 1, 0, 0], [.failure(1009)]),
    ]
    for (bytes, expected) in cases {
      for piece in [1, 2, 3, bytes.count] {
        var frames = SocketFrames()
        var events: [SocketFrames.Event] = []
        for start in stride(from: 0, to: bytes.count, by: piece) {
          Array(bytes[start..<min(start + piece, bytes.count)]).withUnsafeBytes { frames.append($0) }
          while let event = frames.next() {
            events.append(event)
            if case .failure = event { break }
          }
          if case .failure = events.last { break }
        }
        XCTAssertEqual(events, expected, "\(bytes.prefix(12)) by \(piece)")
      }
    }
  }

  func testAServerThatStopsEndsWhatIsLive() {
    let clients = [socket(), socket()]
    let events = RawClient(port: server.port)
    events.send("GET /events?every=60000 HTTP/1.1\r\nHost: a\r\n\r\n")
    _ = events.read(until: "retry: 500")
    server.stop()
    for client in clients + [events] { XCTAssertEqual(client.readToEnd(), "") }
    XCTAssertEqual(server.counters.openConnections, 0)
  }

  func testAClientThatDoesNotReadHoldsNobodyUp() {
    // Nothing of this is taken from the kernel.
    let idle = RawClient(port: server.port)
    idle.send("GET /events?every=1 HTTP/1.1\r\nHost: a\r\n\r\n")
    for _ in 0..<50 {
      let client = RawClient(port: server.port)
      client.send("GET /events?every=1 HTTP/1.1\r\nHost: a\r\n\r\n")
      XCTAssertTrue(client.read(until: "event: price", times: 2).contains("id: "))
    }
    withExtendedLifetime(idle) {}
  }
}
