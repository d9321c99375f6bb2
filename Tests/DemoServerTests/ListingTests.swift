import APIKit
import APIKitXML
import DemoServer
import Foundation
@testable import TestSupport
import XCTest

/// The three listing services, their paging, filters, errors and misbehaviour on request.
final class ListingTests: XCTestCase {
  private var server: DemoServer!

  override func setUp() async throws { server = try DemoServer() }
  override func tearDown() async throws { server = nil }

  private struct Response {
    var status: Int
    var head: String
    var body: Data
    var json: [String: Any] { (try? JSONSerialization.jsonObject(with: body)) as? [String: Any] ?? [:] }
    func object(_ name: String) -> [String: Any] { json[name] as? [String: Any] ?? [:] }
  }

  private func get(_ target: String, _ headers: String = "", from other: DemoServer? = nil) -> Response {
    let client = RawClient(port: (other ?? server).port)
    client.send("GET \(target) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\(headers)\r\n")
    let text = client.readToEnd()
    let parts = text.components(separatedBy: "\r\n\r\n")
    let status = Int(text.split(separator: " ").dropFirst().first ?? "") ?? 0
    return Response(
      status: status, head: parts[0], body: Data(parts.dropFirst().joined(separator: "\r\n\r\n").utf8))
  }

  private func field(_ name: String, of response: Response) -> String? {
    response.head.components(separatedBy: "\r\n").first { $0.hasPrefix(name + ": ") }
      .map { String($0.dropFirst(name.count + 2)) }
  }

  func testEachServiceWordsTheSameFactsItsOwnWay() throws {
    let sacramento = get("/sacramento/v1/homes")
    XCTAssertEqual(sacramento.json["code"] as? Int, 0)
    XCTAssertEqual(sacramento.object("data")["total"] as? Int, 932)
    let home = try XCTUnwrap((sacramento.object("data")["items"] as? [[String: Any]])?.first)
    XCTAssertEqual(home["home_id"] as? String, "sac-1")
    XCTAssertEqual(home["asking_price"] as? Int, 59222)
    XCTAssertEqual(home["city"] as? String, "Sacramento")
    XCTAssertEqual((home["location"] as? [String: Double])?["lat"], 38.631913)

    let ames = get("/ames/v2/listings")
    XCTAssertEqual(ames.object("result")["count"] as? Int, 2930)
    let row = try XCTUnwrap((ames.object("result")["rows"] as? [[String: Any]])?.first)
    XCTAssertEqual(row["id"] as? Int, 1)
    XCTAssertEqual((row["price"] as? [String: Int])?["usd"], 215000)
    XCTAssertEqual(row["neighborhood"] as? String, "North Ames")

    let new = get("/new/v1/projects")
    XCTAssertEqual(new.json["xf_total"] as? Int, 335)
    let project = try XCTUnwrap((new.json["xf_list"] as? [[String: Any]])?.first)
    XCTAssertTrue((project["xf_price"] as? String ?? "").hasSuffix(".00"))
  }

  func testNewHomesAreXMLOnOnePathAndPicturesOnAnother() throws {
    let feed = get("/new/v1/feed")
    XCTAssertEqual(field("Content-Type", of: feed), "application/xml")
    let raw = try XMLBodyDecoder().decode(Array(feed.body)).homes
    XCTAssertEqual(raw["@count"].int, 335)
    XCTAssertEqual(raw.home.elements.count, 335)
    XCTAssertGreaterThan(raw.home[0].price.int ?? 0, 10_000)
    XCTAssertEqual(raw.home[0].price["@currency"].string, "USD")
    for path in ["/sacramento/v1/pictures/sac-17", "/ames/v2/pictures/17", "/new/v1/pictures/xf-39"] {
      XCTAssertEqual(get(path).status, 200, path)
    }
    for path in [
      "/sacramento/v1/pictures/17", "/ames/v2/pictures/0", "/new/v1/pictures/xf-99999", "/ames/v2/pictures/a",
    ] {
      XCTAssertEqual(get(path).status, 404, path)
    }
  }

  func testEveryHomeStandsOnExactlyOnePage() {
    var seen: [String] = []
    var page = 1
    while true {
      let data = get("/sacramento/v1/homes?page=\(page)&per_page=100").object("data")
      seen += (data["items"] as? [[String: Any]] ?? []).compactMap { $0["home_id"] as? String }
      guard page < data["pages"] as? Int ?? 0 else { break }
      page += 1
    }
    XCTAssertEqual(page, 10)
    XCTAssertEqual(seen, (1...932).map { "sac-\($0)" })

    var ids: [Int] = []
    var offset: Int? = 0
    while let start = offset {
      let result = get("/ames/v2/listings?offset=\(start)&limit=100").object("result")
      ids += (result["rows"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? Int }
      offset = result["next_offset"] as? Int
    }
    XCTAssertEqual(ids, Array(1...2930))

    var projects: [String] = []
    var target: String? = "/new/v1/projects?size=50&kind=OneFam"
    while let next = target {
      let response = get(next)
      projects += (response.json["xf_list"] as? [[String: Any]] ?? []).compactMap { $0["xf_id"] as? String }
      target = field("Link", of: response).map { String($0.dropFirst().prefix { $0 != ">" }) }
      XCTAssertEqual(target == nil, response.json["xf_cursor"] is NSNull)
    }
    XCTAssertGreaterThan(projects.count, 100)
    XCTAssertEqual(Set(projects).count, projects.count)
  }

  func testFiltersAndOrdersHoldForEveryRow() {
    let items =
      get(
        "/sacramento/v1/homes?min_price=200000&max_price=300000&min_beds=3&min_area=1500&city=elk_grove"
          + "&sort=-asking_price"
      ).object("data")["items"] as? [[String: Any]] ?? []
    let prices = items.compactMap { $0["asking_price"] as? Int }
    XCTAssertGreaterThan(prices.count, 3)
    XCTAssertEqual(prices, prices.sorted(by: >))
    XCTAssertTrue(prices.allSatisfy { (200_000...300_000).contains($0) })
    XCTAssertTrue(items.allSatisfy { $0["city"] as? String == "Elk Grove" && $0["beds"] as? Int ?? 0 >= 3 })

    let rows =
      get("/ames/v2/listings?neighborhood=Old%20Town&living_to=1000&order_by=living&direction=desc")
      .object("result")["rows"] as? [[String: Any]] ?? []
    let areas = rows.compactMap { ($0["size"] as? [String: Int])?["living_sqft"] }
    XCTAssertEqual(areas.count, 20)
    XCTAssertEqual(areas, areas.sorted(by: >))
    XCTAssertLessThanOrEqual(areas[0], 1000)

    let projects = get("/new/v1/projects?sort=cheapest").json["xf_list"] as? [[String: Any]] ?? []
    let cheap = projects.compactMap { ($0["xf_price"] as? String).flatMap(Double.init) }
    XCTAssertEqual(cheap, cheap.sorted())
  }

  func testASearchFindsHomesThatHaveEachOfItsWords() throws {
    func items(_ words: String) -> [[String: Any]] {
      get("/sacramento/v1/homes?per_page=100&q=\(words)").object("data")["items"] as? [[String: Any]] ?? []
    }
    let found = items("elk+RESID")
    XCTAssertFalse(found.isEmpty)
    for home in found {
      XCTAssertEqual(home["city"] as? String, "Elk Grove")
      XCTAssertEqual(home["home_type"] as? String, "Residential")
    }
    XCTAssertEqual(items("95820").map { $0["zip"] as? String }.filter { $0 != "95820" }, [])
    XCTAssertTrue(items("elk+rio").isEmpty)
    XCTAssertEqual(items("").count, 100, "no words find all")
  }

  func testAHomeIsFoundByItsIDAndAnUnknownOneIsA404WithAReason() {
    XCTAssertEqual(get("/sacramento/v1/homes/sac-932").object("data")["home_id"] as? String, "sac-932")
    XCTAssertEqual(get("/ames/v2/listings/2930").object("result")["id"] as? Int, 2930)
    for target in ["/sacramento/v1/homes/sac-933", "/ames/v2/listings/0", "/new/v1/projects/xf-1"] {
      let response = get(target)
      XCTAssertEqual(response.status, 404, target)
      XCTAssertFalse(response.json.isEmpty, target)
    }
  }

  func testAParameterThatIsNotValidFailsInTheWayOfItsService() {
    let sacramento = get("/sacramento/v1/homes?page=two")
    XCTAssertEqual(sacramento.status, 200)
    XCTAssertEqual(sacramento.json["code"] as? Int, 1002)
    XCTAssertEqual(get("/ames/v2/listings?order_by=luck").status, 400)
    XCTAssertEqual(get("/new/v1/projects?cursor=nonsense").status, 422)
    XCTAssertEqual(get("/sacramento/v1/homes?page=99999999999").object("data")["total"] as? Int, 932)
  }

  func testAnUnchangedListingIsA304() throws {
    let first = get("/ames/v2/listings")
    let tag = try XCTUnwrap(field("ETag", of: first))
    let date = try XCTUnwrap(field("Last-Modified", of: first))
    let second = get("/ames/v2/listings", "If-None-Match: \"other\", \(tag)\r\n")
    XCTAssertEqual(second.status, 304)
    XCTAssertTrue(second.body.isEmpty)
    XCTAssertEqual(field("ETag", of: second), tag)
    XCTAssertEqual(get("/ames/v2/listings", "If-Modified-Since: \(date)\r\n").status, 304)
    XCTAssertEqual(
      get("/ames/v2/listings", "If-None-Match: \"other\"\r\nIf-Modified-Since: \(date)\r\n").status, 200)
    XCTAssertNotEqual(field("ETag", of: get("/ames/v2/listings?offset=20")), tag)
    XCTAssertEqual(server.counters.notModified, 2)
  }

  func testAWrongSignatureIsABusinessErrorHereAndA401There() throws {
    let check: DemoSignatures.Check = { request in
      request.headers["X-Sign"] == "right" ? nil : "the signature is wrong"
    }
    let server = try DemoServer(signatures: DemoSignatures(sacramento: check, ames: check))
    let sacramento = get("/sacramento/v1/homes", from: server)
    XCTAssertEqual(sacramento.status, 200)
    XCTAssertEqual(sacramento.json["code"] as? Int, 1001)
    XCTAssertEqual(get("/ames/v2/listings", from: server).status, 401)
    XCTAssertEqual(get("/new/v1/projects", from: server).status, 200)
    XCTAssertEqual(get("/ames/v2/listings", "X-Sign: right\r\n", from: server).status, 200)
  }

  // MARK: Misbehaviour

  func testItDelaysOnRequest() {
    let clock = ContinuousClock()
    let time = clock.measure { XCTAssertEqual(get("/ames/v2/listings", "X-Demo-Delay: 120\r\n").status, 200) }
    XCTAssertGreaterThanOrEqual(time, .milliseconds(120))
    let stalled = clock.measure { XCTAssertEqual(get("/new/v1/projects?demo_stall=120").status, 200) }
    XCTAssertGreaterThanOrEqual(stalled, .milliseconds(120))
  }

  func testADelayHoldsUpNobodyElse() {
    let slow = RawClient(port: server.port)
    slow.send("GET /ames/v2/listings HTTP/1.1\r\nHost: a\r\nX-Demo-Delay: 3000\r\n\r\n")
    let time = ContinuousClock().measure { XCTAssertEqual(get("/ames/v2/listings").status, 200) }
    XCTAssertLessThan(time, .seconds(2))
  }

  func testItFailsOnRequestAsOftenAsAsked() {
    let headers = "X-Demo-Fail: 503\r\nX-Demo-Times: 2\r\nX-Demo-Key: k\r\n"
    XCTAssertEqual((1...4).map { _ in get("/ames/v2/listings", headers).status }, [503, 503, 200, 200])
    XCTAssertEqual(get("/ames/v2/listings", "X-Demo-Fail: drop\r\n").head, "")
    let wrong = get("/ames/v2/listings?demo_fail=5O3")
    XCTAssertTrue(wrong.head.hasPrefix("HTTP/1.1 400"), wrong.head)
  }

  func testItCutsTheBodyOnRequest() {
    let response = get("/ames/v2/listings", "X-Demo-Truncate: 100\r\n")
    XCTAssertEqual(response.body.count, 100)
    XCTAssertGreaterThan(Int(field("Content-Length", of: response) ?? "") ?? 0, 1000)
  }

  func testItChunksOnRequest() {
    let response = get("/new/v1/projects", "X-Demo-Chunked: 512\r\n")
    XCTAssertEqual(field("Transfer-Encoding", of: response), "chunked")
    XCTAssertTrue(String(decoding: response.body, as: UTF8.self).hasPrefix("200\r\n{"))
  }

  func testAValueOfARequestCannotAddAHeaderField() {
    let response = get("/new/v1/projects?demo_cache=no-store%0d%0aX-Added:%20yes")
    XCTAssertEqual(response.status, 200)
    XCTAssertNil(field("X-Added", of: response))
  }

  func testTheLastReferenceMayGoOnTheServersOwnThread() throws {
    let port: UInt16
    do {
      let server = try DemoServer()
      port = server.port
      server.on(.get, "/bye") { [box = Box(server)] _ in
        box.server = nil
        return .text("bye")
      }
    }
    let client = RawClient(port: port)
    client.send("GET /bye HTTP/1.1\r\nHost: a\r\n\r\n")
    _ = client.readToEnd()
  }

  /// Used by the server's one thread.
  private final class Box: @unchecked Sendable {
    var server: DemoServer?
    init(_ server: DemoServer) { self.server = server }
  }

  func testTheLogShowsWhatWasAsked() {
    _ = get("/sacramento/v1/homes?city=Elk%20Grove&x=a+b", "X-One: 1\r\n")
    let request = server.requests.last
    XCTAssertEqual(request?.path, "/sacramento/v1/homes")
    XCTAssertEqual(request?["city"], "Elk Grove")
    XCTAssertEqual(request?["x"], "a b")
    XCTAssertEqual(request?.headers["x-one"], "1")
    server.forget()
    XCTAssertEqual(server.requests.count, 0)
  }

  func testAClientThatLeavesBeforeADelayedResponseIsCounted() {
    do {
      let client = RawClient(port: server.port)
      client.send("GET /ames/v2/listings HTTP/1.1\r\nHost: a\r\nX-Demo-Delay: 5000\r\n\r\n")
      client.finishSending()
      XCTAssertEqual(client.readToEnd(), "")
    }
    XCTAssertEqual(server.counters.abandoned, 1)
  }
}
