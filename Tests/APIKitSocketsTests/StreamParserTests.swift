@testable import TestSupport
import XCTest

@testable import APIKit
@testable import APIKitSockets

/// Server-sent events by the WHATWG's rules, and streams of values.
final class StreamParserTests: XCTestCase {
  private func parse<Parser: StreamParser>(
    _ parser: Parser, _ bytes: [UInt8], pieces: (Int) -> Int = { $0 }
  ) throws -> (items: [Parser.Item], parser: Parser) {
    var parser = parser
    var items: [Parser.Item] = []
    var index = 0
    while index < bytes.count {
      let count = min(max(1, pieces(bytes.count - index)), bytes.count - index)
      try Array(bytes[index..<(index + count)]).withUnsafeBufferPointer { (part) throws(APIError) in
        try parser.take(UnsafeRawBufferPointer(part), into: &items)
      }
      index += count
    }
    try parser.finish(into: &items)
    return (items, parser)
  }

  private func events(_ text: String, pieces: (Int) -> Int = { $0 }) throws -> [ServerEvent] {
    try parse(EventStreamParser(maximumBytes: 1 << 20), Array(text.utf8), pieces: pieces).items
  }

  private func data(_ text: String) throws -> [String] { try events(text).map(\.data) }

  // MARK: Events

  func testTheExamplesOfTheStandard() throws {
    XCTAssertEqual(try data("data: YHOO\ndata: +2\ndata: 10\n\n"), ["YHOO\n+2\n10"])
    let four = ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n"
    XCTAssertEqual(
      try events(four), [ServerEvent(data: "first event", id: "1"), ServerEvent(data: "second event")])
    XCTAssertEqual(try data("data\n\ndata\ndata\n\ndata:"), ["", "\n"])
    XCTAssertEqual(try data("data:test\n\ndata: test\n\n"), ["test", "test"])
  }

  func testLinesEndWithCRLFAndBoth() throws {
    XCTAssertEqual(
      try data("data:a\r\rdata:b\n\ndata:c\r\n\r\ndata:d\r\n\ndata:e\n\rdata:f\r\n\r"),
      ["a", "b", "c", "d", "e", "f"])
    XCTAssertEqual(try data("data:a\r\ndata:b\rdata:c\n\n"), ["a\nb\nc"])
  }

  func testFieldsAndTheirRules() throws {
    XCTAssertEqual(
      try events("event: add\ndata: 1\n\ndata: 2\n\nevent: x\n\ndata: 3\n\n"),
      [ServerEvent(type: "add", data: "1"), ServerEvent(data: "2"), ServerEvent(data: "3")])
    // An id stays, is emptied by an empty one, and counts for nothing with a NUL.
    XCTAssertEqual(
      try events("id: 7\ndata:a\n\ndata:b\n\nid: 8\u{0}\ndata:c\n\nid\ndata:d\n\n").map(\.id),
      ["7", "7", "7", ""])
    // Unknown fields, comments and fields in other cases are passed over; a second space is data.
    XCTAssertEqual(
      try data("Data: no\n:data: no\nfoo: no\ndatax: no\ndata\u{20}: no\ndata:  two\n\n"), [" two"])
    XCTAssertEqual(try data("data:\n\n"), [""])
    XCTAssertEqual(try data("data: unfinished\nid: 9\n"), [])
    // A combining mark behind the colon is data.
    XCTAssertEqual(try data("data:\u{301}e\n\n").map { Array($0.utf8) }, [[0xCC, 0x81, 0x65]])
    XCTAssertEqual(try data("data: a\u{85}b\u{2028}c\n\n"), ["a\u{85}b\u{2028}c"], "no line ends of Unicode")
  }

  func testAByteOrderMarkCountsOnceAtTheBeginning() throws {
    for piece in 1...4 {
      XCTAssertEqual(
        try events("\u{FEFF}data:a\n\n\u{FEFF}data:b\n\n", pieces: { _ in piece }).map(\.data), ["a"])
    }
    // Its first byte alone is data of a line that says nothing.
    let bytes: [UInt8] = [0xEF, 0xBB] + Array("data:x\n\ndata:y\n\n".utf8)
    XCTAssertEqual(
      try parse(EventStreamParser(maximumBytes: 100), bytes, pieces: { _ in 1 }).items.map(\.data), ["y"])
  }

  func testMalformedUTF8IsReplaced() throws {
    let bytes = Array("data: a".utf8) + [0xFF] + Array("b\n\n".utf8)
    XCTAssertEqual(try parse(EventStreamParser(maximumBytes: 100), bytes).items.map(\.data), ["a\u{FFFD}b"])
  }

  func testRetryIsDigitsOnlyAndCapped() throws {
    func retry(_ text: String) throws -> Duration {
      try parse(EventStreamParser(maximumBytes: 1000), Array(text.utf8)).parser.retry ?? .zero
    }
    XCTAssertEqual(try retry("retry: 1500\n"), .milliseconds(1500))
    for bad in ["retry: 1.5\n", "retry: -1\n", "retry: 5s\n", "retry:\n", "retry\n", "retry: ١\n"] {
      XCTAssertEqual(try retry(bad), .zero, bad)
    }
    XCTAssertEqual(try retry("retry: 99999999999999999999999999\n"), EventStreamParser.longestRetry)
  }

  func testAnIDWithoutAnEventIsWhereTheStreamGoesOn() throws {
    let parsed = try parse(EventStreamParser(maximumBytes: 100), Array("id: 4\n\nid: 5\ndata: cut".utf8))
    XCTAssertEqual(parsed.parser.resumesAt, "4")
  }

  func testAnEventBeyondTheLimitFails() {
    for text in [
      "data: " + String(repeating: "x", count: 200), String(repeating: "data: 0123456789\n", count: 20),
    ] {
      XCTAssertThrowsError(try parse(EventStreamParser(maximumBytes: 100), Array(text.utf8))) {
        XCTAssertEqual(($0 as? APIError)?.reason, .responseTooLarge)
      }
    }
  }

  func testAnyChunkingGivesTheSameEvents() throws {
    var generator = SeededGenerator(seed: 5)
    let parts = [
      "data", "event", "id", "retry", ":", " ", "\n", "\r", "\r\n", "\n\n", "x", "12", "é", "𝄞", "\u{FEFF}",
      "\u{0}",
    ]
    for round in 0..<2000 {
      var text = Int.random(in: 0..<4, using: &generator) == 0 ? "\u{FEFF}" : ""
      for _ in 0..<Int.random(in: 1...40, using: &generator) {
        text += parts.randomElement(using: &generator) ?? ""
      }
      var bytes = Array(text.utf8)
      if round % 5 == 0 { bytes.removeFirst() }
      let whole = try parse(EventStreamParser(maximumBytes: 1 << 20), bytes)
      for _ in 0..<4 {
        let pieces = try parse(EventStreamParser(maximumBytes: 1 << 20), bytes) { _ in
          Int.random(in: 1...7, using: &generator)
        }
        XCTAssertEqual(whole.items, pieces.items, "\(bytes)")
        XCTAssertEqual(whole.parser.resumesAt, pieces.parser.resumesAt)
        XCTAssertEqual(whole.parser.retry, pieces.parser.retry)
      }
    }
  }

  // MARK: Lines

  private func lines(
    _ text: String, _ format: LineFormat = .lines, deliversBad: Bool = true, piece: Int = .max
  ) throws -> [String] {
    let parser = LineParser(format, maximumBytes: 100, deliversBad: deliversBad)
    return try parse(parser, Array(text.utf8), pieces: { min($0, piece) }).items.map { line in
      switch line.value {
      case .success(let raw):
        "\(line.number):\(raw.string ?? raw["a"].int.map { "a=\($0)" } ?? raw.int.map { "\($0)" } ?? "?")"
      case .failure(let error): "\(line.number):\(error.reason)"
      }
    }
  }

  func testEachLineIsAValue() throws {
    for piece in [1, 2, 3, 100] {
      XCTAssertEqual(
        try lines("{\"a\":1}\n\n{\"a\":2}\r\n \"x\" \n3", piece: piece), ["1:a=1", "3:a=2", "4:x", "5:3"])
      XCTAssertEqual(try lines("1\nno\n2\n", piece: piece), ["1:1", "2:malformed-body", "3:2"])
      XCTAssertEqual(
        try lines("1\n{\"a\":", piece: piece), ["1:1", "2:malformed-body"], "the last line is not whole")
    }
    XCTAssertThrowsError(try lines("1\nno\n", deliversBad: false)) {
      XCTAssertEqual(($0 as? APIError)?.reason, .malformedBody)
      XCTAssertTrue(($0 as? APIError)?.detail.hasPrefix("line 2:") == true)
    }
    XCTAssertThrowsError(try lines(String(repeating: "1", count: 101))) {
      XCTAssertEqual(($0 as? APIError)?.reason, .responseTooLarge)
    }
  }

  func testEachValueHasBuffersOfItsOwn() throws {
    let text = (0..<100).map { #"{"n":\#($0)}"# }.joined(separator: "\n") + "\n"
    var parser = LineParser(.lines, maximumBytes: 100, deliversBad: false)
    var items: [StreamLine] = []
    try Array(text.utf8).withUnsafeBytes { try parser.take($0, into: &items) }
    XCTAssertEqual(items.count, 100)
    for (number, item) in items.enumerated() {
      // One that is kept does not keep the others.
      XCTAssertEqual(try item.value.get().document.bytes, Array(#"{"n":\#(number)}"#.utf8))
    }
  }

  func testJSONTextSequences() throws {
    for piece in [1, 2, 100] {
      XCTAssertEqual(
        try lines("\u{1E}{\"a\":\n1}\n\u{1E}\u{1E}\"x\"\n\u{1E}12\n", .sequence, piece: piece),
        ["1:a=1", "2:x", "3:12"])
      // Cut values: `12` may have been `123`, a text is whole.
      XCTAssertEqual(try lines("\u{1E}12\u{1E}\"x\"", .sequence, piece: piece), ["1:truncated-body", "2:x"])
    }
  }
}
