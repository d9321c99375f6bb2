@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitSockets

/// The cases of the Autobahn test suite for clients, by its numbers, from the text of RFC 6455 and RFC 7692.
final class ProtocolCaseTests: XCTestCase {
  private typealias Sent = (UInt8, [UInt8])
  private func text(_ payload: [UInt8]) -> Sent { (1, payload) }
  private func data(_ payload: [UInt8]) -> Sent { (2, payload) }
  private func pong(_ payload: [UInt8]) -> Sent { (10, payload) }

  private func frame(
    _ opcode: UInt8, _ payload: [UInt8] = [], isLast: Bool = true, reserved: UInt8 = 0
  ) -> [UInt8] { ServerFrames.frame(opcode, payload, isLast: isLast, reserved: reserved) }

  private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
  private func check(_ cases: [ProtocolCase]) { for one in cases { one.check() } }

  /// The fragments of a message.
  private func fragments(_ opcode: UInt8, _ parts: [[UInt8]]) -> [[UInt8]] {
    parts.enumerated().map { index, part in
      frame(index == 0 ? opcode : 0, part, isLast: index == parts.count - 1)
    }
  }

  func test1FramesOfEachLength() {
    for (index, count) in [0, 125, 126, 127, 128, 65535, 65536, 65536].enumerated() {
      let (star, any) = ([UInt8](repeating: 0x2A, count: count), [UInt8](repeating: 0xFE, count: count))
      ProtocolCase("1.1.\(index + 1)", [frame(1, star)], [text(star)]).check()
      ProtocolCase("1.2.\(index + 1)", [frame(2, any)], [data(any)]).check()
    }
  }

  func test2PingsAndPongs() {
    let long = [UInt8](repeating: 0xFE, count: 125)
    let ten = (1...10).map { bytes("payload-\($0)") }
    check([
      .init("2.1", [frame(9)], [pong([])]),
      .init("2.2", [frame(9, bytes("Hello, world!"))], [pong(bytes("Hello, world!"))]),
      .init("2.3", [frame(9, [0, 0xFF, 0xFE, 0xFD, 0])], [pong([0, 0xFF, 0xFE, 0xFD, 0])]),
      .init("2.4, 2.6", [frame(9, long)], [pong(long)]),
      .init("2.5", [frame(9, long + [0xFE])], end: .failed(1002)),
      .init("2.7", [frame(10)]), .init("2.8", [frame(10, bytes("unsolicited"))]),
      .init("2.9", [frame(10, bytes("unsolicited")), frame(9, bytes("ping"))], [pong(bytes("ping"))]),
      .init("2.10, 2.11", ten.map { frame(9, $0) }, ten.map { pong($0) }),
    ])
  }

  func test3ReservedBits() {
    let hello = bytes("Hello, world!")
    check([
      .init("3.1", [frame(1, hello, reserved: 1)], end: .failed(1002)),
      .init(
        "3.2 to 3.4", [frame(1, hello), frame(1, hello, reserved: 2), frame(9)], [text(hello)],
        end: .failed(1002)),
      .init(
        "3.3", [frame(1, hello), frame(1, hello, reserved: 3), frame(9)], [text(hello)], end: .failed(1002)),
      .init(
        "3.4", [frame(1, hello), frame(1, hello, reserved: 4), frame(9)], [text(hello)], end: .failed(1002)),
      .init("3.5", [frame(2, [0, 0xFF], reserved: 5)], end: .failed(1002)),
      .init("3.6", [frame(9, hello, reserved: 6)], end: .failed(1002)),
      .init("3.7", [frame(8, [3, 0xE8], reserved: 7)], end: .failed(1002)),
    ])
  }

  func test4Opcodes() {
    let hello = bytes("Hello, world!")
    for (group, opcodes) in [("4.1", 3...7), ("4.2", 11...15)] {
      for opcode in opcodes.map(UInt8.init) {
        check([
          .init("\(group), \(opcode)", [frame(opcode)], end: .failed(1002)),
          .init("\(group), \(opcode) with a payload", [frame(opcode, hello)], end: .failed(1002)),
          .init(
            "\(group), \(opcode) behind a text", [frame(1, hello), frame(opcode, hello), frame(9)],
            [text(hello)],
            end: .failed(1002)),
        ])
      }
    }
  }

  func test5Fragments() {
    let (one, two) = (bytes("fragment1"), bytes("fragment2"))
    let five = (1...5).map { bytes("fragment\($0)") }
    let pings = [bytes("pongme 1!"), bytes("pongme 2!")]
    let parts = fragments(1, five)
    check([
      .init("5.1", fragments(9, [one, two]), end: .failed(1002)),
      .init("5.2", fragments(10, [one, two]), end: .failed(1002)),
      .init("5.3 to 5.5", fragments(1, [one, two]), [text(one + two)]),
      .init(
        "5.6 to 5.8", [fragments(1, [one, two])[0], frame(9, bytes("ping")), fragments(1, [one, two])[1]],
        [pong(bytes("ping")), text(one + two)]),
      .init("5.9 to 5.11", [frame(0, one), frame(1, two)], end: .failed(1002)),
      .init("5.12 to 5.14", [frame(0, one, isLast: false), frame(1, two)], end: .failed(1002)),
      .init(
        "5.15", fragments(1, [one, two]) + [frame(0, one, isLast: false), frame(1, two)], [text(one + two)],
        end: .failed(1002)),
      .init(
        "5.16", [frame(0, one, isLast: false), frame(1, two, isLast: false), frame(0, two)],
        end: .failed(1002)),
      .init("5.17", [frame(0, one), frame(1, two, isLast: false), frame(0, two)], end: .failed(1002)),
      .init("5.18", [frame(1, one, isLast: false), frame(1, two, isLast: false)], end: .failed(1002)),
      .init(
        "5.19, 5.20",
        [parts[0], parts[1], frame(9, pings[0]), parts[2], parts[3], frame(9, pings[1]), parts[4]],
        [pong(pings[0]), pong(pings[1]), text(Array(five.joined()))]),
    ])
  }

  func test6Texts() {
    let greek = bytes("Hello-µ@ßöäüàá-UTF-8!!")
    let broken: [UInt8] = bytes("κόσμε") + [0xED, 0xA0, 0x80] + bytes("edited")
    check([
      .init("6.1.1", [frame(1)], [text([])]),
      .init("6.1.2", fragments(1, [[], [], []]), [text([])]),
      .init("6.1.3", fragments(1, [[], bytes("middle"), []]), [text(bytes("middle"))]),
      .init("6.2.1", [frame(1, greek)], [text(greek)]),
      .init("6.2.2", fragments(1, [Array(greek.prefix(12)), Array(greek.dropFirst(12))]), [text(greek)]),
      .init("6.2.3", fragments(1, greek.map { [$0] }), [text(greek)]),
      .init("6.2.4", fragments(1, bytes("κόσμε").map { [$0] }), [text(bytes("κόσμε"))]),
      .init("6.3.1", [frame(1, broken)], end: .failed(1007)),
      .init("6.3.2", fragments(1, broken.map { [$0] }), end: .failed(1007)),
      // At once: the rest of the message never comes.
      .init(
        "6.4.1",
        [frame(1, bytes("κόσμε"), isLast: false), frame(0, [0xF4, 0x90, 0x80, 0x80], isLast: false)],
        end: .failed(1007)),
      .init(
        "6.4.2", [frame(1, bytes("κόσμε") + [0xF4], isLast: false), frame(0, [0x90], isLast: false)],
        end: .failed(1007)),
      .init(
        "6.4.3", [Array(frame(1, bytes("κόσμε") + [0xF4, 0x90, 0x80, 0x80] + bytes("edited")).prefix(15))],
        end: .failed(1007)),
      .init("6.4.4", [Array(frame(1, bytes("κόσμε") + [0xF4, 0x90, 0x80]).prefix(15))], end: .failed(1007)),
    ])
  }

  func test6SequencesOfUTF8() {
    for (name, sequence, isValid) in UTF8Sequences.all {
      ProtocolCase(
        name, [frame(1, sequence)], isValid ? [text(sequence)] : [],
        end: isValid ? .clean(1000) : .failed(1007)
      ).check()
      guard sequence.count > 1 else { continue }
      ProtocolCase(
        "\(name), in fragments", fragments(1, sequence.map { [$0] }), isValid ? [text(sequence)] : [],
        end: isValid ? .clean(1000) : .failed(1007)
      ).check()
    }
  }

  func test7Closing() {
    let (hello, normal) = (bytes("Hello World!"), ServerFrames.close(1000))
    let large = [UInt8](repeating: 0x42, count: 256 << 10)
    let reason = [UInt8](repeating: 0x2A, count: 123)
    let clean = ProtocolCase.End.clean(1000)
    check([
      .init("7.1.1", [frame(1, hello)], [text(hello)]),
      .init("7.1.2", [normal]), .init("7.1.3", [normal, frame(9)]),
      .init("7.1.4", [normal, frame(1, hello)]),
      .init("7.1.5", [frame(1, hello, isLast: false), normal, frame(0, hello)]),
      .init("7.1.6", [frame(1, large), normal, frame(9)], [text(large)]),
      .init("7.3.1", [ServerFrames.close()], end: .clean(nil)),
      .init("7.3.2", [frame(8, [0x61])], end: .failed(1002)),
      .init("7.3.3", [normal], end: clean),
      .init("7.3.4", [ServerFrames.close(1000, hello)], end: clean),
      .init("7.3.5", [ServerFrames.close(1000, reason)], end: clean),
      .init("7.3.6", [ServerFrames.close(1000, reason + [0x2A])], end: .failed(1002)),
      .init("7.5.1", [ServerFrames.close(1000, [0xCE, 0xBA, 0xED, 0xA0, 0x80])], end: .failed(1007)),
    ])
    for code: UInt16 in [
      1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999,
    ] {
      ProtocolCase("7.7, \(code)", [ServerFrames.close(code, hello)], end: .clean(code)).check()
    }
    for code: UInt16 in [0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535] {
      ProtocolCase("7.9, 7.13, \(code)", [ServerFrames.close(code, hello)], end: .failed(1002)).check()
    }
  }

  func test9And10LargeAndManyMessages() {
    for (index, size) in [64 << 10, 256 << 10].enumerated() {
      let (star, any) = ([UInt8](repeating: 0x2A, count: size), [UInt8](repeating: 0xFE, count: size))
      ProtocolCase("9.1.\(index + 1)", [frame(1, star)], [text(star)]).check()
      ProtocolCase("9.2.\(index + 1)", [frame(2, any)], [data(any)]).check()
    }
    let body = [UInt8](repeating: 0x2A, count: 256 << 10)
    for size in [64, 16 << 10] {
      let parts = stride(from: 0, to: body.count, by: size).map {
        Array(body[$0..<min(body.count, $0 + size)])
      }
      ProtocolCase("9.3, 9.4 by \(size)", fragments(1, parts), [text(body)]).check()
    }
    for size in [0, 16, 64, 256, 1024, 4096] {
      let message = [UInt8](repeating: 0x2A, count: size)
      let many = Array(repeating: message, count: 100)
      ProtocolCase("9.7, 9.8 of \(size)", many.map { frame(2, $0) }, many.map { data($0) }).check()
    }
    let auto = [UInt8](repeating: 0x2A, count: 65536)
    let parts = stride(from: 0, to: auto.count, by: 1300).map { Array(auto[$0..<min(auto.count, $0 + 1300)]) }
    ProtocolCase("10.1.1", fragments(1, parts), [text(auto)]).check()
  }
}
