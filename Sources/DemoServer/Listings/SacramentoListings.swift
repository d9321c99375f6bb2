import APIKit
import Foundation

/// Homes around Sacramento: numbered pages, a `code` beside the data, snake-case keys, a search for words by `q`.
///
/// `/sacramento/v1/openapi.json` describes them, signed or not.
///
/// Failures have a `code` other than 0: 1001 for an invalid signature and 1002 for an invalid parameter,
/// both with status 200; 1004 for an unknown home, with status 404.
struct SacramentoListings: Sendable {
  let homes: [Home]
  let verify: DemoSignatures.Check?
  private let pages = Pages()
  private let document: String

  init(homes: [Home], verify: DemoSignatures.Check?) throws(DemoServerError) {
    guard let url = Bundle.module.url(forResource: "openapi", withExtension: "json"),
      let document = try? String(contentsOf: url, encoding: .utf8)
    else { throw DemoServerError("openapi.json cannot be read from the package's resources") }
    self.document = document
    self.homes = homes
    self.verify = verify
  }

  /// Adds the service's routes.
  func register(in routes: RouteTable) {
    routes.set(.get, "/sacramento/v1/openapi.json") { [document] _ in .json(document) }
    routes.set(.get, "/sacramento/v1/homes") { request in response(request, make: list) }
    routes.set(.get, "/sacramento/v1/homes/*") { request in detail(request) }
  }

  private func response(
    _ request: DemoRequest, make: (DemoRequest) throws(InvalidQuery) -> (JSON, HTTPHeaders)
  ) -> DemoResponse {
    if let complaint = verify?(request) { return failure(1001, complaint) }
    do throws(InvalidQuery) {
      return try pages.response(request, make: make)
    } catch {
      return failure(1002, error.text)
    }
  }

  private func list(_ request: DemoRequest) throws(InvalidQuery) -> (JSON, HTTPHeaders) {
    let found = try query(request).apply(to: homes)
    let page = max(1, try request.number("page") ?? 1)
    let size = min(100, max(1, try request.number("per_page") ?? 20))
    let shown = found.page(from: min(page - 1, found.count) * size, count: size)
    let value: JSON = [
      "code": 0, "message": "ok",
      "data": [
        "items": .array(shown.map(item)), "page": .int(page), "per_page": .int(size),
        "pages": .int((found.count + size - 1) / size), "total": .int(found.count),
      ],
    ]
    return (value, HTTPHeaders())
  }

  private func detail(_ request: DemoRequest) -> DemoResponse {
    let id = request.path.split(separator: "/").last ?? ""
    guard let home = homes.first(where: { "sac-\($0.number)" == id }) else {
      return failure(1004, "there is no home \(id)", status: 404)
    }
    return response(request) { _ in (["code": 0, "message": "ok", "data": item(home)], HTTPHeaders()) }
  }

  private func query(_ request: DemoRequest) throws(InvalidQuery) -> HomeQuery {
    var query = HomeQuery()
    query.price = (try request.number("min_price"), try request.number("max_price"))
    query.area = (try request.number("min_area"), try request.number("max_area"))
    query.leastBeds = try request.number("min_beds")
    query.place = request.text("city")
    query.kind = request.text("home_type")
    query.words = request.text("q")
    if let sort = request.text("sort") {
      let name = sort.hasPrefix("-") ? String(sort.dropFirst()) : sort
      let keys: [String: HomeQuery.SortKey] = [
        "asking_price": .price, "beds": .beds, "area_sqft": .area, "city": .place,
      ]
      guard let key = keys[name] else {
        throw InvalidQuery(name: "sort", text: "sort must be asking_price, beds, area_sqft or city")
      }
      query.order = .by(key, descending: sort.hasPrefix("-"))
    }
    return query
  }

  private func item(_ home: Home) -> JSON {
    [
      "home_id": .string("sac-\(home.number)"),
      "home_name": .string("\(home.beds)-bed \(Home.words(forKind: home.kind)), \(home.place)"),
      "asking_price": .int(home.price), "beds": .int(home.beds), "baths": .double(home.baths),
      "area_sqft": .int(home.area), "home_type": .string(home.kind), "city": .string(home.place),
      "zip": .string(home.zip), "location": ["lat": .double(home.latitude), "lon": .double(home.longitude)],
    ]
  }

  private func failure(_ code: Int, _ text: String, status: Int = 200) -> DemoResponse {
    .json(["code": .int(code), "message": .string(text), "data": nil], status: status)
  }
}
