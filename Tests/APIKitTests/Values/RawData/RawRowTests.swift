import APIKit
import Foundation
@testable import TestSupport
import XCTest

/// The rows of a list are parsed by the names of the row before, and their members are searched where the last one was found.
/// What is read must be what a plain list of names and values gives, in which the last of equal names wins.
final class RawRowTests: XCTestCase {
  /// A row as it is written, and what it means.
  private struct Row {
    var text = ""
    var members: [(name: String, value: String)] = []

    init(_ members: [(written: String, name: String, value: String)], _ space: [String]) {
      self.members = members.map { ($0.name, $0.value) }
      for (index, member) in members.enumerated() {
        text += index == 0 ? space[0] : space[1] + "," + space[0]
        text += "\"\(member.written)\"" + space[2] + ":" + space[3] + member.value
      }
      text = "{" + text + space[1] + "}"
    }

    func last(_ name: String) -> String? { members.last { $0.name == name }?.value }
  }

  /// Names of all lengths around the words that are compared, prefixes of one another, with escapes, and none.
  private static let names: [(written: String, name: String)] =
    [
      "", "a", "ab", "abc", "abcd", "abcdefg", "abcdefgh", "abcdefghi", "abcdefghijklmnop",
      "abcdefghijklmnoq",
    ]
    .map { ($0, $0) } + [
      ("\\u0061", "a"), ("a\\u0062", "ab"), ("id", "id"), ("di", "di"), ("i\\u0064", "id"), ("name", "name"),
      ("mane", "mane"), ("\\\"", "\""), ("caf\u{E9}", "caf\u{E9}"), ("cafe\u{301}", "cafe\u{301}"),
      ("\\u0000", "\0"),
    ]
  private static let values = [
    "1", "-7", "2.5e1", "0", "true", "false", "null", #""""#, #""x""#, #""\n \"y\"""#,
    #""a text of some length, é""#, "[]",
    "{}", #"["a",{"a":1}]"#, #"{"a":{"ab":[]},"id":3}"#, #"[{"a":1},{"a":2}]"#,
  ]
  /// Of these each may stand before a name, after a value, before and after a colon.
  private static let spaces = ["", "", "", " ", "\n  ", "\t"]

  private func rows(_ random: inout SeededGenerator) -> [Row] {
    let flat = Bool.random(using: &random)
    let values = flat ? Array(Self.values.prefix(11)) : Self.values
    func member() -> (written: String, name: String, value: String) {
      let (written, name) = Self.names.randomElement(using: &random)!
      return (written, name, values.randomElement(using: &random)!)
    }
    var members = (0..<Int.random(in: 0...9, using: &random)).map { _ in member() }
    if Int.random(in: 0..<4, using: &random) == 0 {
      // Around the size from which on an object has an index.
      members += (0..<Int.random(in: 28...36, using: &random)).map { ("m\($0)", "m\($0)", "\($0)") }
    }
    if Int.random(in: 0..<3, using: &random) > 0 {
      var seen: Set<[UInt8]> = []
      members = members.filter { seen.insert(Array($0.name.utf8)).inserted }
    }
    let isCompact = Bool.random(using: &random)
    // Objects within the rows, which differ in nothing but a value, a name, or their order.
    let within = (0..<Int.random(in: 0...4, using: &random)).map { _ in member() }
    func object() -> String {
      var members = within
      if Int.random(in: 0..<3, using: &random) == 0 { members.append(member()) }
      if members.count > 1, Int.random(in: 0..<4, using: &random) == 0 { members.swapAt(0, 1) }
      for index in members.indices where Bool.random(using: &random) { members[index].value = "8" }
      return Row(members, (0..<4).map { _ in isCompact ? "" : Self.spaces.randomElement(using: &random)! })
        .text
    }
    return (0..<Int.random(in: 1...6, using: &random)).map { _ in
      for index in members.indices {
        let isObject = !flat && Int.random(in: 0..<3, using: &random) == 0
        members[index].value = isObject ? object() : values.randomElement(using: &random)!
      }
      var row = members
      switch Int.random(in: 0..<10, using: &random) {
      case 0: row.append(member())
      case 1: row.insert(member(), at: 0)
      case 2: if !row.isEmpty { row.removeLast() }
      case 3: if !row.isEmpty { row.remove(at: row.count / 2) }
      case 4: if row.count > 1 { row.swapAt(0, row.count - 1) }
      case 5: if let first = row.first { row.append((first.written, first.name, member().value)) }
      default: break
      }
      return Row(row, (0..<4).map { _ in isCompact ? "" : Self.spaces.randomElement(using: &random)! })
    }
  }

  func testRandomRowsAreReadAsByAPlainList() throws {
    var random = SeededGenerator(seed: 20_261_126)
    for _ in 0..<450 {
      let rows = rows(&random)
      let text = "[" + rows.map(\.text).joined(separator: ",") + "]"
      let raw = try RawData(parsing: text)
      XCTAssertEqual(raw.count, rows.count)
      XCTAssertEqual(raw.jsonText(), try RawData(parsing: "[0," + text + "]")[1].jsonText())
      let asked = Self.names.map(\.name) + ["m0", "m27", "m35", "absent"]
      for (row, expected) in zip(raw.elements, rows) {
        XCTAssertEqual(row.members.map(\.key.utf8.count), expected.members.map(\.name.utf8.count), text)
        try check(row, expected, asked, text)
        try check(row, expected, expected.members.map(\.name), text)
        try check(row, expected, asked.shuffled(using: &random), text)
        XCTAssertEqual(row, try RawData(parsing: expected.text), text)
      }
      // Across the rows, member by member.
      for name in asked {
        for (row, expected) in zip(raw.elements, rows) { try check(row, expected, [name], text) }
      }
      let decoded = try raw.decode(as: [[String: RawData]].self)
      for (row, expected) in zip(decoded, rows) {
        // `String` takes é composed and decomposed for equal.
        for (name, value) in row where !name.hasPrefix("caf") {
          XCTAssertEqual(value, try RawData(parsing: try XCTUnwrap(expected.last(name))), text)
        }
      }
    }
  }

  private func check(_ row: RawData, _ expected: Row, _ names: [String], _ text: String) throws {
    for name in names {
      let value = expected.members.last { Array($0.name.utf8) == Array(name.utf8) }?.value
      let all = expected.members.filter { Array($0.name.utf8) == Array(name.utf8) }
      XCTAssertEqual(row[name].exists, value != nil, "\(name) in \(text)")
      if let value { XCTAssertEqual(row[name], try RawData(parsing: value), "\(name) in \(text)") }
      XCTAssertEqual(row.all(forKey: name).count, all.count, "\(name) in \(text)")
    }
  }

  func testARepeatedNameNearOrFarWinsInEachPath() throws {
    struct Both: Decodable, RawDecodable, Equatable {
      var a: Int
      var ab: Int
      init(_ raw: borrowing RawData) throws {
        a = try raw.a.require()
        ab = try raw.ab.require()
      }
    }
    let plain = #"{"a":1,"ab":2,"c":3,"d":4}"#
    let cases = [
      (#"{"a":1,"a":5,"ab":2,"c":3,"d":4}"#, 5, 2), (#"{"a":1,"ab":2,"c":3,"a":5}"#, 5, 2),
      (#"{"a":1,"ab":2,"c":3,"d":4,"a":5}"#, 5, 2), (#"{"a":1,"ab":2,"c":3,"d":4,"\u0061":5}"#, 5, 2),
      (#"{"\u0061":5,"ab":2,"c":3,"d":4,"a":6}"#, 6, 2), (#"{"a":1,"ab":2,"ab":7,"d":4}"#, 1, 7),
      (#"{"a":1,"ab":2,"c":{"a":9},"d":4}"#, 1, 2), (#"{"a":1,"ab":2,"c":[],"a":5}"#, 5, 2),
    ]
    for (row, a, ab) in cases {
      for rows in [
        [plain, plain, row, plain, row], [row, row, row, plain], [row, plain, plain, row, row],
        [plain, row, plain],
      ] {
        let raw = try RawData(parsing: "[" + rows.joined(separator: ",") + "]")
        let expected: [[Int?]] = rows.map { $0 == plain ? [1, 2] : [a, ab] }
        XCTAssertEqual(raw.elements.map { [$0.a.int, $0.ab.int] }, expected, row)
        XCTAssertEqual(raw.elements.map { [$0["ab"].int, $0["a"].int] }, expected.map { $0.reversed() }, row)
        XCTAssertEqual(try raw.decode(as: [Both].self).map { [$0.a, $0.ab] }, expected, row)
        XCTAssertEqual(
          try raw.decode(as: [Both].self, options: .default).map { [$0.a, $0.ab] }, expected, row)
        XCTAssertEqual(raw.elements.map { [$0.at("a").int, $0.at("ab").int] }, expected, row)
        XCTAssertEqual(
          raw.elements.map { ($0.dictionary?["a"] as? Int).map { [$0] } }, expected.map { [$0[0]] }, row)
      }
    }
  }

  func testAFaultInARowIsFoundAtItsPlace() throws {
    try faults(
      in: #"{"id":2,"name":"Wu","open":false,"at":null}"#,
      after: #"{"id":1,"name":"Lin","open":true,"at":null}"#)
    try faults(
      in: #"{"id":2,"at":{"x":1,"y":[1,{"z":2}]},"name":"Wu","in":{"x":0}}"#,
      after: #"{"id":1,"at":{"x":5,"y":[3,{"z":4}]},"name":"Lin","in":{"x":2}}"#)
  }

  private func faults(in last: String, after first: String) throws {
    // After something else than a row, and as long.
    let other = "1" + String(repeating: " ", count: first.utf8.count - 1)
    let bytes = Array(last.utf8)
    for place in bytes.indices {
      for byte in [
        UInt8(ascii: "\""), UInt8(ascii: "}"), UInt8(ascii: ","), UInt8(ascii: "\\"), 0x20, 0x01, 0xFF,
      ] {
        var damaged = bytes
        damaged[place] = byte
        for row in [damaged, Array(bytes[..<place]), damaged + Array(",".utf8) + bytes] {
          let likeRow = Array(("[" + first + ",").utf8) + row + Array("]".utf8)
          let alone = Array(("[" + other + ",").utf8) + row + Array("]".utf8)
          XCTAssertEqual(outcome(likeRow), outcome(alone), String(decoding: likeRow, as: UTF8.self))
        }
        XCTAssertEqual(
          outcome(Array(("[" + first + ",").utf8) + damaged),
          outcome(Array(("[" + other + ",").utf8) + damaged))
      }
    }
  }

  /// The second element and those after it, or the error's text.
  private func outcome(_ bytes: [UInt8]) -> String {
    do {
      return try RawData(parsing: bytes).elements.dropFirst().map { $0.jsonText() }.joined(separator: ",")
    } catch {
      return error.detail
    }
  }

  func testThreadsReadTheRowsOfOneDocumentAtOnce() throws {
    let rows = (0..<200).map { #"{"id":\#($0),"name":"n\#($0)","beds":\#($0 % 7),"type":"t","open":true}"# }
    let raw = try RawData(parsing: "[" + rows.joined(separator: ",") + "]")
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
      for (position, row) in raw.elements.enumerated() {
        let names = thread % 2 == 0 ? ["id", "beds"] : ["beds", "id"]
        let values = names.map { row[$0].int }
        XCTAssertEqual(thread % 2 == 0 ? values : values.reversed(), [position, position % 7])
        XCTAssertEqual(row.name.string, "n\(position)")
      }
    }
  }
}
