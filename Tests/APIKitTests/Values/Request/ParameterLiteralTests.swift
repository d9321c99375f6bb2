import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit

/// What a dictionary literal of parameters takes, and what becomes of it.
final class ParameterLiteralTests: XCTestCase {
  private enum Kind: String, Encodable { case flat }
  private enum District: String, ParameterConvertible { case garden = "园区" }
  private struct Place: ParameterConvertible {
    var parameterValue: ParameterValue { "31.3,120.6" }
  }
  private struct Search: Encodable {
    var city: String
    var beds: Int?
    var tags: [String] = []
    var near = Place()
    var within = Range(least: 1, most: nil)

    struct Range: Encodable {
      var least: Int
      var most: Int?
    }
  }

  func testVariablesOfEveryKindGoIn() {
    let (city, beds, rate, isNew, tags, day) = (
      "Suzhou", 3, 0.5, true, ["a", "b"], Date(timeIntervalSince1970: 9)
    )
    let (missing, there): (Int?, Int?) = (nil, 7)
    let bytes: [UInt8] = [1, 2]
    let parameters: Parameters = [
      "city": city, "beds": beds, "rate": rate, "new": isNew, "tags": tags, "day": day, "missing": missing,
      "there": there, "kind": Kind.flat, "district": District.garden, "place": Place(), "bytes": bytes,
      "url": URL(fileURLWithPath: "/a"), "null": ParameterValue.null, "small": UInt8(200), "big": UInt64(5),
      "none": [Int?](arrayLiteral: 1, nil), "half": Float(0.1), "name": ParameterValue("sub".dropFirst()),
      "map": ["b": 1, "a": 2],
    ]
    XCTAssertEqual(
      parameters.names,
      [
        "city", "beds", "rate", "new", "tags", "day", "there", "kind", "district", "place", "bytes", "url",
        "null", "small", "big", "none", "half", "name", "map",
      ])
    XCTAssertEqual(parameters["city"], "Suzhou")
    XCTAssertEqual(parameters["beds"], 3)
    XCTAssertEqual(parameters["rate"], 0.5)
    XCTAssertEqual(parameters["new"], true)
    XCTAssertEqual(parameters["tags"], ["a", "b"])
    XCTAssertEqual(parameters["day"], .date(day))
    XCTAssertEqual(parameters["there"], 7)
    XCTAssertEqual(parameters["kind"], "flat")
    XCTAssertEqual(parameters["district"], "园区")
    XCTAssertEqual(parameters["place"], "31.3,120.6")
    XCTAssertEqual(parameters["bytes"], .data([1, 2]))
    XCTAssertEqual(parameters["url"], "file:///a")
    XCTAssertEqual(parameters["null"], .null)
    XCTAssertEqual(parameters["small"], 200)
    XCTAssertEqual(parameters["big"], 5)
    XCTAssertEqual(parameters["none"], [1, nil])
    XCTAssertEqual(parameters["half"], 0.1)
    XCTAssertEqual(parameters["name"], "ub")
    guard case .object(let map)? = parameters["map"] else { return XCTFail("no object") }
    XCTAssertEqual(map.names, ["a", "b"])
    XCTAssertNil(parameters.failure)
  }

  func testAStructGoesInWholeOrAsAValue() throws {
    let search = Search(city: "Suzhou", beds: nil, tags: ["new"])
    let whole = Parameters(encoding: search)
    XCTAssertEqual(whole.names, ["city", "tags", "near", "within"])
    XCTAssertEqual(whole["near"], "31.3,120.6")
    XCTAssertEqual(whole["within"], ["least": 1])
    let part: Parameters = ["q": search, "all": [search]]
    XCTAssertEqual(part["q"], .object(whole))
    XCTAssertEqual(part["all"], .array([.object(whole)]))
  }

  func testAValueThatCannotBeEncodedRefusesTheLoadByItsPath() async throws {
    struct Bad: Encodable {
      var list = [Huge()]
      struct Huge: Encodable { var size = Odd() }
      struct Odd: Encodable {
        func encode(to encoder: any Encoder) throws { throw CancellationError() }
      }
    }
    let bad: Parameters = ["a": 1, "b": Bad()]
    XCTAssertEqual(bad.failure?.reason, .unencodableParameter)
    XCTAssertTrue(bad.failure?.detail.contains("\"b.list[0].size\"") ?? false, bad.failure?.detail ?? "")
    let text = Parameters(encoding: "text")
    XCTAssertTrue(text.failure?.detail.contains("String has no named members") ?? false)
    for parameters in [bad, text, bad.merging(["c": 1]), bad.removing(["b"]), Parameters().merging(bad)] {
      let stub = StubTransport(.json("{}"))
      let error = try await errorThrown { () throws(APIError) in
        try await TestManager(stub).response(parameters)
      }
      XCTAssertEqual(error.reason, .unencodableParameter)
      XCTAssertTrue(stub.requests.isEmpty)
    }
  }

  func testParametersInsideOfOthersThatCannotBeEncodedRefuseTheLoadToo() async throws {
    struct Bad: Encodable {
      func encode(to encoder: any Encoder) throws { throw CancellationError() }
    }
    struct Order: Encodable { var items: [Parameters] }
    let bad: Parameters = ["a": Bad(), "b": 1]
    var set: Parameters = ["c": 1]
    set["items"] = ParameterValue(bad)
    let all: [Parameters] = [
      ["items": bad], ["items": [bad]], ["items": ["x": bad]], ["items": [[bad]]],
      ["items": ParameterValue.array([.object(bad)])], Parameters([("items", .object(bad))]), set,
      Parameters(encoding: Order(items: [bad])),
    ]
    for parameters in all {
      let stub = StubTransport(.json("{}"))
      let error = try await errorThrown { () throws(APIError) in
        try await TestManager(stub).response(parameters)
      }
      XCTAssertEqual(error.reason, .unencodableParameter)
      XCTAssertTrue(error.detail.contains("\"a\""), error.detail)
      XCTAssertTrue(stub.requests.isEmpty)
    }
    XCTAssertThrowsError(try RawData(encoding: [bad]))
  }

  func testTheErrorOfAValueThatRefusesToBeEncodedDoesNotTellIt() {
    struct Card: Encodable {
      let number: String
      func encode(to encoder: any Encoder) throws {
        throw EncodingError.invalidValue(number, .init(codingPath: [], debugDescription: "it is too short"))
      }
    }
    let detail = (["card": Card(number: "4111")] as Parameters).failure?.detail ?? ""
    XCTAssertTrue(detail.hasSuffix("Card cannot be encoded: it is too short"), detail)
  }

  func testParametersAreEncodableThemselves() throws {
    let parameters: Parameters = [
      "b": 1, "a": ["x": [1.5, true]] as ParameterValue, "n": ParameterValue.null,
    ]
    let json = try JSONEncoder().encode(parameters)
    let raw = try RawData(parsing: Array(json))
    XCTAssertEqual(raw.b.int, 1)
    XCTAssertEqual(raw.a.x[0].double, 1.5)
    XCTAssertTrue(raw.n.isNull)
    XCTAssertEqual(Parameters(encoding: parameters), parameters)
  }

  func testANumberThatNeitherIntNorDoubleHoldsIsSentWithItsDigits() throws {
    struct Account: Codable, Equatable {
      var id: UInt64
      var balance: Decimal
    }
    let account = Account(id: .max, balance: try XCTUnwrap(Decimal(string: "12345678901234567890.05")))
    let body = try JSONBodyEncoder().encode(Parameters(encoding: account))
    XCTAssertEqual(
      String(decoding: body, as: UTF8.self),
      #"{"id":18446744073709551615,"balance":12345678901234567890.05}"#)
    XCTAssertEqual(try RawData(parsing: body).decode(as: Account.self), account)
    XCTAssertEqual(
      try QueryEncoder().encode(["id": UInt64.max, "price": Decimal(9) / 2]),
      "id=18446744073709551615&price=4.5")
    assertFails(.unencodableParameter, "price") { try JSONBodyEncoder().encode(["price": Decimal.nan]) }
  }

  func testTheTimeOfManyParametersGrowsWithTheirNumber() throws {
    struct Row: Encodable { var a = 1 }
    let names = (0..<30_000).map { "name-\($0)" }
    let start = Duration.ofProcessor
    let parameters = Parameters(encoding: Dictionary(uniqueKeysWithValues: names.map { ($0, Row()) }))
    XCTAssertEqual(parameters.count, names.count)
    XCTAssertEqual(parameters.merging(Parameters(names.map { ($0, 1) })).count, names.count)
    XCTAssertEqual(parameters, parameters.masked)
    let encoding = ParameterEncoding.json.named(["a": "b"])
    var request = HTTPRequest(method: .post, url: "https://a/")
    try encoding.apply(parameters, to: &request)
    XCTAssertEqual(encoding.signed(parameters).count, names.count)
    XCTAssertEqual(try RawData(encoding: names.map { _ in Row() }).count, names.count)
    // Each of these took a minute where all names were compared with each other.
    XCTAssertLessThan(.ofProcessor - start, .seconds(20))
  }

  func testTheLastOfManyPairsWithOneNameIsAtThePlaceOfTheFirst() {
    let pairs = (0..<100).map { ("n\($0 % 50)", ParameterValue.integer($0)) }
    let parameters = Parameters(pairs)
    XCTAssertEqual(parameters.names, (0..<50).map { "n\($0)" })
    XCTAssertEqual(parameters["n7"], 57)
    XCTAssertEqual(parameters, Parameters(pairs.suffix(50).reversed()))
    XCTAssertNotEqual(parameters, Parameters(pairs.prefix(50)))
    XCTAssertEqual(Parameters((0..<40).map { ("e\($0)", 1) } + [("e\u{301}", 1), ("\u{E9}", 2)]).count, 42)
  }

  func testParametersEqualThemselvesWhateverNumbersTheyHave() {
    let values: [ParameterValue] = [
      .double(.nan), .date(Date(timeIntervalSinceReferenceDate: .nan)), .double(.infinity), .double(-0.0),
    ]
    for value in values {
      let parameters: Parameters = ["a": value, "b": ParameterValue.array([value])]
      XCTAssertEqual(parameters, parameters, value.shownText)
      XCTAssertEqual(Set([parameters, parameters]).count, 1, value.shownText)
    }
    XCTAssertEqual(Set<ParameterValue>([.double(.nan), .double(-.nan), .double(.signalingNaN)]).count, 1)
    XCTAssertNotEqual(ParameterValue.double(.nan), .double(0))
  }
}
