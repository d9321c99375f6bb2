@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitSockets

/// What a server sends to a client that sends every message back, and what the client must do: the scheme of the
/// Autobahn test suite, whose numbers the cases have.
struct ProtocolCase {
  /// How a client may end.
  enum End: Equatable {
    /// It returned the server's close frame with this code; nil for one without a code.
    case clean(UInt16?)
    /// It failed the connection with this code.
    case failed(UInt16)
  }

  var name: String
  /// What the server sends, frame by frame.
  var frames: [[UInt8]]
  /// What the client sends before its close frame, in order: opcode and payload.
  var expected: [(opcode: UInt8, payload: [UInt8])]
  var end: End

  init(
    _ name: String, _ frames: [[UInt8]], _ expected: [(UInt8, [UInt8])] = [], end: End = .clean(1000)
  ) {
    self.name = name
    // Where the case does not end by itself the server closes.
    self.frames = end == .clean(1000) ? frames + [ServerFrames.close(1000)] : frames
    self.expected = expected.map { (opcode: $0.0, payload: $0.1) }
    self.end = end
  }
}

extension ProtocolCase {
  /// Runs the case, however the bytes come: frame by frame, as a whole, and in small pieces.
  func check(file: StaticString = #filePath, line: UInt = #line) {
    let whole = Array(frames.joined())
    var ways: [(name: String, parts: [[UInt8]], piece: Int)] = [
      ("by frames", frames, .max), ("at once", [whole], .max),
    ]
    for piece in whole.count < 2000 ? [1, 2, 3] : [997] { ways.append(("by \(piece)", [whole], piece)) }
    for way in ways {
      var client = EchoingClient()
      for part in way.parts { client.receive(part, piece: min(way.piece, max(1, part.count))) }
      let name = "\(name), \(way.name)"
      var sent = ServerFrames.read(client.sent)
      let close = sent.last?.first == 0x88 ? sent.removeLast().payload : nil
      let messages: [SocketMessage] = expected.compactMap { opcode, payload in
        opcode == 1 ? .text(String(decoding: payload, as: UTF8.self)) : opcode == 2 ? .data(payload) : nil
      }
      XCTAssertTrue(client.received == messages, "\(name): other messages came", file: file, line: line)
      // With the end of the connection in the piece that ends a message, there is nobody to send that back to any more.
      if way.name == "by frames" || way.piece == 1 {
        XCTAssertEqual(sent.map { $0.first & 0x0F }, expected.map(\.opcode), name, file: file, line: line)
        XCTAssertTrue(
          sent.map(\.payload) == expected.map(\.payload), "\(name): other payloads", file: file, line: line)
      }
      let code = close.flatMap { $0.count >= 2 ? UInt16($0[0]) << 8 | UInt16($0[1]) : nil }
      let closing = client.closing()
      switch end {
      case .clean(let expected):
        XCTAssertEqual(code, expected, name, file: file, line: line)
        XCTAssertNotNil(close, name, file: file, line: line)
        XCTAssertEqual(closing.end, .clean, name, file: file, line: line)
        XCTAssertNil(closing.error, name, file: file, line: line)
      case .failed(let expected):
        XCTAssertEqual(code, expected, name, file: file, line: line)
        XCTAssertTrue(client.hasEndedSending, name, file: file, line: line)
        XCTAssertNotEqual(closing.end, .clean, name, file: file, line: line)
        XCTAssertNotNil(closing.error, name, file: file, line: line)
      }
    }
  }
}
