@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitSockets

/// The frames of a server, right and wrong (RFC 6455, 5; RFC 7692, 6).
final class WebSocketParserTests: XCTestCase {
  private typealias Event = WebSocketParser.Event

  private func parse(
    _ bytes: [UInt8], limit: Int = 1 << 20, deflate: Bool = false, in pieces: (Int) -> Int = { $0 }
  ) -> (events: [Event], violation: WebSocketParser.Violation?) {
    var parser = WebSocketParser(
      maximumBytes: limit,
      inflater: deflate ? { MessageInflater(windowBits: 15, keepsContext: true) } : nil)
    return parser.all(bytes, in: pieces)
  }

  private func code(_ bytes: [UInt8], limit: Int = 1 << 20, deflate: Bool = false) -> UInt16? {
    let whole = parse(bytes, limit: limit, deflate: deflate)
    let dripped = parse(bytes, limit: limit, deflate: deflate, in: { _ in 1 })
    XCTAssertEqual(whole.violation?.code, dripped.violation?.code)
    XCTAssertEqual(whole.events, dripped.events)
    return whole.violation?.code
  }

  private static func packed(_ messages: [String], keepsContext: Bool = true) -> [UInt8] {
    let deflater = MessageDeflater(windowBits: 15, keepsContext: keepsContext)
    return messages.flatMap { message in
      var out: [UInt8] = []
      Array(message.utf8).withUnsafeBufferPointer { deflater.pack($0, into: &out) }
      return ServerFrames.frame(1, out, reserved: 4)
    }
  }

  func testMessagesOfEachLengthFormArriveWhole() {
    for count in [0, 1, 125, 126, 127, 128, 65535, 65536, 70000] {
      let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      let parsed = parse(ServerFrames.frame(2, payload))
      XCTAssertEqual(parsed.events, [.data(payload)], "\(count)")
      XCTAssertNil(parsed.violation)
    }
  }

  func testFragmentsMakeOneMessageAndControlFramesComeBetweenThem() {
    let bytes =
      ServerFrames.text("Hel", isLast: false) + ServerFrames.frame(9, [1, 2])
      + ServerFrames.frame(0, [], isLast: false)
      + ServerFrames.frame(10, [3]) + ServerFrames.frame(0, Array("lo".utf8)) + ServerFrames.frame(2, [7])
    XCTAssertEqual(
      parse(bytes).events, [.ping([1, 2]), .pong([3]), .text("Hello"), .data([7])])
  }

  func testTheTimeOfALongMessageGrowsWithTheNumberOfItsFragments() {
    let (count, payload) = (80_000, [UInt8](repeating: 65, count: 100))
    var bytes = ServerFrames.frame(2, payload, isLast: false)
    let middle = ServerFrames.frame(0, payload, isLast: false)
    for _ in 2..<count { bytes += middle }
    bytes += ServerFrames.frame(0, payload)
    let start = Duration.ofProcessor
    let parsed = parse(bytes, limit: 16 << 20)
    XCTAssertEqual(parsed.events, [.data([UInt8](repeating: 65, count: count * payload.count))])
    XCTAssertLessThan(
      .ofProcessor - start, .seconds(4), "it was 12 seconds, and four times that for twice as many")
  }

  func testWhatBreaksTheProtocolIsTold1002() {
    let frame = ServerFrames.frame
    let cases: [(String, [UInt8])] = [
      ("masked", frame(1, [], true, 0, .shortest, true)),
      ("RSV1 without compression", frame(1, [], true, 4, .shortest, false)),
      ("RSV2", frame(1, [], true, 2, .shortest, false)),
      ("RSV3", frame(2, [], true, 1, .shortest, false)),
      ("opcode 3", frame(3, [], true, 0, .shortest, false)),
      ("opcode 7", frame(7, [], true, 0, .shortest, false)),
      ("opcode 11", frame(11, [], true, 0, .shortest, false)),
      ("opcode 15", frame(15, [], true, 0, .shortest, false)),
      ("a fragmented ping", frame(9, [], false, 0, .shortest, false)),
      ("a fragmented close", frame(8, [], false, 0, .shortest, false)),
      ("a ping of 126 bytes", frame(9, [UInt8](repeating: 0, count: 126), true, 0, .shortest, false)),
      ("a stray continuation", frame(0, [1], true, 0, .shortest, false)),
      ("a stray continuation that goes on", frame(0, [1], false, 0, .shortest, false)),
      ("a message within another", ServerFrames.text("a", isLast: false) + ServerFrames.text("b")),
      (
        "a data message within a text",
        ServerFrames.text("a", isLast: false) + frame(2, [1], true, 0, .shortest, false)
      ),
      ("a length in two bytes that fits one", frame(1, [65], true, 0, .two, false)),
      ("a length in eight bytes that fits one", frame(1, [65], true, 0, .eight, false)),
      (
        "a length in eight bytes that fits two",
        frame(2, [UInt8](repeating: 0, count: 300), true, 0, .eight, false)
      ),
      ("a length with its highest bit", [0x82, 127, 0x80, 0, 0, 0, 0, 0, 0, 1]),
      ("a close frame with half a code", frame(8, [3], true, 0, .shortest, false)),
    ]
    for (name, bytes) in cases { XCTAssertEqual(code(bytes), 1002, name) }
  }

  func testOnlyTheCodesOfTheRFCMayStandInACloseFrame() {
    for good: UInt16 in [
      1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999,
    ] {
      let parsed = parse(ServerFrames.close(good, Array("why".utf8)))
      XCTAssertEqual(parsed.events, [.close(code: good, reason: "why")], "\(good)")
    }
    for bad: UInt16 in [0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535] {
      XCTAssertEqual(code(ServerFrames.close(bad)), 1002, "\(bad)")
    }
    XCTAssertEqual(parse(ServerFrames.close()).events, [.close(code: nil, reason: "")])
    XCTAssertEqual(code(ServerFrames.close(1000, [0xC3, 0x28])), 1007)
  }

  func testNothingBehindACloseFrameCounts() {
    let parsed = parse(ServerFrames.close(1000) + ServerFrames.text("late") + [0xFF, 0xFF])
    XCTAssertEqual(parsed.events, [.close(code: 1000, reason: "")])
    XCTAssertNil(parsed.violation)
  }

  func testATextThatIsNoUTF8IsFoundAtItsFirstWrongByte() {
    // The rest of the frame has not come yet.
    let begun = Array(ServerFrames.frame(1, Array("κόσμε".utf8) + [0xF4, 0x90, 0x80, 0x80, 65]).prefix(14))
    XCTAssertEqual(code(begun), 1007)
    XCTAssertEqual(code(ServerFrames.frame(1, [0xCE])), 1007, "cut within a character")
    XCTAssertEqual(code(ServerFrames.frame(1, [0xED, 0xA0, 0x80])), 1007, "a surrogate")
    // Across fragments a character may be split.
    let split = ServerFrames.frame(1, [0xE2, 0x82], isLast: false) + ServerFrames.frame(0, [0xAC])
    XCTAssertEqual(parse(split).events, [.text("€")])
    XCTAssertEqual(code(ServerFrames.frame(1, [0xE2], isLast: false) + ServerFrames.frame(0, [0x28])), 1007)
    // Bytes may be anything.
    XCTAssertEqual(parse(ServerFrames.frame(2, [0xFF, 0xC0])).events, [.data([0xFF, 0xC0])])
  }

  func testAMessageBeyondTheLimitIsRefusedAtItsLength() {
    XCTAssertEqual(parse(ServerFrames.frame(2, [1, 2, 3, 4]), limit: 4).events, [.data([1, 2, 3, 4])])
    XCTAssertEqual(code(Array(ServerFrames.frame(2, [1, 2, 3, 4, 5]).prefix(2)), limit: 4), 1009)
    // 2^62 bytes are announced, and none is reserved.
    XCTAssertEqual(code([0x82, 127, 0x40, 0, 0, 0, 0, 0, 0, 0], limit: 1 << 20), 1009)
    let fragments = ServerFrames.frame(2, [1, 2, 3], isLast: false) + ServerFrames.frame(0, [4, 5])
    XCTAssertEqual(code(fragments, limit: 4), 1009)
  }

  func testCompressedMessagesAreUnpackedWithTheirContext() {
    let texts = ["hello hello hello", "hello hello hello", String(repeating: "wörld ", count: 9000)]
    XCTAssertEqual(parse(Self.packed(texts), deflate: true).events, texts.map { .text($0) })
    // The example of RFC 7692, 7.2.3.1, and in two frames, of which only the first is marked.
    let hello: [UInt8] = [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]
    XCTAssertEqual(parse(ServerFrames.frame(1, hello, reserved: 4), deflate: true).events, [.text("Hello")])
    let two =
      ServerFrames.frame(1, Array(hello[..<3]), isLast: false, reserved: 4) + ServerFrames.frame(9)
      + ServerFrames.frame(0, Array(hello[3...]))
    XCTAssertEqual(parse(two, deflate: true).events, [.ping([]), .text("Hello")])
    // A block that is marked as the last (7.2.3.4), twice.
    let last: [UInt8] = [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00]
    let twice = ServerFrames.frame(1, last, reserved: 4) + ServerFrames.frame(1, last, reserved: 4)
    XCTAssertEqual(parse(twice, deflate: true).events, [.text("Hello"), .text("Hello")])
    // An uncompressed one between compressed ones.
    let mixed = Self.packed(["a a a a"]) + ServerFrames.text("plain")
    XCTAssertEqual(parse(mixed, deflate: true).events, [.text("a a a a"), .text("plain")])
  }

  func testCompressedMessagesComeWithoutALimit() {
    XCTAssertEqual(
      parse(Self.packed(["hello hello"]), limit: .max, deflate: true).events, [.text("hello hello")])
  }

  func testWhatCompressedFramesMayNotDo() {
    let part = ServerFrames.frame(1, [0xF2], isLast: false, reserved: 4)
    XCTAssertEqual(code(part + ServerFrames.frame(0, [0x48], reserved: 4), deflate: true), 1002)
    XCTAssertEqual(code(ServerFrames.frame(9, [], reserved: 4), deflate: true), 1002)
    XCTAssertEqual(code(ServerFrames.frame(1, [0xFF, 0xFF, 0xFF], reserved: 4), deflate: true), 1007)
    XCTAssertEqual(code(Self.packed([String(decoding: [0x41], as: UTF8.self)]), deflate: true), nil)
  }

  func testInflatedBytesAreCountedAsTheyCome() {
    let bomb = Self.packed([String(repeating: "0", count: 50 << 20)])
    XCTAssertLessThan(bomb.count, 100_000)
    XCTAssertEqual(parse(bomb, limit: 1 << 20, deflate: true).violation?.code, 1009)
    // Stored blocks without content unpack to nothing, and must not come without end.
    let nothing = (0..<2000).flatMap { _ -> [UInt8] in [0x00, 0x00, 0x00, 0xFF, 0xFF] }
    var frames = ServerFrames.frame(2, nothing, isLast: false, reserved: 4)
    for _ in 0..<3 { frames += ServerFrames.frame(0, nothing, isLast: false) }
    XCTAssertEqual(parse(frames, limit: 4096, deflate: true).violation?.code, 1009)
  }

  func testUnpackedTextIsCheckedToo() {
    let deflater = MessageDeflater(windowBits: 15, keepsContext: true)
    var out: [UInt8] = []
    ([0x41, 0xC3, 0x28] as [UInt8]).withUnsafeBufferPointer { deflater.pack($0, into: &out) }
    XCTAssertEqual(code(ServerFrames.frame(1, out, reserved: 4), deflate: true), 1007)
    XCTAssertNil(code(ServerFrames.frame(2, out, reserved: 4), deflate: true))
  }

  /// The oracle of the fuzzing: however the bytes are cut into pieces, the same comes of them.
  func testAnyChunkingGivesTheSameEvents() {
    var generator = SeededGenerator(seed: 0x6455)
    for round in 0..<400 {
      var bytes: [UInt8] = []
      for _ in 0..<Int.random(in: 1...8, using: &generator) { bytes += Self.randomFrame(&generator) }
      let whole = parse(bytes, limit: 600, deflate: true)
      for _ in 0..<4 {
        let pieces = parse(bytes, limit: 600, deflate: true) { _ in Int.random(in: 1...40, using: &generator)
        }
        // A whole frame may hold more than one fault; what came before is the same.
        XCTAssertEqual(whole.events, pieces.events, "round \(round)")
        XCTAssertEqual(whole.violation == nil, pieces.violation == nil, "round \(round)")
      }
    }
  }

  private static func randomFrame(_ generator: inout SeededGenerator) -> [UInt8] {
    let kind = Int.random(in: 0..<12, using: &generator)
    let count = Int.random(in: 0...200, using: &generator)
    let ascii = (0..<count).map { _ in UInt8.random(in: 0x20...0x7E, using: &generator) }
    switch kind {
    case 0: return ServerFrames.frame(1, ascii)
    case 1: return ServerFrames.frame(2, ascii.map { $0 | 0x80 })
    case 2: return ServerFrames.frame(1, Array("añ€𝄞".utf8), isLast: false) + ServerFrames.frame(0, ascii)
    case 3: return ServerFrames.frame(9, Array(ascii.prefix(125)))
    case 4: return ServerFrames.frame(10, Array(ascii.prefix(125)))
    case 5, 6: return packed([String(decoding: ascii + [0x20], as: UTF8.self)], keepsContext: false)
    case 7: return ServerFrames.frame(2, [UInt8](repeating: 1, count: 700))
    case 8: return ServerFrames.frame(1, ascii.map { $0 | 0x80 })
    case 9: return ServerFrames.close(1000, ascii.count <= 123 ? ascii : [])
    case 10: return (0..<count % 20).map { _ in UInt8.random(in: 0...255, using: &generator) }
    default:
      return ServerFrames.frame(2, ascii, isLast: false) + ServerFrames.frame(9)
        + ServerFrames.frame(0, ascii)
    }
  }
}

extension WebSocketParser {
  /// Parses bytes in pieces and gives what came of them.
  mutating func all(
    _ bytes: [UInt8], in pieces: (Int) -> Int = { $0 }
  ) -> (events: [Event], violation: Violation?) {
    var events: [Event] = []
    var index = 0
    while index < bytes.count {
      let count = min(max(1, pieces(bytes.count - index)), bytes.count - index)
      do throws(Violation) {
        _ = try Array(bytes[index..<(index + count)]).withUnsafeBufferPointer { (piece) throws(Violation) in
          try parse(UnsafeRawBufferPointer(piece)) {
            events.append($0)
            return true
          }
        }
      } catch {
        return (events, error)
      }
      index += count
    }
    return (events, nil)
  }
}
