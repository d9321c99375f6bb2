@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitSockets

/// The oracle of the fuzzer over random inputs, from what the machines know; `Scripts/fuzz` goes on where this ends.
final class ChunkingOracleTests: XCTestCase {
  private static let seeds: [[UInt8]] = [
    ServerFrames.text("Hel", isLast: false) + ServerFrames.frame(9, [1, 2])
      + ServerFrames.frame(0, Array("lo".utf8))
      + ServerFrames.close(1001, Array("bye".utf8)),
    ServerFrames.frame(1, [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00], reserved: 4)
      + ServerFrames.frame(2, [7]),
    ServerFrames.frame(2, [UInt8](repeating: 9, count: 300)) + ServerFrames.frame(10, [3]),
    Array(
      "HTTP/1.1 103 Early\r\nA: 1\r\n\r\nHTTP/1.1 101 S\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nrest"
        .utf8),
    Array(
      "HTTP/1.1 403 No\r\nTransfer-Encoding: chunked\r\n\r\n3;x\r\nno \r\n2\r\nab\r\n0\r\nT: 1\r\n\r\n".utf8),
    Array("\u{FEFF}: c\nevent: a\r\nid: 5\rdata: x\r\ndata\n\nretry: 30\nid\ndata: é\n\n".utf8),
    Array("{\"a\":1}\n\n[2]\r\nno\n3".utf8), Array("\u{1E}{\"a\":\n1}\n\u{1E}12\u{1E}\"x\"\n".utf8),
    Array("permessage-deflate; server_max_window_bits=10; client_max_window_bits=9\nchat".utf8),
    [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0x4B, 0x4C, 0x4A, 6, 0, 0xC2, 0x41, 0x24, 0x35, 3, 0, 0, 0],
    [0x78, 0x9C, 0x4B, 0x4C, 0x4A, 6, 0, 0x02, 0x4D, 1, 0x27],
  ]

  func testInWhateverPiecesBytesComeTheSameComesOfThem() {
    for seed in Self.seeds { XCTAssertNil(ChunkingOracle.complaint(about: seed)) }
    var generator = SeededGenerator(seed: 0x5EED)
    for round in 0..<400 {
      var bytes = Self.seeds.randomElement(using: &generator) ?? []
      for _ in 0..<Int.random(in: 1...4, using: &generator) { Self.mutate(&bytes, &generator) }
      if let complaint = ChunkingOracle.complaint(about: bytes) {
        return XCTFail("round \(round), \(bytes): \(complaint)")
      }
    }
  }

  private static func mutate(_ bytes: inout [UInt8], _ generator: inout SeededGenerator) {
    let place = Int.random(in: 0...bytes.count, using: &generator)
    switch Int.random(in: 0..<5, using: &generator) {
    case 0: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: place)
    case 1: if place < bytes.count { bytes.remove(at: place) }
    case 2: if place < bytes.count { bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &generator) }
    case 3: bytes = Array(bytes[..<place]) + (seeds.randomElement(using: &generator) ?? [])
    default: bytes += Array(bytes[place...])
    }
  }
}
