import APIKit
import DemoServer
@testable import TestSupport
import XCTest

/// The document that the server publishes of its listings, against what it sends.
final class OpenAPIDocumentTests: XCTestCase {
  private var server: DemoServer!
  private var document: RawData!

  override func setUp() async throws {
    server = try DemoServer()
    document = try get("/sacramento/v1/openapi.json", status: 200)
  }
  override func tearDown() async throws { server = nil }

  private func get(_ target: String, status: Int, from other: DemoServer? = nil) throws -> RawData {
    let client = RawClient(port: (other ?? server).port)
    client.send("GET \(target) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    let text = client.readToEnd()
    XCTAssertEqual(text.split(separator: " ").dropFirst().first.flatMap { Int($0) }, status, target)
    let parts = text.components(separatedBy: "\r\n\r\n")
    XCTAssertTrue(parts[0].contains("Content-Type: application/json"), target)
    return try RawData(parsing: parts.dropFirst().joined(separator: "\r\n\r\n"))
  }

  /// The names of a page's homes, of a response that is as the document says.
  private func homes(_ query: String, file: StaticString = #filePath, line: UInt = #line) throws -> RawData {
    let response = try get("/sacramento/v1/homes?\(query)", status: 200)
    let reply = schema(of: "/homes", status: "200")
    XCTAssertEqual(faults(of: response, in: reply), [], query, file: file, line: line)
    return response
  }

  private func schema(of path: String, status: String) -> RawData {
    document["paths"][path]["get"]["responses"][status]["content"]["application/json"]["schema"]
  }

  private var parameters: [RawData] { Array(document["paths"]["/homes"]["get"]["parameters"].elements) }

  /// What of a value the schema does not say; a member that it does not name is a fault, too.
  private func faults(of value: RawData, in schema: RawData, _ place: String = "#") -> [String] {
    if let reference = schema["$ref"].string {
      let name = String(reference.split(separator: "/").last ?? "")
      return faults(of: value, in: document["components"]["schemas"][name], place)
    }
    if schema["anyOf"].exists {
      let each = schema["anyOf"].elements.map { faults(of: value, in: $0, place) }
      return each.contains([]) ? [] : each.flatMap { $0 }
    }
    let fits =
      switch schema["type"].string {
      case "null": value.isNull
      case "string": value.string != nil
      case "integer": value.int != nil
      case "number": value.double != nil
      case "array": value.kind == .array
      case "object": value.kind == .object
      default: false
      }
    guard fits else { return ["\(place) is no \(schema["type"].string ?? "type that is known")"] }
    if schema["enum"].exists, !schema["enum"].elements.contains(where: { $0.string == value.string }) {
      return ["\(place) is none of the known values"]
    }
    let names = Set(schema["properties"].keys)
    let missing = schema["required"].elements.compactMap(\.string).filter { !value[$0].exists }
    return missing.map { "\(place)/\($0) is missing" }
      + value.keys.filter { !names.contains($0) }.map { "\(place)/\($0) is not described" }
      + value.keys.filter(names.contains).flatMap {
        faults(of: value[$0], in: schema["properties"][$0], "\(place)/\($0)")
      }
      + value.elements.enumerated().flatMap {
        faults(of: $1, in: schema["items"], "\(place)/\($0)")
      }
  }

  func testTheCheckFindsWhatIsNotDescribed() throws {
    let location = document["components"]["schemas"]["Location"]
    let wrong = try RawData(parsing: #"{"lat": "38", "height": 3}"#)
    XCTAssertEqual(
      faults(of: wrong, in: location),
      ["#/lon is missing", "#/height is not described", "#/lat is no number"])
  }

  func testEveryPageOfHomesIsAsDescribed() throws {
    let count = try homes("per_page=100")["data"].pages.int ?? 0
    XCTAssertEqual(count, 10)
    for page in 1...count + 1 { _ = try homes("per_page=100&page=\(page)") }
  }

  func testEveryDescribedParameterIsUnderstood() throws {
    XCTAssertEqual(document["servers"][0]["url"].string, "/sacramento/v1")
    XCTAssertEqual(parameters.count, 11)
    let all = try homes("")["data"]
    let values = [
      "min_price": "300000", "max_price": "200000", "min_area": "2000", "max_area": "1500", "min_beds": "4",
      "city": "elk%20grove", "home_type": "Condo", "q": "folsom", "sort": "-asking_price", "page": "2",
      "per_page": "7",
    ]
    for parameter in parameters {
      let name = try XCTUnwrap(parameter.name.string)
      let value = try XCTUnwrap(values[name], "\(name) has no value in this test")
      let found = try homes("\(name)=\(value)")
      XCTAssertEqual(found.code.int, 0)
      XCTAssertNotEqual(found["data"].jsonText(), all.jsonText(), "\(name) changes nothing")
      guard parameter.schema.type.string == "integer" else { continue }
      // A failure is described, too.
      let refused = try homes("\(name)=many")
      XCTAssertEqual(refused.code.int, 1002, name)
      XCTAssertTrue(refused["data"].isNull)
    }
  }

  func testTheDescribedOrdersAndLimitsAreThoseOfTheServer() throws {
    let schemas = Dictionary(uniqueKeysWithValues: parameters.map { ($0.name.string ?? "", $0["schema"]) })
    let orders = try XCTUnwrap(schemas["sort"]?["enum"].elements.compactMap(\.string))
    XCTAssertEqual(orders.count, 8)
    for order in orders {
      let homes = try homes("per_page=100&sort=\(order)")["data"]["items"].elements
      let name = String(order.drop { $0 == "-" })
      let steps = zip(homes, homes.dropFirst()).map { (first: RawData, second: RawData) in
        order.hasPrefix("-") ? (low: second[name], high: first[name]) : (low: first[name], high: second[name])
      }
      for step in steps {
        if let low = step.low.string, let high = step.high.string {
          XCTAssertLessThanOrEqual(low, high, order)
        } else {
          XCTAssertLessThanOrEqual(try step.low.require(Int.self), try step.high.require(Int.self), order)
        }
      }
    }
    XCTAssertEqual(try homes("sort=age").code.int, 1002)
    let size = try XCTUnwrap(schemas["per_page"])
    XCTAssertEqual(try homes("")["data"].per_page.int, size["default"].int)
    XCTAssertEqual(try homes("per_page=5000")["data"].per_page.int, size["maximum"].int)
    XCTAssertEqual(try homes("")["data"].page.int, schemas["page"]?["default"].int)
  }

  func testOneHomeAndNoneAreAsDescribed() throws {
    let home = try get("/sacramento/v1/homes/sac-17", status: 200)
    XCTAssertEqual(faults(of: home, in: schema(of: "/homes/{id}", status: "200")), [])
    XCTAssertEqual(home["data"].home_id.string, "sac-17")
    let none = try get("/sacramento/v1/homes/sac-0", status: 404)
    XCTAssertEqual(faults(of: none, in: schema(of: "/homes/{id}", status: "404")), [])
  }

  func testWithSignaturesTheDocumentIsReadAndTheRefusalIsDescribed() throws {
    let signed = try DemoServer(signatures: .standard())
    XCTAssertEqual(
      try get("/sacramento/v1/openapi.json", status: 200, from: signed).jsonText(), document.jsonText())
    let refused = try get("/sacramento/v1/homes", status: 200, from: signed)
    XCTAssertEqual(refused.code.int, 1001)
    XCTAssertEqual(faults(of: refused, in: schema(of: "/homes", status: "200")), [])
  }
}
