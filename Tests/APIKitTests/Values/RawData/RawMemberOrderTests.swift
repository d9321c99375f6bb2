import APIKit
import Foundation
@testable import TestSupport
import XCTest

/// A list whose rows are decoded one after another, where the order of the last row's members is remembered, must give
/// what each row gives alone.
final class RawMemberOrderTests: XCTestCase {
  private struct Row: Decodable, Equatable {
    var id: Int
    var name: String
    var price: Double?
    var open: Bool
    var tags: [String]?
    var place: Place?
  }

  private struct Place: Decodable, Equatable {
    var latitude: Double
    var longitude: Double
  }

  /// The rows, or the error, of a list and of its rows alone.
  private func check<Value: Decodable & Equatable>(
    _ json: String, as type: Value.Type, options: RawData.DecodingOptions = .default, line: UInt = #line
  ) throws {
    let raw = try RawData(parsing: json)
    let whole = Result { () throws(APIError) in try raw.decode(as: [Value].self, options: options) }
    let alone = Result { () throws(APIError) in
      var rows: [Value] = []
      for row in raw.elements { rows.append(try row.decode(as: type, options: options)) }
      return rows
    }
    switch (whole, alone) {
    case (.success(let whole), .success(let alone)): XCTAssertEqual(whole, alone, json, line: line)
    case (.failure(let whole), .failure(let alone)):
      XCTAssertEqual(whole.detail, alone.detail, json, line: line)
      XCTAssertEqual(whole.label, alone.label, json, line: line)
    default: XCTFail("\(whole) against \(alone) for \(json)", line: line)
    }
  }

  func testRowsOfOneOrderAreRead() throws {
    let rows = (0..<5).map {
      #"{"id":\#($0),"name":"n\#($0)","price":\#($0).5,"open":true,"tags":["a","\#($0)"],"#
        + #""place":{"latitude":\#($0),"longitude":-\#($0)}}"#
    }
    let json = "[" + rows.joined(separator: ",") + "]"
    try check(json, as: Row.self)
    let decoded = try RawData(parsing: json).decode(as: [Row].self)
    XCTAssertEqual(decoded.map(\.id), [0, 1, 2, 3, 4])
    XCTAssertEqual(decoded[3].place, Place(latitude: 3, longitude: -3))
    XCTAssertEqual(decoded, try JSONDecoder().decode([Row].self, from: Data(json.utf8)))
  }

  func testARowUnlikeTheOneBeforeIsReadByItself() throws {
    let first = #"{"id":1,"name":"a","open":true,"price":2}"#
    for other in [
      #"{"name":"b","id":2,"price":3,"open":false}"#, #"{"id":2,"name":"b","open":false}"#,
      #"{"id":2,"name":"b","open":false,"price":3,"more":[{"id":9}]}"#,
      #"{"id":2,"name":"b","open":false,"price":3,"id":4}"#, #"{"id":2,"nome":"b","open":false,"price":3}"#,
      #"{"id":2,"n\u0061me":"b","open":false,"price":3}"#, #"{"id":2,"name":null,"open":false,"price":3}"#,
      #"{"id":2.5,"name":"b","open":false,"price":3}"#, "{}", "[]", "null", #"{"place":{"latitude":1}}"#,
      #"{"id":2,"name":"b","open":false,"place":{"latitude":1,"longitude":2,"latitude":3}}"#,
    ] {
      for rows in [
        [first, first, other, first], [other, other, other], [first, other, first, other, first],
      ] {
        try check("[" + rows.joined(separator: ",") + "]", as: Row.self)
      }
    }
  }

  func testRandomRowsAreReadAsAlone() throws {
    var random = SystemRandomNumberGenerator()
    let values = [
      "1", "-7", "2.5", "true", "false", "null", #""x""#, #"["a"]"#, #"{"latitude":1,"longitude":2}"#,
    ]
    let fitting = [
      "id": "3", "name": #""Lin""#, "price": "1.5", "open": "true", "tags": #"["t"]"#,
      "place": #"{"latitude":1,"longitude":2}"#,
    ]
    let names = Array(fitting.keys) + ["n\\u0061me", "other", "a name longer than most"]
    for _ in 0..<3000 {
      let rows = (0..<Int.random(in: 1...5, using: &random)).map { _ -> String in
        var members = Array(fitting).map { ($0.key, $0.value) }
        for _ in 0..<Int.random(in: 0...2, using: &random) {
          let name = names.randomElement(using: &random)!
          switch Int.random(in: 0..<4, using: &random) {
          case 0: members.append((name, fitting[name] ?? "8"))
          case 1: members.append((name, values.randomElement(using: &random)!))
          case 2: members.removeAll { $0.0 == name }
          default: members.swapAt(0, members.count / 2)
          }
        }
        return "{" + members.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
      }
      try check("[" + rows.joined(separator: ",") + "]", as: Row.self)
    }
  }

  func testATypeWithinItselfIsRead() throws {
    struct Node: Codable, Equatable {
      var name: String
      var children: [Node]
      var size: Int
    }
    func node(_ depth: Int) -> Node {
      Node(name: "n\(depth)", children: depth == 0 ? [] : [node(depth - 1), node(depth - 1)], size: depth)
    }
    let bytes = [UInt8](try JSONEncoder().encode([node(4), node(3)]))
    XCTAssertEqual(try RawData(parsing: bytes).decode(as: [Node].self), [node(4), node(3)])
  }

  func testTheLastRowOfANestedListIsNotTakenForTheRowBeforeAnother() throws {
    struct Pair: Decodable, Equatable {
      var a: Int
      var b: Int
    }
    indirect enum Entry: Decodable, Equatable {
      case pair(Pair)
      case list([Entry])

      init(from decoder: any Decoder) throws {
        self =
          if let list = try? decoder.unkeyedContainer() {
            .list(
              try (0..<list.count!).reduce(into: (list, [Entry]())) { result, _ in
                result.1.append(try result.0.decode(Entry.self))
              }.1)
          } else { .pair(try Pair(from: decoder)) }
      }
    }
    let pair = #"{"a":1,"b":2}"#
    let nested = #"[{"b":2,"a":1},{"b":2,"a":1}]"#
    let one = Entry.pair(Pair(a: 1, b: 2))
    let raw = try RawData(parsing: "[\(pair),\(nested),\(pair),\(pair),\(nested),\(pair)]")
    XCTAssertEqual(
      try raw.decode(as: [Entry].self), [one, .list([one, one]), one, one, .list([one, one]), one])
  }

  func testTwoContainersOfOneTypeOfKeysAreReadInTurn() throws {
    struct Pair: Decodable {
      enum Keys: String, CodingKey { case id, name, absent }
      var text = ""

      init(from decoder: any Decoder) throws {
        var rows = try decoder.unkeyedContainer()
        var containers: [KeyedDecodingContainer<Keys>] = []
        while !rows.isAtEnd { containers.append(try rows.nestedContainer(keyedBy: Keys.self)) }
        for key in [Keys.name, .id, .name] {
          for container in containers {
            XCTAssertFalse(container.contains(.absent))
            text +=
              try key == .id
              ? "\(container.decode(Int.self, forKey: key))" : container.decode(String.self, forKey: key)
          }
        }
      }
    }
    let json = #"[{"id":1,"name":"a"},{"name":"b","id":2},{"id":3,"name":"c"},{"id":4,"name":"d"}]"#
    XCTAssertEqual(try RawData(parsing: json).decode(as: Pair.self).text, "abcd1234abcd")
  }

  func testADecoderAndAContainerThatAreKeptCanStillBeRead() throws {
    struct Keeper: Decodable {
      enum Keys: String, CodingKey { case id, name }
      let decoder: any Decoder
      let container: KeyedDecodingContainer<Keys>

      init(from decoder: any Decoder) throws {
        self.decoder = decoder
        container = try decoder.container(keyedBy: Keys.self)
      }
    }
    func keepers() throws -> [Keeper] {
      let rows = (0..<4).map { #"{"id":\#($0),"name":"a name that is not short \#($0)"}"# }
      return try RawData(parsing: "[" + rows.joined(separator: ",") + "]").decode()
    }
    let kept = try keepers()
    for number in [2, 0, 3, 1] {
      XCTAssertEqual(try kept[number].container.decode(Int.self, forKey: .id), number)
      XCTAssertEqual(
        try kept[number].container.decode(String.self, forKey: .name), "a name that is not short \(number)")
      XCTAssertEqual(
        try kept[number].decoder.container(keyedBy: Keeper.Keys.self).decode(Int.self, forKey: .id), number)
    }
  }

  func testObjectsWithManyMembersAndDictionariesAreRead() throws {
    for count in [1, 39, 40, 41, 90] {
      let rows = (0..<3).map { row in
        "{" + (0..<count).map { "\"member number \($0)\":\(row * 1000 + $0)" }.joined(separator: ",") + "}"
      }
      let decoded = try RawData(parsing: "[" + rows.joined(separator: ",") + "]").decode(
        as: [[String: Int]].self)
      XCTAssertEqual(decoded.map(\.count), [count, count, count])
      XCTAssertEqual(decoded[2]["member number \(count - 1)"], 2000 + count - 1)
    }
  }

  func testSnakeCaseIsRememberedForEachRow() throws {
    struct Home: Decodable, Equatable {
      var yearBuilt: Int
      var imageURL: String
      var address1: String?
    }
    var options = RawData.DecodingOptions()
    options.keys = .snakeCase
    let json = """
      [{"year_built":1,"image_url":"a","address_1":"x"},{"year_built":2,"image_url":"b","address_1":"y"},
       {"image_url":"c","yearBuilt":3},{"year_built":4,"image_url":"d","address_1":null},{"year_built":5}]
      """
    try check(json, as: Home.self, options: options)
    let rows = try RawData(parsing: json).elements.prefix(4).map {
      try $0.decode(as: Home.self, options: options)
    }
    XCTAssertEqual(rows.map(\.yearBuilt), [1, 2, 3, 4])
    XCTAssertEqual(rows.map(\.address1), ["x", "y", nil, nil])
  }

  func testMoreTypesThanAreRememberedAreRead() throws {
    struct Part<Number>: Decodable, Equatable { var value: Int }
    struct Whole: Decodable {
      var parts: [Int]
      init(from decoder: any Decoder) throws {
        var parts: [Int] = []
        func read<Number>(_ type: Number.Type) throws {
          parts += try [Part<Number>](from: decoder).map(\.value)
          parts += try decoder.singleValueContainer().decode([Part<Number>].self).map(\.value)
        }
        for _ in 0..<2 {
          try read(Int8.self); try read(Int16.self); try read(Int32.self); try read(Int64.self)
          try read(UInt8.self); try read(UInt16.self); try read(UInt32.self); try read(UInt64.self)
          try read([Int8].self); try read([Int16].self); try read([Int32].self); try read([Int64].self)
          try read(Int.self); try read(UInt.self); try read(Float.self); try read(Double.self)
          try read(String.self); try read(Character.self); try read(Bool.self)
        }
        self.parts = parts
      }
    }
    let whole = try RawData(parsing: #"[{"value":1},{"value":2},{"value":3}]"#).decode(as: Whole.self)
    XCTAssertEqual(whole.parts, Array(repeating: [1, 2, 3], count: 19 * 4).flatMap { $0 })
  }

  func testRowsWhoseObjectsDifferAreEachReadAtTheirOwnPlaces() throws {
    struct Row: Decodable {
      let a: RawData
      let b: RawData
      let c: RawData
    }
    let values = [
      "1", "null", #""x""#, #"{"x":1}"#, #"{"x":"2"}"#, #"{"x":{"y":1}}"#, #"{"x":{"y":[1]}}"#,
      #"{"x":1,"y":2}"#,
      #"{"y":1,"x":2}"#, #"{"x":1,"x":2}"#, #"{"x":{"y":{"x":{"y":{"x":{"y":1}}}}}}"#, "{}", "[]",
      #"[{"x":1}]"#,
      "{\"x\": \t{\"y\": 1}}",
    ]
    var random = SeededGenerator(seed: 20_261_129)
    for _ in 0..<400 {
      // Few of them, so that rows are often alike.
      let few = values.shuffled(using: &random).prefix(3)
      let rows = (0..<Int.random(in: 2...5, using: &random)).map { _ in
        (0..<3).map { _ in few.randomElement(using: &random)! }
      }
      let text = rows.map { #"{"a":\#($0[0]),"b":\#($0[1]),"c":\#($0[2])}"# }.joined(separator: ",")
      let raw = try RawData(parsing: "[\(text)]")
      let decoded = try raw.decode(as: [Row].self)
      for (index, row) in rows.enumerated() {
        let expected = try row.map { try RawData(parsing: $0) }
        XCTAssertEqual([decoded[index].a, decoded[index].b, decoded[index].c], expected, text)
        XCTAssertEqual(
          [raw[index].c, raw[index].a, raw[index].b], [expected[2], expected[0], expected[1]], text)
        XCTAssertEqual(raw[index].a.x, expected[0].x, text)
      }
    }
  }
}
