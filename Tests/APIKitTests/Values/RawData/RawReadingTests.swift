import APIKit
import XCTest

final class RawReadingTests: XCTestCase {
  private let listing = #"""
    {"total": 2, "items": [
      {"id": 7, "name": "Lin", "price": 12.5, "tags": ["a", "b"], "open": true},
      {"id": 8, "name": "caf\u00e9 \"x\"", "price": "n/a", "note": null}
    ], "odd.name": {"": 1}}
    """#

  func testMembersAndElementsAreReadBySubscriptLookUpAndPath() throws {
    let raw = try RawData(parsing: listing)
    XCTAssertEqual(raw["total"].int, 2)
    XCTAssertEqual(raw.items[0].name.string, "Lin")
    XCTAssertEqual(raw["items", 0, "tags", 1].string, "b")
    XCTAssertEqual(raw.at(path: "items[1].name").string, "café \"x\"")
    let price: RawPath = "items[0].price"
    XCTAssertEqual(raw.at(price).double, 12.5)
    XCTAssertEqual(raw.at(path: #"["odd.name"][""]"#).kind, .number)
    XCTAssertEqual(raw.at(RawPath(steps: ["odd.name", ""])).int, 1)
    XCTAssertEqual(raw.at(path: "").count, 3)
  }

  func testAValueKnowsItsKind() throws {
    let raw = try RawData(parsing: listing)
    XCTAssertEqual(raw.kind, .object)
    XCTAssertEqual(raw.items.kind, .array)
    XCTAssertEqual(raw.items[0].name.kind, .string)
    XCTAssertEqual(raw.items[1].name.kind, .string)
    XCTAssertEqual(raw.items[0].price.kind, .number)
    XCTAssertEqual(raw.items[0].id.kind, .number)
    XCTAssertEqual(raw.items[0].open.kind, .bool)
    XCTAssertEqual(raw.items[1].note.kind, .null)
    XCTAssertTrue(raw.items[1].note.isNull)
    XCTAssertTrue(raw.items[1].note.exists)
    XCTAssertEqual(raw.items[2].kind, .missing)
    XCTAssertFalse(raw.items[2].exists)
    XCTAssertFalse(raw.items[2].isNull)
  }

  func testContainersCountTheirChildren() throws {
    let raw = try RawData(parsing: #"{"a": [], "b": {}, "c": [1, [2, 3], {"x": 4}], "d": "text"}"#)
    XCTAssertEqual(raw.count, 4)
    XCTAssertEqual(raw.a.count, 0)
    XCTAssertEqual(raw.b.count, 0)
    XCTAssertEqual(raw.c.count, 3)
    XCTAssertEqual(raw.d.count, 0)
    XCTAssertEqual(raw.nothing.count, 0)
  }

  func testElementsAndMembersComeInOrder() throws {
    let raw = try RawData(parsing: #"{"list": [1, [2], {"a": 3}, "4"], "b": {"k1": 1, "k2": [2], "k3": 3}}"#)
    XCTAssertEqual(raw.list.elements.map(\.kind), [.number, .array, .object, .string])
    XCTAssertEqual(raw.b.members.map(\.key), ["k1", "k2", "k3"])
    XCTAssertEqual(raw.b.members.map(\.value.kind), [.number, .array, .number])
    XCTAssertEqual(raw.b.keys, ["k1", "k2", "k3"])
    XCTAssertEqual(raw.b.members.inPlace.filter { $0.key.equals("k3") }.map(\.value.int), [3])
    XCTAssertEqual(Array(raw.list.members).count, 0)
    XCTAssertEqual(Array(raw.b.elements).count, 0)
    XCTAssertEqual(Array(raw.nothing.elements).count, 0)
    XCTAssertEqual(raw.list.elements.count, 4)
    XCTAssertEqual(raw.list.elements.underestimatedCount, 4)
  }

  func testPositionsOutsideAnArrayAreMissing() throws {
    let raw = try RawData(parsing: "[[1], [2], 3]")
    XCTAssertEqual(raw[2].int, 3)
    XCTAssertEqual(raw[1][0].int, 2)
    XCTAssertFalse(raw[-1].exists)
    XCTAssertFalse(raw[3].exists)
    XCTAssertFalse(raw[Int.max].exists)
    XCTAssertFalse(raw["0"].exists)
    XCTAssertFalse(raw[0]["a"][5].exists)
  }

  func testOfMembersOfOneNameTheLastWins() throws {
    let raw = try RawData(parsing: #"{"a": 1, "b": 2, "a": 3, "\u0061": 4, "b": 5}"#)
    XCTAssertEqual(raw.a.int, 4)
    XCTAssertEqual(raw.all(forKey: "a").map(\.int), [1, 3, 4])
    XCTAssertEqual(raw.all(forKey: "z").count, 0)
    XCTAssertEqual(raw.duplicateKeys, ["a", "b"])
    XCTAssertEqual(raw.count, 5)
  }

  func testAWideObjectIsReadByItsIndex() throws {
    let members = (0..<500).map { #""key\#($0)": \#($0)"# } + [#""key7": "last""#, #""esc\u0041ped": 1"#]
    let raw = try RawData(parsing: "{" + members.joined(separator: ",") + "}")
    for number in 0..<500 where number != 7 { XCTAssertEqual(raw["key\(number)"].int, number) }
    XCTAssertEqual(raw.key7.string, "last")
    XCTAssertEqual(raw.escAped.int, 1)
    XCTAssertFalse(raw.key500.exists)
    XCTAssertEqual(raw.duplicateKeys, ["key7"])
  }

  func testEveryPositionOfALargeArrayIsRead() throws {
    let raw = try RawData(parsing: "[" + (0..<300).map { "{\"n\":[\($0)]}" }.joined(separator: ",") + ",7]")
    for position in 0..<300 { XCTAssertEqual(raw[position].n[0].int, position) }
    XCTAssertEqual(raw[300].int, 7)
    XCTAssertFalse(raw[301].exists)
    XCTAssertEqual(raw[299].n[0].path.description, "[299].n[0]")
  }

  func testNamesAreComparedByteForByte() throws {
    let raw = try RawData(
      parsing: "{\"caf\u{E9}\": 1, \"cafe\u{301}\": 2, \"abcdefgh1\": 3, \"abcdefgh2\": 4}")
    XCTAssertEqual(raw["caf\u{E9}"].int, 1)
    XCTAssertEqual(raw["cafe\u{301}"].int, 2)
    XCTAssertEqual(raw.abcdefgh1.int, 3)
    XCTAssertEqual(raw.abcdefgh2.int, 4)
    XCTAssertFalse(raw.abcdefgh3.exists)
  }

  func testACursorIsTwoWords() {
    XCTAssertEqual(MemoryLayout<RawData>.size, 2 * MemoryLayout<Int>.size)
  }

  func testTheDocumentsBytesAreThoseGiven() throws {
    let bytes = Array(listing.utf8)
    let raw = try RawData(parsing: bytes)
    XCTAssertEqual(raw.items[0].bytes, bytes)
    XCTAssertEqual(raw.byteCount, bytes.count)
    XCTAssertEqual(raw.items[0].root.count, 3)
  }
}
