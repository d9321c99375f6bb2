import APIKit
import Foundation
import XCTest

/// Names are compared by their bytes, where `String` also takes é composed and decomposed for equal.
final class RawNameTests: XCTestCase {
  private let composed = "caf\u{E9}"
  private let decomposed = "cafe\u{301}"
  private var both: String { #"{"\#(composed)":1,"\#(decomposed)":2}"# }

  func testNamesOfDifferentBytesAreNoDuplicates() throws {
    XCTAssertEqual(composed, decomposed, "what Swift says of the two")
    XCTAssertEqual(try RawData(parsing: both).duplicateKeys, [])
    let raw = try RawData(parsing: #"{"\#(composed)":1,"\#(decomposed)":2,"\#(decomposed)":3}"#)
    XCTAssertEqual(raw.duplicateKeys.map { Array($0.utf8) }, [Array(decomposed.utf8)])
  }

  func testCanonicalTextKeepsBothNamesAndTheLastOfOneName() throws {
    XCTAssertEqual(
      try RawData(parsing: both).jsonBytes(canonical: true),
      Array(#"{"\#(decomposed)":2,"\#(composed)":1}"#.utf8))
    let raw = try RawData(parsing: #"{"b":1,"a":2,"b":3,"a":4,"b":5}"#)
    XCTAssertEqual(raw.jsonText(canonical: true), #"{"a":4,"b":5}"#)
  }

  func testADictionaryThatWouldLoseAMemberIsNil() throws {
    XCTAssertNil(try RawData(parsing: both).dictionary)
    XCTAssertNil(try RawData(parsing: both).any)
    let nested = try RawData(parsing: #"{"a":[{"b":\#(both)}],"c":1}"#)
    XCTAssertNil(nested.dictionary, "what contains one would lose a member too")
    XCTAssertNil(nested.a.array)
    let repeated = try RawData(parsing: #"{"\#(composed)":1,"\#(composed)":2}"#)
    XCTAssertEqual(repeated.dictionary?[composed] as? Int, 2)
  }

  func testAMissingNameKeepsItsBytesInPaths() throws {
    let raw: RawData = [:]
    XCTAssertEqual(Array(raw[composed].path.description.utf8), Array(composed.utf8))
    XCTAssertEqual(Array(raw[decomposed].path.description.utf8), Array(decomposed.utf8))
    XCTAssertNotEqual(RawPath(composed), RawPath(decomposed))
    XCTAssertEqual(Set([RawPath(composed), RawPath(decomposed)]).count, 2)
  }

  // MARK: Snake case

  private struct Home: Decodable, Equatable {
    var yearBuilt: Int
    var byRoom: [String: Room] = [:]

    struct Room: Decodable, Equatable { var floorArea: Int }
  }

  private enum Kind: String, Decodable, CodingKeyRepresentable { case semiDetached = "semi_detached" }

  func testSnakeCaseIsReadBelowADictionaryAndTheDictionarysKeysStay() throws {
    var options = RawData.DecodingOptions()
    options.keys = .snakeCase
    let raw: RawData = [
      "first_home": ["year_built": 1960, "by_room": ["living_room": ["floor_area": 20]]]
    ]
    XCTAssertEqual(
      try raw.decode(as: [String: Home].self, options: options),
      ["first_home": Home(yearBuilt: 1960, byRoom: ["living_room": Home.Room(floorArea: 20)])])
    let kinds: RawData = ["semi_detached": ["floor_area": 7]]
    XCTAssertEqual(
      try kinds.decode(as: [Kind: Home.Room].self, options: options), [.semiDetached: Home.Room(floorArea: 7)]
    )
  }

  // MARK: Plain numbers

  func testANumberObjectIsWhatItWasMadeOf() throws {
    let values: [(NSNumber, String)] = [
      (NSNumber(value: 1), "1"), (NSNumber(value: 0), "0"), (NSNumber(value: true), "true"),
      (NSNumber(value: false), "false"), (NSNumber(value: 1.0), "1.0"), (NSNumber(value: Int8(1)), "1"),
      (NSNumber(value: UInt64.max), "18446744073709551615"), (NSNumber(value: Float(0.1)), "0.1"),
      (NSDecimalNumber(string: "12345678901234567890.5"), "12345678901234567890.5"),
    ]
    for (number, text) in values {
      XCTAssertEqual(try RawData(plain: number).jsonText(), text)
      XCTAssertEqual(try RawData(plain: ["a": [number]] as [String: Any]).a[0].jsonText(), text)
    }
    let parsed = try JSONSerialization.jsonObject(with: Data("[1,true,0.5]".utf8))
    XCTAssertEqual(try RawData(plain: parsed).jsonText(), "[1,true,0.5]")
    XCTAssertEqual(try RawData(plain: [true, 1] as [Any]).jsonText(), "[true,1]")
    XCTAssertThrowsError(try RawData(plain: NSNumber(value: Double.nan)))
  }

  func testTheLastMemberOfANameIsFoundInObjectsOfAnySize() throws {
    for count in 0...45 {
      for extra in ["", #","row":[1,{"m7":2}]"#] {
        // Names of one length and of several, each of which occurs once more with its first letter escaped.
        let names = (0..<count).map { "m\($0 % 3 == 0 ? "" : "ember ")\($0)" }
        var members = names.map { "\"\($0)\":1" } + names.map { "\"\\u006d\($0.dropFirst())\":2" }
        members += names.prefix(count / 2).map { "\"\($0)\":3" }
        let raw = try RawData(parsing: #"{"first":0"# + extra + members.map { "," + $0 }.joined() + "}")
        for (index, name) in names.enumerated() {
          XCTAssertEqual(raw[name].int, index < count / 2 ? 3 : 2, "\(name) of \(count)")
        }
        XCTAssertEqual(raw.first.int, 0)
        XCTAssertFalse(raw["m\(count * 3)"].exists)
        XCTAssertFalse(raw[""].exists)
      }
    }
  }
}
