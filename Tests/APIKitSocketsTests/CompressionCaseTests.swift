@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitSockets

/// The cases 12 and 13 of the Autobahn test suite: compressed messages of many sizes under all agreements
/// (permessage-deflate, RFC 7692).
final class CompressionCaseTests: XCTestCase {
  private static let agreements: [(String, DeflateTerms)] = [
    ("13.1", DeflateTerms(clientBits: 12, serverBits: 15)),
    ("13.2", DeflateTerms(clientBits: 12, serverBits: 15, serverKeepsContext: false)),
    ("13.3", DeflateTerms(clientBits: 9, serverBits: 9)),
    ("13.4", DeflateTerms(clientBits: 15, serverBits: 15)),
    (
      "13.5", DeflateTerms(clientBits: 9, serverBits: 9, clientKeepsContext: false, serverKeepsContext: false)
    ),
    (
      "13.6",
      DeflateTerms(clientBits: 15, serverBits: 15, clientKeepsContext: false, serverKeepsContext: false)
    ),
    ("13.7", DeflateTerms(clientBits: 12, serverBits: 12, clientKeepsContext: false)),
  ]

  /// Text as an API sends it, of so many bytes.
  private static func json(_ count: Int, _ generator: inout SeededGenerator) -> [UInt8] {
    var text = "["
    while text.utf8.count < count {
      text +=
        #"{"id":\#(Int.random(in: 0..<99_999, using: &generator)),"city":"Sūzhōu 苏州","price":\#(text.utf8.count)},"#
    }
    var bytes = Array(text.utf8.prefix(count))
    // Spaces in the place of a character that was cut.
    while String(wellFormed: bytes, as: UTF8.self) == nil { bytes.removeLast() }
    return bytes + [UInt8](repeating: 0x20, count: count - bytes.count)
  }

  private func check(_ name: String, _ terms: DeflateTerms, _ messages: [[UInt8]], fragment: Int? = nil) {
    let server = MessageDeflater(windowBits: terms.serverBits, keepsContext: terms.serverKeepsContext)
    let reader = MessageInflater(windowBits: terms.clientBits, keepsContext: terms.clientKeepsContext)
    var client = EchoingClient(terms) { $0.compressesFrom = 64 }
    var wire: [UInt8] = []
    for message in messages {
      var packed: [UInt8] = []
      message.withUnsafeBufferPointer { server.pack($0, into: &packed) }
      let size = fragment ?? max(1, packed.count)
      var starts = Array(stride(from: 0, to: packed.count, by: size))
      if starts.isEmpty { starts = [0] }
      for start in starts {
        let part = Array(packed[start..<min(packed.count, start + size)])
        wire += ServerFrames.frame(
          start == 0 ? 1 : 0, part, isLast: start + size >= packed.count, reserved: start == 0 ? 4 : 0)
      }
    }
    client.receive(wire, piece: 1500)
    client.receive(ServerFrames.close(1000), piece: 1500)
    let sent = ServerFrames.read(client.sent)
    XCTAssertEqual(sent.count, messages.count + 1, name)
    for (message, frame) in zip(messages, sent) {
      XCTAssertEqual(frame.first, message.count >= 64 ? 0xC1 : 0x81, name)
      guard frame.first == 0xC1 else {
        XCTAssertEqual(frame.payload, message, name)
        continue
      }
      var unpacked: [UInt8] = []
      let isGood = frame.payload.withUnsafeBufferPointer {
        reader.unpack($0, into: &unpacked, atMost: 1 << 20) && reader.finish(into: &unpacked, atMost: 1 << 20)
      }
      XCTAssertTrue(isGood, name)
      XCTAssertTrue(unpacked == message, "\(name): another text came back")
    }
    XCTAssertEqual(client.closing().end, .clean, name)
  }

  func test12MessagesOfEachSize() {
    var generator = SeededGenerator(seed: 12)
    for size in [16, 64, 256, 1024, 4096, 8192, 16384, 32768, 65536, 131_072] {
      let messages = (0..<max(2, 40_000 / size)).map { _ in Self.json(size, &generator) }
      check("12.1, \(size)", Self.agreements[0].1, messages)
      if size >= 8192 { check("12.2, \(size)", Self.agreements[0].1, messages, fragment: 256) }
    }
  }

  func test13EachAgreement() {
    for (name, terms) in Self.agreements {
      var generator = SeededGenerator(seed: 13)
      let messages = [16, 100, 1000, 10_000, 40_000, 1000, 0].map { Self.json($0, &generator) }
      check(name, terms, messages)
      check("\(name), in fragments", terms, messages, fragment: 100)
    }
  }
}
