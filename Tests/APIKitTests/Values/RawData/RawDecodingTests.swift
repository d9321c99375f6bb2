import APIKit
import Foundation
import XCTest

final class RawDecodingTests: XCTestCase {
  private struct Home: Decodable, Equatable {
    enum Tenure: String, Decodable { case rent, sale }
    struct Location: Decodable, Equatable {
      var latitude: Double
      var longitude: Float
    }

    var id: UInt64
    var name: String
    var price: Decimal
    var open: Bool
    var tenure: Tenure
    var location: Location?
    var tags: [String]
    var scores: [[Int]]
    var counts: [String: Int]
    var seen: Date
    var link: URL
    var picture: Data
    var note: String?
  }

  private let home: RawData = [
    "id": 9_007_199_254_740_993, "name": "Lin", "price": 12.5, "open": true, "tenure": "rent",
    "location": ["latitude": 38.5, "longitude": 0.1], "tags": ["a", "b"], "scores": [[1], [], [2, 3]],
    "counts": ["a": 1, "b": 2], "seen": "2026-03-01T08:30:00Z", "link": "https://example.com/a",
    "picture": "AAEC", "note": .null, "unknown": [1, 2],
  ]

  private func failure(
    _ json: String, _ type: (some Decodable).Type, options: RawData.DecodingOptions = .default,
    line: UInt = #line
  ) -> APIError? {
    do {
      _ = try RawData(parsing: json).decode(as: type, options: options)
      XCTFail("nothing was thrown", line: line)
    } catch {
      XCTAssertEqual(error.label, "reform.unexpected-value", line: line)
      return error
    }
    return nil
  }

  func testATypeIsDecodedWithItsNestingAndItsSpecialTypes() throws {
    let decoded = try home.decode(as: Home.self)
    XCTAssertEqual(decoded.id, 9_007_199_254_740_993)
    XCTAssertEqual(decoded.name, "Lin")
    XCTAssertEqual(decoded.price, Decimal(string: "12.5"))
    XCTAssertEqual(decoded.tenure, .rent)
    XCTAssertEqual(decoded.location, Home.Location(latitude: 38.5, longitude: 0.1))
    XCTAssertEqual(decoded.tags, ["a", "b"])
    XCTAssertEqual(decoded.scores, [[1], [], [2, 3]])
    XCTAssertEqual(decoded.counts, ["a": 1, "b": 2])
    XCTAssertEqual(decoded.seen, Date(timeIntervalSince1970: 1_772_353_800))
    XCTAssertEqual(decoded.link.host, "example.com")
    XCTAssertEqual(decoded.picture, Data([0, 1, 2]))
    XCTAssertNil(decoded.note)
    XCTAssertTrue(decoded.open)
  }

  func testDecodingBeginsAtAnyCursor() throws {
    let raw: RawData = [
      "code": 0, "items": [["latitude": 1, "longitude": 2], ["latitude": 3, "longitude": 4]],
    ]
    XCTAssertEqual(try raw.items.decode(as: [Home.Location].self).map(\.latitude), [1, 3])
    XCTAssertEqual(try raw.items[1].decode(as: Home.Location.self).longitude, 4)
    XCTAssertEqual(try raw.code.decode(as: Int.self), 0)
    let typed: [String: Double] = try raw.items[0].decode()
    XCTAssertEqual(typed, ["latitude": 1, "longitude": 2])
  }

  func testWhatJSONDecoderDecodesIsDecodedAlike() throws {
    struct Node: Codable, Equatable {
      enum Shape: Codable, Equatable {
        case circle(radius: Double)
        case label(String, size: Int)
        case empty
      }
      var shapes: [Shape]
      var children: [Node]
      var limits: [Int8: Bool]
      var optional: [String?]
      var nested: [String: [String: [Double]]]
      var pair: Set<String>
    }
    let leaf = Node(
      shapes: [.empty], children: [], limits: [:], optional: [], nested: [:], pair: [])
    let node = Node(
      shapes: [.circle(radius: 1.5), .label("x", size: -3), .empty], children: [leaf, leaf],
      limits: [-1: true, 5: false], optional: ["a", nil, "c"], nested: ["k": ["l": [1, 2.5e10]]],
      pair: ["p"])
    let bytes = [UInt8](try JSONEncoder().encode(node))
    XCTAssertEqual(try RawData(parsing: bytes).decode(as: Node.self), node)
  }

  func testAWrongTypeNamesPathExpectationAndWhatStoodThere() {
    let json = #"{"list": [{"latitude": 1, "longitude": 2}, {"latitude": "n/a", "longitude": 2}]}"#
    let error = failure(json, [String: [Home.Location]].self)
    XCTAssertEqual(error?.detail, #"list[1].latitude: expected a number, found a string"#)
    guard case .typeMismatch(_, let context)? = error?.underlying as? DecodingError else {
      return XCTFail("\(String(describing: error?.underlying))")
    }
    XCTAssertEqual(context.codingPath.map(\.stringValue), ["list", "Index 1", "latitude"])
    XCTAssertEqual(context.codingPath[1].intValue, 1)
  }

  func testEachFailureHasItsDecodingError() {
    XCTAssertEqual(
      failure(#"{"latitude": 1}"#, Home.Location.self)?.detail,
      "longitude: the member longitude is missing; a member that the server may omit is declared Optional")
    struct Named: Decodable { var homeName: Int }
    XCTAssertEqual(
      failure(#"{"home_name": 1}"#, Named.self)?.detail,
      "homeName: the member homeName is missing; the object has home_name: decode with `keys: .snakeCase`")
    XCTAssertEqual(
      failure(#"{"latitude": null, "longitude": 1}"#, Home.Location.self)?.detail,
      "latitude: expected a number, found null")
    XCTAssertEqual(
      failure("[300]", [UInt8].self)?.detail, "[0]: expected an integer from 0 to 255, found a number")
    XCTAssertEqual(failure("[1.5]", [Int].self)?.detail, "[0]: expected an integer, found a number")
    XCTAssertEqual(
      failure("[1]", Home.Location.self)?.detail, "the top level: expected an object, found an array of 1")
    XCTAssertEqual(
      failure("{}", [Int].self)?.detail, "the top level: expected an array, found an object of 0")
    XCTAssertEqual(failure(#""buy""#, Home.Tenure.self)?.label, "reform.unexpected-value")
    XCTAssertTrue(failure("[300]", [UInt8].self)?.underlying is DecodingError)
  }

  func testPathsInErrorsBeginAtTheTopOfTheDocument() throws {
    let raw: RawData = ["data": ["list": [["latitude": 1]]]]
    XCTAssertThrowsError(try raw["data"].list.decode(as: [Home.Location].self)) { error in
      XCTAssertEqual(
        (error as? APIError)?.detail,
        "data.list[0].longitude: the member longitude is missing; a member that the server may omit is declared Optional"
      )
      guard case .keyNotFound(_, let context)? = (error as? APIError)?.underlying as? DecodingError else {
        return XCTFail("\(error)")
      }
      XCTAssertEqual(context.codingPath.map(\.stringValue), ["Index 0"])
    }
    XCTAssertThrowsError(try raw.nowhere.decode(as: Int.self)) { error in
      XCTAssertEqual((error as? APIError)?.detail, "nowhere: expected an integer, found nothing")
    }
  }

  func testKeysInSnakeCaseAreFoundByTheirCamelCase() throws {
    struct Row: Decodable, Equatable {
      var yearBuilt: Int
      var imageURL: String
      var address1: String
      var counts: [String: Int]
      var plain: Int
      var absent: Int?
    }
    var options = RawData.DecodingOptions()
    options.keys = .snakeCase
    let raw: RawData = [
      "year_built": 1960, "image_url": "u", "address_1": "a", "counts": ["by_year": 2], "plain": 3,
    ]
    XCTAssertEqual(
      try raw.decode(as: Row.self, options: options),
      Row(yearBuilt: 1960, imageURL: "u", address1: "a", counts: ["by_year": 2], plain: 3))
    XCTAssertThrowsError(try raw.decode(as: Row.self))
  }

  func testDatesAreReadByTheOption() throws {
    var options = RawData.DecodingOptions()
    let date = Date(timeIntervalSince1970: 1_772_353_800)
    XCTAssertEqual(try RawData(parsing: "[1772353800, 1772353800000]").decode(as: [Date].self), [date, date])
    options.dates = .epochMilliseconds
    XCTAssertEqual(
      try RawData(parsing: "[1772353800000]").decode(as: [Date].self, options: options), [date])
    options.dates = .iso8601
    XCTAssertEqual(
      failure("[1772353800]", [Date].self, options: options)?.detail,
      "[0]: expected a date, found a number")
  }

  func testHandWrittenDecodingWorks() throws {
    struct Base: Decodable {
      enum Keys: String, CodingKey { case list, nested, value, `super`, absent }
      let sum: Int
      let inner: String
      let keys: [String]
      let inherited: Int

      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        var list = try container.nestedUnkeyedContainer(forKey: .list)
        var sum = 0
        while !list.isAtEnd {
          if try list.decodeNil() { continue }
          sum += try list.decode(Int.self)
        }
        XCTAssertThrowsError(try list.decode(Int.self))
        self.sum = sum
        inner = try container.nestedContainer(keyedBy: Keys.self, forKey: .nested)
          .decode(String.self, forKey: .value)
        keys = container.allKeys.map(\.stringValue)
        inherited = try container.superDecoder().singleValueContainer().decode(Int.self)
        XCTAssertFalse(container.contains(.absent))
        XCTAssertNil(try container.decodeIfPresent(Int.self, forKey: .absent))
        XCTAssertEqual(decoder.userInfo[CodingUserInfoKey(rawValue: "who")!] as? String, "me")
      }
    }
    var options = RawData.DecodingOptions()
    options.userInfo[CodingUserInfoKey(rawValue: "who")!] = "me"
    let raw = try RawData(
      parsing:
        #"{"list": [1, null, 2], "nested": {"value": "x"}, "super": 7, "nested": {"value": "y"}, "z": 0}"#)
    let base = try raw.decode(as: Base.self, options: options)
    XCTAssertEqual(base.sum, 3)
    XCTAssertEqual(base.inner, "y")
    XCTAssertEqual(base.keys, ["list", "nested", "super"])
    XCTAssertEqual(base.inherited, 7)
  }

  func testWhatAnObjectInheritsMayBeMissing() throws {
    struct Parent: Decodable {
      var name: String
    }
    struct Child: Decodable {
      var parent: Parent?
      var number: Int?
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: RawTestKey.self)
        parent = try Parent?(from: container.superDecoder())
        number = try Int?(from: container.superDecoder(forKey: RawTestKey(stringValue: "number")))
      }
    }
    struct Required: Decodable {
      var parent: Parent
      init(from decoder: any Decoder) throws {
        parent = try Parent(from: decoder.container(keyedBy: RawTestKey.self).superDecoder())
      }
    }
    for text in ["{}", #"{"super": null, "number": null}"#] {
      let child = try RawData(parsing: text).decode(as: Child.self)
      XCTAssertNil(child.parent)
      XCTAssertNil(child.number)
      XCTAssertThrowsError(try RawData(parsing: text).decode(as: Required.self)) {
        XCTAssertEqual(($0 as? APIError)?.reason, .unexpectedValue)
      }
    }
    let child = try RawData(parsing: #"{"super": {"name": "Lin"}, "number": 7}"#).decode(as: Child.self)
    XCTAssertEqual(child.parent?.name, "Lin")
    XCTAssertEqual(child.number, 7)
  }

  private struct RawTestKey: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  func testAPieceMayStayRaw() throws {
    struct Envelope: Decodable {
      var code: Int
      var data: RawData
    }
    let envelope = try RawData(parsing: #"{"code": 0, "data": {"rows": [1, 2]}}"#).decode(as: Envelope.self)
    XCTAssertEqual(envelope.data.rows[1].int, 2)
    let other = try JSONDecoder().decode(Envelope.self, from: Data(#"{"code":0,"data":{"rows":[1,2]}}"#.utf8))
    XCTAssertEqual(other.data, envelope.data, "a decoder that is not ours reads the same value")
  }

  func testAnErrorOfATypesOwnIsKept() {
    struct Refusal: Error {}
    struct Picky: Decodable {
      init(from decoder: any Decoder) throws { throw Refusal() }
    }
    XCTAssertTrue(failure("1", Picky.self)?.underlying is Refusal)
  }
}
