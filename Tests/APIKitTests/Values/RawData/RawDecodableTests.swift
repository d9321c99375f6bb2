import APIKit
import APIKitTesting
import APIKitXML
import Foundation
import TestSupport
import XCTest

final class RawDecodableTests: XCTestCase {
  /// What both protocols read, member by member in one order.
  fileprivate struct Home: Equatable {
    var id: Int
    var small: UInt8
    var name: String
    var price: Double
    var exact: Decimal
    var open: Bool
    var seen: Date?
    var tags: [String]
    var place: Place?
  }
  fileprivate struct Place: Equatable {
    var latitude: Double
    var longitude: Float
  }

  private func outcome<Value>(_ read: () throws(APIError) -> Value) -> Result<Value, APIError> {
    Result { () throws(APIError) in try read() }
  }

  func testTheSameIsReadAndRefusedAsByDecodable() throws {
    let good = [
      "id": "7", "small": "255", "name": #""Lin \"x\" 🏠""#, "price": "12.5", "exact": "0.1", "open": "true",
      "seen": #""2026-03-01T08:30:00Z""#, "tags": #"["a","b"]"#, "place": #"{"latitude":1,"longitude":2.5}"#,
    ]
    let names = ["id", "small", "name", "price", "exact", "open", "seen", "tags", "place"]
    let hostile = [
      "null", "true", "0", "-1", "256", "1.5", "1e400", "-0", "1e2", "12345678901234567890123", #""text""#,
      #""""#,
      #""\ud83c""#, "[]", "{}", "[1]", #"["a",null]"#, #"{"latitude":1}"#,
      #"{"latitude":"n/a","longitude":2}"#,
      #"{"latitude":1,"longitude":1e39}"#, #""2026-02-30""#, "9223372036854775807", "9223372036854775808",
    ]
    func document(_ members: [(String, String)]) -> String {
      "{" + members.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
    }
    let whole = names.map { ($0, good[$0]!) }
    var documents = [
      document(whole), "{}", "[]", "null", "7", document(whole + whole), document(whole.reversed()),
    ]
    for (index, name) in names.enumerated() {
      documents.append(document(Array(whole[..<index] + whole[(index + 1)...])))
      for value in hostile {
        var members = whole
        members[index].1 = value
        documents.append(document(members))
        documents.append(document(whole + [(name, value)]))
      }
    }
    var refused = 0
    for json in documents {
      let raw = try RawData(parsing: #"{"rows":[\#(json)]}"#)
      let ours = outcome { () throws(APIError) in try raw.rows.decode(as: [RawHome].self).map(\.home) }
      let theirs = outcome { () throws(APIError) in try raw.rows.decode(as: [DecodableHome].self).map(\.home)
      }
      switch (ours, theirs) {
      case (.success(let ours), .success(let theirs)): XCTAssertEqual(ours, theirs, json)
      case (.failure(let ours), .failure(let theirs)):
        refused += 1
        XCTAssertEqual(ours.label, theirs.label, json)
        XCTAssertEqual(ours.stage, theirs.stage, json)
        XCTAssertEqual(ours.quote, theirs.quote, json)
        // The one names a missing member, and the other what its type expects.
        let isMissing = theirs.detail.contains(" is missing; ")
        XCTAssertEqual(isMissing ? path(ours) : ours.detail, isMissing ? path(theirs) : theirs.detail, json)
      default: XCTFail("\(ours) against \(theirs) for \(json)")
      }
    }
    XCTAssertGreaterThan(refused, 100)
  }

  private func path(_ error: APIError) -> String { String(error.detail.prefix { $0 != ":" }) }

  private struct RawHome: RawDecodable {
    var home: Home
    init(_ raw: borrowing RawData) throws {
      let raw = try raw.require(.object)
      home = Home(
        id: try raw.id.require(), small: try raw.small.require(), name: try raw.name.require(),
        price: try raw.price.require(), exact: try raw.exact.require(), open: try raw.open.require(),
        seen: try raw.seen.optional(), tags: try raw.tags.require(arrayOf: String.self),
        place: try Place?(raw.place))
    }
  }

  private struct DecodableHome: Decodable {
    enum CodingKeys: String, CodingKey { case id, small, name, price, exact, open, seen, tags, place }
    var home: Home
    init(from decoder: any Decoder) throws {
      let row = try decoder.container(keyedBy: CodingKeys.self)
      home = Home(
        id: try row.decode(Int.self, forKey: .id), small: try row.decode(UInt8.self, forKey: .small),
        name: try row.decode(String.self, forKey: .name), price: try row.decode(Double.self, forKey: .price),
        exact: try row.decode(Decimal.self, forKey: .exact), open: try row.decode(Bool.self, forKey: .open),
        seen: try row.decodeIfPresent(Date.self, forKey: .seen),
        tags: try row.decode([String].self, forKey: .tags),
        place: try row.decodeIfPresent(Place.self, forKey: .place))
    }
  }

  func testArraysOptionalsAndDictionariesOfATypeAreRead() throws {
    let raw = try RawData(
      parsing: #"{"a":{"latitude":1,"longitude":2},"b":null,"a":{"latitude":3,"longitude":4}}"#)
    XCTAssertEqual(
      try raw.decode(as: [String: Place?].self), ["a": Place(latitude: 3, longitude: 4), "b": nil])
    XCTAssertNil(try raw.missing.decode(as: Place?.self))
    XCTAssertEqual(
      try [Place]([["latitude": 1, "longitude": 2]] as RawData), [Place(latitude: 1, longitude: 2)])
    XCTAssertThrowsError(try raw.decode(as: [Place].self)) {
      XCTAssertEqual(($0 as? APIError)?.detail, "the top level: expected an array, found an object of 3")
    }
    XCTAssertThrowsError(try raw.all(forKey: "a").first!.latitude.decode(as: [String: Place].self)) {
      XCTAssertEqual(($0 as? APIError)?.detail, "a.latitude: expected an object, found a number")
    }
    let xml = try XMLBodyDecoder().decode(
      Array("<homes><home><latitude>1</latitude><longitude>2</longitude></home></homes>".utf8))
    XCTAssertEqual(try xml.homes.home.decode(as: [Place].self), [Place(latitude: 1, longitude: 2)])
  }

  func testErrorsOfATypesOwnAreKept() {
    struct Refusal: Error {}
    struct Picky: RawDecodable {
      init(_ raw: borrowing RawData) throws {
        if raw.int == 1 { throw Refusal() }
        throw raw.unexpected("a two")
      }
    }
    XCTAssertThrowsError(try RawData(parsing: "1").decode(as: Picky.self)) {
      XCTAssertEqual(($0 as? APIError)?.label, "reform.unexpected-value")
      XCTAssertTrue(($0 as? APIError)?.underlying is Refusal)
    }
    XCTAssertThrowsError(try RawData(parsing: "3").decode(as: Picky.self)) {
      XCTAssertEqual(($0 as? APIError)?.detail, "the top level: expected a two, found a number")
    }
  }

  func testDeeplyNestedValuesAreReadOnASmallStack() async throws {
    struct Nest: RawDecodable {
      var depth: Int
      init(_ raw: borrowing RawData) throws {
        depth = try raw.count == 0 ? 0 : Nest(raw[0]).depth + 1
      }
    }
    let raw = try RawData(parsing: String(repeating: "[", count: 500) + String(repeating: "]", count: 500))
    let depth = try await Task.detached { try raw.decode(as: Nest.self).depth }.value
    XCTAssertEqual(depth, 499)
  }

  /// A type that is both says by which protocol it was read.
  fileprivate struct Both: RawDecodable, Decodable, Sendable, Equatable {
    var by: String
    init(_ raw: borrowing RawData) throws { by = "raw \(try raw.n.require(Int.self))" }
    init(from decoder: any Decoder) throws { by = "decodable" }
  }

  func testATypeThatIsBothIsReadByTheFasterProtocol() throws {
    let raw: RawData = ["n": 1]
    XCTAssertEqual(try raw.decode(as: Both.self).by, "raw 1")
    let typed: Both = try raw.decode()
    XCTAssertEqual(typed.by, "raw 1")
    XCTAssertEqual(try ([raw] as RawData).decode(as: [Both].self).map(\.by), ["raw 1"])
    XCTAssertEqual(try raw.decode(as: Both.self, options: .default).by, "decodable")
  }

  @MainActor func testResponsesAreReadByItWithTheContextOfTheirLoad() async throws {
    let response = try await OnlyManager(ReadingService(StubTransport(.json(#"{"n": 7}"#)))).response()
    XCTAssertEqual(try response.decode(as: OnlyManager.Output.self).n, 7)
    XCTAssertEqual(try response.decode(as: Both.self).by, "raw 7")
    let wrong = try await OnlyManager(ReadingService(StubTransport(.json(#"{"n": "x"}"#)))).response()
    for read in [
      { _ = try wrong.decode(as: OnlyManager.Output.self) }, { _ = try wrong.decode(as: Both.self) },
    ] {
      XCTAssertThrowsError(try read()) { error in
        XCTAssertEqual((error as? APIError)?.detail, "n: expected an integer, found a string")
        XCTAssertEqual((error as? APIError)?.context.apiName, "only")
        XCTAssertEqual((error as? APIError)?.context.status, 200)
      }
    }
  }

  @MainActor func testManagersReadTheirOutputByIt() async throws {
    let stub = StubTransport(.json(#"{"n": 7}"#))
    let service = ReadingService(stub)
    let both = try await BothManager(service).value()
    XCTAssertEqual(both.by, "raw 7")
    let asked = try await BothManager(service).value(["page": 2])
    XCTAssertEqual(asked.by, "raw 7")
    let encoded = try await BothManager(service).value(ReadingQuery(page: 3))
    XCTAssertEqual(encoded.by, "raw 7")
    let only = try await OnlyManager(service).value()
    XCTAssertEqual(only.n, 7)
    let onlyEncoded = try await OnlyManager(service).value(ReadingQuery(page: 3))
    XCTAssertEqual(onlyEncoded.n, 7)
    let stated = try await OnlyManager(service).value(as: Both.self)
    XCTAssertEqual(stated.by, "raw 7")
    XCTAssertEqual(stub.requests.count, 6)
    do {
      _ = try await OnlyManager(ReadingService(StubTransport(.json(#"{"n": "x"}"#)))).value()
      XCTFail("nothing was thrown")
    } catch {
      XCTAssertEqual(error.label, "reform.unexpected-value")
      XCTAssertEqual(error.detail, "n: expected an integer, found a string")
    }
  }
}

extension RawDecodableTests.Place: RawDecodable, Decodable {
  fileprivate init(_ raw: borrowing RawData) throws {
    let raw = try raw.require(.object)
    self.init(latitude: try raw.latitude.require(), longitude: try raw.longitude.require())
  }
}

private struct ReadingQuery: Encodable {
  var page: Int
}

private final class ReadingService: APIService {
  let name = "Reading"
  let environments = ServiceEnvironments("https://reading.example.com")
  let wire: WireOptions
  init(_ stub: StubTransport) { wire = WireOptions(client: HTTPClient(transport: stub)) }
}

private final class BothManager: BaseAPIManager, APIManager {
  typealias Output = RawDecodableTests.Both
  let service: ReadingService
  let apiName = "both"
  init(_ service: ReadingService) {
    self.service = service
    super.init()
  }
}

private final class OnlyManager: BaseAPIManager, APIManager {
  struct Output: RawDecodable, Sendable {
    var n: Int
    init(_ raw: borrowing RawData) throws { n = try raw.n.require() }
  }
  let service: ReadingService
  let apiName = "only"
  init(_ service: ReadingService) {
    self.service = service
    super.init()
  }
}
