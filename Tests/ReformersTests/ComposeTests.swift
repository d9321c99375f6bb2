import APIKit
import Foundation
import Reformers
import XCTest

private enum Flat {}

extension ReformedKey where Owner == Flat, Value == String {
  fileprivate static var name: Self { Self("name", default: "nameless") }
}

extension ReformedKey where Owner == Flat, Value == Int {
  fileprivate static var rooms: Self { Self("rooms", default: 1) }
}

extension ReformedKey where Owner == Flat, Value == Double? {
  fileprivate static var rent: Self { Self("rent") }
}

final class ComposeTests: XCTestCase {
  private let source = RecordedResponses.source("s")
  private let flat = KeyMapReformer<Flat>([
    .require(.name, "name"), .take(.rooms, "rooms", or: "count"), .take(.rent, "rent"),
  ])

  // MARK: Key maps

  func testAMissingOrNullValueTakesTheDefaultAndAWrongKindThrows() throws {
    let row = try flat.reform(["name": "A", "rooms": RawData.null], from: source)
    XCTAssertEqual(row[.rooms], 1)
    XCTAssertNil(row[.rent])
    XCTAssertFalse(row.has(.rent))
    XCTAssertEqual(row.names, ["name"])
    XCTAssertEqual(try flat.reform(["name": "A", "count": 4, "rent": 7.5], from: source)[.rooms], 4)
    XCTAssertEqual(
      detail { try self.flat.reform(["rooms": 1], from: self.source) },
      "name: expected a string, found nothing")
    XCTAssertEqual(
      detail { try self.flat.reform(["name": "A", "rent": "much"], from: self.source) },
      "rent: expected a number, found a string")
  }

  func testATransformSeesOnlyValuesThatAreThere() throws {
    let cents = KeyMapReformer<Flat>([
      .require(.name, "n") { try $0.require(String.self).uppercased() },
      .take(.rent, "cents") { try $0.require(Double.self) / 100 },
      .set(.rooms, 9),
    ])
    let row = try cents.reform(["n": "b"], from: source)
    XCTAssertEqual(row[.name], "B")
    XCTAssertNil(row[.rent])
    XCTAssertEqual(row[.rooms], 9)
    XCTAssertEqual(try cents.reform(["n": "b", "cents": 250], from: source)[.rent], 2.5)
    XCTAssertEqual(
      detail { try cents.reform(["n": RawData.null], from: self.source) }, "n: expected a value, found null")
  }

  func testARowCanBeFilledByHand() {
    var row = ReformedRow<Flat>()
    row[.name] = "C"
    row[.rooms] = 2
    row[.rooms] = 3
    XCTAssertEqual(row[.rooms], 3)
    row[.rent] = 2.5
    XCTAssertEqual(row.description, "name: C, rooms: 3, rent: 2.5")
    row[.rent] = nil
    XCTAssertEqual(row.names, ["name", "rooms"])
  }

  func testAnEntryThatHasNilLeavesNoValue() throws {
    let none: Double? = nil
    for map: KeyMap<Flat> in [
      [.require(.name, "n"), .set(.rent, none)],
      [.require(.name, "n"), .take(.rent, "n") { _ in none }],
      [.require(.name, "n"), .require(.rent, "n") { _ in none }],
    ] {
      let row = try map.row(of: ["n": "A"])
      XCTAssertNil(row[.rent])
      XCTAssertFalse(row.has(.rent))
      XCTAssertEqual(row.names, ["name"])
      XCTAssertEqual(row.description, "name: A")
      XCTAssertEqual(row.dictionary.count, 1)
    }
  }

  func testTheFirstPatternThatFitsCounts() throws {
    let byAPI = KeyMapReformer<Flat>([
      .api("new", of: "s"): [.require(.name, "title")],
      .service("s"): [.require(.name, "name")],
      .manager(OtherManager.self): [.require(.name, "other")],
      .any: [.set(.name, "any")],
    ])
    let raw: RawData = ["title": "T", "name": "N", "other": "O"]
    XCTAssertEqual(try byAPI.reform(raw, from: RecordedResponses.source("s", api: "new"))[.name], "T")
    XCTAssertEqual(try byAPI.reform(raw, from: RecordedResponses.source("s"))[.name], "N")
    XCTAssertEqual(try byAPI.reform(raw, from: RecordedResponses.source("t", api: "new"))[.name], "any")
    let other = ReformSource(managerType: OtherManager.self, serviceName: "t")
    XCTAssertEqual(try byAPI.reform(raw, from: other)[.name], "O")
  }

  // MARK: Lists

  func testADamagedElementFailsTheListOrIsSkipped() throws {
    let raw: RawData = ["flats": [["name": "A"], ["name": 7], ["name": "C"]]]
    XCTAssertEqual(
      detail { try ListReformer(each: self.flat, at: "flats").reform(raw, from: self.source) },
      "flats[1].name: expected a string, found a number")
    let kept = try ListReformer(each: flat, at: "flats", damaged: .isSkipped).reform(raw, from: source)
    XCTAssertEqual(kept.map { $0[.name] }, ["A", "C"])
    XCTAssertEqual(
      detail { try ListReformer(each: self.flat, at: "flat").reform(raw, from: self.source) },
      "flat: expected an array, found nothing")
  }

  func testALongListHonoursCancellation() async throws {
    let raw = try RawData(
      parsing: "[" + Array(repeating: "{\"name\":\"A\"}", count: 5000).joined(separator: ",") + "]")
    let counter = Counter()
    let list = ListReformer(
      each: ClosureReformer { raw, _ in
        if counter.next() == 100 { withUnsafeCurrentTask { $0?.cancel() } }
        return raw.name.string ?? ""
      }, damaged: .isSkipped)
    let source = source
    let task = Task { try list.reform(raw, from: source).count }
    let result = await task.result
    XCTAssertThrowsError(try result.get()) { XCTAssertTrue($0 is CancellationError) }
    XCTAssertLessThan(counter.count, 200)
  }

  // MARK: Chains and choices

  func testAChainPassesItsOutputOn() throws {
    let names = ListReformer(each: flat).then { rows, source in "\(source.serviceName): \(rows.count)" }
    XCTAssertEqual(try names.reform([["name": "A"], ["name": "B"]], from: source), "s: 2")
  }

  func testTheFirstThatFitsIsTaken() throws {
    let either = FirstOfReformer<String>(
      ClosureReformer { raw, _ in try raw.new.require() },
      ClosureReformer { raw, _ in try raw.old.require() })
    XCTAssertEqual(try either.reform(["old": "o"], from: source), "o")
    XCTAssertEqual(try either.reform(["new": "n", "old": "o"], from: source), "n")
    XCTAssertEqual(
      detail { try either.reform([:], from: self.source) },
      "none of 2 reformers fits: new: expected a string, found nothing; old: expected a string, found nothing"
    )
  }

  // MARK: Decodable

  private struct Home: Decodable, Sendable, Equatable {
    struct Price: Decodable, Sendable, Equatable { var usd: Int }
    var title: String
    var price: Price
  }

  func testADecodableValueIsMadeOfTheValueAtItsPath() throws {
    let homes = DecodableReformer<[Home]>(at: "result.rows")
    XCTAssertEqual(
      try homes.reform(RecordedResponses.ames, from: source),
      [Home(title: "One-storey family home, North Ames", price: Home.Price(usd: 215_000))])
  }

  func testADecodingErrorNamesPathExpectedAndFound() throws {
    let homes = DecodableReformer<[Home]>(at: [.service("s"): "rows"])
    XCTAssertEqual(
      detail { try homes.reform(["rows": [["title": "x", "price": ["usd": "1"]]]], from: self.source) },
      "rows[0].price.usd: expected an integer, found a string")
    XCTAssertEqual(
      detail { try homes.reform(["rows": [["title": "x"]]], from: self.source) },
      "rows[0].price: the member price is missing; a member that the server may omit is declared Optional")
    XCTAssertEqual(
      detail { try homes.reform([:], from: self.source) }, "rows: expected a value, found nothing")
  }

  // MARK: -

  private func detail<Value>(_ body: () throws -> Value) -> String? {
    do {
      _ = try body()
      return nil
    } catch {
      return (error as? APIError)?.detail ?? "\(error)"
    }
  }
}

private final class OtherManager: BaseAPIManager {}

private final class Counter: @unchecked Sendable {
  // Only the one task of the test counts.
  var count = 0
  func next() -> Int {
    count += 1
    return count
  }
}
