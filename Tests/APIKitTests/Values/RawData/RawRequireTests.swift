import APIKit
import XCTest

final class RawRequireTests: XCTestCase {
  private enum Tenure: String, RawLeaf { case rent, sale }

  private func detail(_ body: () throws -> Void, line: UInt = #line) -> String? {
    do {
      try body()
      XCTFail("nothing was thrown", line: line)
      return nil
    } catch {
      let error = error as? APIError
      XCTAssertEqual(error?.label, "reform.unexpected-value", line: line)
      return error?.detail
    }
  }

  private let raw: RawData = [
    "items": [
      ["price": 1], ["price": 2.5], ["price": .null], ["price": "n/a", "kind": "rent"],
    ],
    "odd name": [[1, "x"]],
  ]

  func testARequiredValueOfTheKindIsGiven() throws {
    XCTAssertEqual(try raw.items[0].price.require(Int.self), 1)
    let price: Double = try raw.items[1].price.require()
    XCTAssertEqual(price, 2.5)
    XCTAssertEqual(raw.items[3].kind, .object)
    XCTAssertEqual(try raw.items[3]["kind"].require(Tenure.self), .rent)
    XCTAssertEqual(try raw.items.require(.array).elements.count, 4)
  }

  func testAWrongKindNamesPathExpectationAndWhatStoodThere() {
    XCTAssertEqual(
      detail { _ = try raw.items[3].price.require(Double.self) },
      #"items[3].price: expected a number, found a string"#)
    XCTAssertEqual(
      detail { _ = try raw.items[2].price.require(Double.self) },
      "items[2].price: expected a number, found null")
    XCTAssertEqual(
      detail { _ = try raw.items[1].price.require(Int.self) },
      "items[1].price: expected an integer, found a number")
    XCTAssertEqual(
      detail { _ = try raw["odd name"].require(String.self) },
      #"["odd name"]: expected a string, found an array of 1"#)
    XCTAssertEqual(
      detail { try raw.require(.array) }, "the top level: expected an array, found an object of 2")
    XCTAssertEqual(
      detail { _ = try raw.items[3].price.require(Tenure.self) },
      #"items[3].price: expected a string of Tenure, found a string"#)
  }

  func testAMissingValueNamesTheWholePathAndWhereItEnded() {
    XCTAssertEqual(
      detail { _ = try raw.items[3].cost.require(Double.self) },
      "items[3].cost: expected a number, found nothing")
    XCTAssertEqual(
      detail { _ = try raw.items[9].owner.name.require(String.self) },
      "items[9].owner.name: expected a string, found nothing (items is an array of 4)")
    XCTAssertEqual(
      detail { _ = try raw.items[0].price.amount.require(Int.self) },
      "items[0].price.amount: expected an integer, found nothing (items[0].price is a number)")
  }

  func testAnOptionalValueMayBeMissingOrNullButNotWrong() throws {
    XCTAssertNil(try raw.items[2].price.optional(Double.self))
    XCTAssertNil(try raw.items[2].cost.optional(Double.self))
    XCTAssertEqual(try raw.items[1].price.optional(Double.self), 2.5)
    XCTAssertEqual(
      detail { _ = try raw.items[3].price.optional(Double.self) },
      #"items[3].price: expected a number, found a string"#)
  }

  func testAnArrayOfLeavesNamesItsFirstWrongElement() throws {
    let list: RawData = ["good": [1, 2, 3], "bad": [1, "x"]]
    XCTAssertEqual(try list.good.require(arrayOf: Int.self), [1, 2, 3])
    XCTAssertEqual(
      detail { _ = try list.bad.require(arrayOf: Int.self) },
      #"bad[1]: expected an integer, found a string"#)
    XCTAssertEqual(
      detail { _ = try list.none.require(arrayOf: Int.self) }, "none: expected an array, found nothing")
  }

  func testPathsOfMissesStayBoundedInNumber() {
    for number in 0..<5000 { XCTAssertFalse(raw["absent\(number)"].exists) }
    XCTAssertEqual(raw.absent17.path.description, "absent17")
    XCTAssertEqual(raw["absent4999"].path.description, "…")
  }

  func testAPathsTextReadsBackAsThePath() {
    for text in ["a.b[0].c", "[3]", #"["a.b"].c"#, #"x["q\"uote"][2]"#, "", "plain", "a[0][1][2]"] {
      XCTAssertEqual(RawPath(text).description, text)
      XCTAssertEqual(RawPath(RawPath(text).description), RawPath(text))
    }
    XCTAssertEqual(RawPath("a[x]"), RawPath(steps: ["a[x]"]))
    XCTAssertEqual(RawPath("a..b"), RawPath(steps: ["a", "", "b"]))
    XCTAssertEqual(RawPath("a[0"), RawPath(steps: ["a[0"]))
  }
}
