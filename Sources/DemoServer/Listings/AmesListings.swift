import APIKit

/// Homes in Ames: offset and limit, deep nesting, `status` as a word, ids that are numbers.
///
/// Failures have their own status: 401 for an invalid signature, 400 for an invalid parameter, 404 for an
/// unknown home, each with an `error` object.
struct AmesListings: Sendable {
  let homes: [Home]
  let verify: DemoSignatures.Check?
  private let pages = Pages()

  init(homes: [Home], verify: DemoSignatures.Check?) {
    self.homes = homes
    self.verify = verify
  }

  /// Adds the service's routes.
  func register(in routes: RouteTable) {
    routes.set(.get, "/ames/v2/listings") { request in response(request, make: list) }
    routes.set(.get, "/ames/v2/listings/*") { request in detail(request) }
  }

  private func response(
    _ request: DemoRequest, make: (DemoRequest) throws(InvalidQuery) -> (JSON, HTTPHeaders)
  ) -> DemoResponse {
    if let complaint = verify?(request) {
      var response = failure(401, "invalid_signature", text: complaint)
      response.headers["WWW-Authenticate"] = "Signature realm=\"ames\""
      return response
    }
    do throws(InvalidQuery) {
      return try pages.response(request, make: make)
    } catch {
      return failure(400, "invalid_parameter", text: error.text, parameter: error.name)
    }
  }

  private func list(_ request: DemoRequest) throws(InvalidQuery) -> (JSON, HTTPHeaders) {
    let found = try query(request).apply(to: homes)
    let offset = min(found.count, try request.number("offset") ?? 0)
    let limit = min(100, max(1, try request.number("limit") ?? 20))
    let shown = found.page(from: offset, count: limit)
    let next = offset + shown.count
    let value: JSON = [
      "status": "ok",
      "result": [
        "rows": .array(shown.map(row)), "offset": .int(offset), "limit": .int(limit),
        "count": .int(found.count), "next_offset": next < found.count ? .int(next) : nil,
      ],
    ]
    return (value, HTTPHeaders())
  }

  private func detail(_ request: DemoRequest) -> DemoResponse {
    let id = request.path.split(separator: "/").last ?? ""
    guard let number = Int(id), homes.indices.contains(number - 1) else {
      return failure(404, "unknown_listing", text: "there is no listing \(id)")
    }
    return response(request) { _ in (["status": "ok", "result": row(homes[number - 1])], HTTPHeaders()) }
  }

  private func query(_ request: DemoRequest) throws(InvalidQuery) -> HomeQuery {
    var query = HomeQuery()
    query.price = (try request.number("price_from"), try request.number("price_to"))
    query.area = (try request.number("living_from"), try request.number("living_to"))
    query.leastBeds = try request.number("bedrooms")
    query.place = request.text("neighborhood")
    query.kind = request.text("building")
    if let name = request.text("order_by") {
      let keys: [String: HomeQuery.SortKey] = [
        "price": .price, "bedrooms": .beds, "living": .area, "neighborhood": .place, "built": .year,
      ]
      guard let key = keys[name] else {
        throw InvalidQuery(
          name: "order_by", text: "order_by must be price, bedrooms, living, neighborhood or built")
      }
      query.order = .by(key, descending: request.text("direction") == "desc")
    }
    return query
  }

  private func row(_ home: Home) -> JSON {
    let kind = Home.words(forKind: home.kind)
    return [
      "id": .int(home.number), "title": .string("\(Home.words(forStyle: home.style)) \(kind), \(home.place)"),
      "price": ["usd": .int(home.price)],
      "rooms": [
        "bed": .int(home.beds), "bath": ["full": .int(home.fullBaths), "half": .int(home.halfBaths)],
      ],
      "size": ["living_sqft": .int(home.area), "lot_sqft": .int(home.lotArea)],
      "neighborhood": .string(home.place),
      "building": ["kind": .string(home.kind), "style": .string(home.style), "built": .int(home.yearBuilt)],
      "garage": home.garageCars == 0 ? nil : ["cars": .int(home.garageCars)],
      "sold": ["year": .int(home.yearSold), "month": .int(home.monthSold)],
      "geo": [.double(home.longitude), .double(home.latitude)],
    ]
  }

  private func failure(_ status: Int, _ code: String, text: String, parameter: String? = nil)
    -> DemoResponse
  {
    var error: [(String, JSON)] = [("code", .string(code)), ("message", .string(text))]
    if let parameter { error.append(("parameter", .string(parameter))) }
    return .json(["status": "error", "error": .object(error)], status: status)
  }
}
