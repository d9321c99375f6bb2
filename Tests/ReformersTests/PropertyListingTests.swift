import APIKit
import Reformers
import XCTest

/// The two cases reformers exist for.
final class PropertyListingTests: XCTestCase {
  func testThreeAPIsWithThreeVocabulariesAreStandardisedByOneReformer() throws {
    let reformer = PropertyListReformer()
    let rows =
      try reformer.reform(RecordedResponses.sacramento, from: RecordedResponses.source("sacramento"))
      + reformer.reform(RecordedResponses.ames, from: RecordedResponses.source("ames"))
      + reformer.reform(RecordedResponses.new, from: RecordedResponses.source("new-homes"))

    // What shows the rows knows the keys and no service.
    XCTAssertEqual(rows.map { $0[.id] }, ["sac-1", "sac-2", "ames-1", "xf-17"])
    XCTAssertEqual(rows.map { $0[.price] }, [59222, 68212, 215_000, 189_900])
    XCTAssertEqual(rows.map { $0[.place] }, ["Sacramento", "Sacramento", "North Ames", "Gilbert"])
    XCTAssertEqual(rows.map { $0[.baths] }, [1, 1.5, 1.5, 2.5])
    XCTAssertEqual(rows.map { $0[.area] }, [836, 1167, 1656, 1629])
    XCTAssertEqual(rows.map { $0[.year] }, [nil, nil, 1960, 2009])
    XCTAssertEqual(rows.map { $0[.zip] }, ["95838", nil, nil, nil])
    XCTAssertEqual(rows.map { $0[.service] }, ["sacramento", "sacramento", "ames", "new-homes"])
  }

  func testOneAPIIsShownAsAListAndAsAMapByTwoReformers() throws {
    let source = RecordedResponses.source("ames")
    let rows = try PropertyListReformer().reform(RecordedResponses.ames, from: source)
    let points = try PropertyMapReformer().reform(RecordedResponses.ames, from: source)
    XCTAssertEqual(rows.map { $0[.id] }, points.map(\.id))
    XCTAssertEqual(
      points,
      [
        PropertyMapReformer.Point(
          id: "ames-1", name: "One-storey family home, North Ames", price: 215_000, latitude: 42.054035,
          longitude: -93.619754)
      ])
    let new = try PropertyMapReformer().reform(
      RecordedResponses.new, from: RecordedResponses.source("new-homes"))
    XCTAssertEqual(new.first?.longitude, -93.638933)
    XCTAssertEqual(
      try PropertyMapReformer().reform(
        RecordedResponses.sacramento, from: RecordedResponses.source("sacramento")
      ).count, 2)
  }

  func testADetailHasTheKeysOfTheList() throws {
    let response: RawData = ["status": "ok", "result": RecordedResponses.ames.result.rows[0]]
    let home = try PropertyDetailReformer().reform(response, from: RecordedResponses.source("ames"))
    XCTAssertEqual(home[.name], "One-storey family home, North Ames")
    XCTAssertEqual(home[.year], 1960)
  }

  func testTheKeysCarryTheirReformersName() throws {
    let rows = try PropertyListReformer().reform(
      RecordedResponses.ames, from: RecordedResponses.source("ames"))
    XCTAssertEqual(ReformedKey<PropertyListReformer, String>.name.fullName, "PropertyListReformer.name")
    XCTAssertEqual(rows[0].dictionary["PropertyListReformer.price"] as? Int, 215_000)
    XCTAssertNil(rows[0].dictionary["PropertyListReformer.zip"])
    XCTAssertEqual(rows[0].description.prefix(10), "id: ames-1")
  }

  func testAnUnknownSourceIsNamed() {
    XCTAssertThrowsError(
      try PropertyListReformer().reform(RecordedResponses.ames, from: RecordedResponses.source("mars"))
    ) {
      error in
      let error = error as? APIError
      XCTAssertEqual(error?.reason, .misconfigured)
      XCTAssertTrue(error?.detail.contains("homes of mars") == true, "\(error?.detail ?? "")")
    }
  }

  func testAnErrorNamesPathExpectedAndFound() {
    let damaged: RawData = ["result": ["rows": [["id": 1, "title": "x", "price": ["usd": "n/a"]]]]]
    XCTAssertThrowsError(try PropertyListReformer().reform(damaged, from: RecordedResponses.source("ames"))) {
      error in
      XCTAssertEqual(
        (error as? APIError)?.detail,
        "result.rows[0].price.usd: expected an integer, found a string")
    }
  }
}
