import APIKit

/// New homes in Ames: a cursor and a `Link` field, flat keys with a prefix, prices as text.
///
/// Failures have their own status and an `xf_error`: 401 for an invalid signature, 404 for an unknown home,
/// and 422 for an invalid parameter or cursor.
struct NewListings: Sendable {
  let homes: [Home]
  let verify: DemoSignatures.Check?
  private let pages = Pages()
  private static let path = "/new/v1/projects"

  init(homes: [Home], verify: DemoSignatures.Check?) {
    self.homes = homes
    self.verify = verify
  }

  /// Adds the service's routes.
  func register(in routes: RouteTable) {
    routes.set(.get, Self.path) { request in response(request, make: list) }
    routes.set(.get, Self.path + "/*") { request in detail(request) }
  }

  private func response(
    _ request: DemoRequest, make: (DemoRequest) throws(InvalidQuery) -> (JSON, HTTPHeaders)
  ) -> DemoResponse {
    if let complaint = verify?(request) { return failure(401, complaint) }
    do throws(InvalidQuery) {
      return try pages.response(request, make: make)
    } catch {
      return failure(422, error.text)
    }
  }

  private func list(_ request: DemoRequest) throws(InvalidQuery) -> (JSON, HTTPHeaders) {
    let found = try query(request).apply(to: homes)
    let offset = min(found.count, try request.text("cursor").map(Self.offset) ?? 0)
    let size = min(100, max(1, try request.number("size") ?? 20))
    let shown = found.page(from: offset, count: size)
    let next = offset + shown.count
    var headers = HTTPHeaders()
    var cursor: JSON = nil
    if next < found.count {
      let text = Self.cursor(next)
      cursor = .string(text)
      let kept = request.query.filter { $0.name != "cursor" }
        .map { "\(PercentEncoding.component.encode($0.name))=\(PercentEncoding.component.encode($0.value))" }
      let query = (kept + ["cursor=\(text)"]).joined(separator: "&")
      headers["Link"] = "<\(Self.path)?\(query)>; rel=\"next\""
    }
    let value: JSON = [
      "xf_list": .array(shown.map(project)), "xf_total": .int(found.count), "xf_cursor": cursor,
    ]
    return (value, headers)
  }

  private func detail(_ request: DemoRequest) -> DemoResponse {
    let id = request.path.split(separator: "/").last ?? ""
    guard let home = homes.first(where: { "xf-\($0.number)" == id }) else {
      return failure(404, "there is no project \(id)")
    }
    return response(request) { _ in (["xf_project": project(home)], HTTPHeaders()) }
  }

  private func query(_ request: DemoRequest) throws(InvalidQuery) -> HomeQuery {
    var query = HomeQuery()
    query.price = (try request.number("pmin"), try request.number("pmax"))
    query.area = (try request.number("amin"), try request.number("amax"))
    query.leastBeds = try request.number("rooms")
    query.place = request.text("district")
    query.kind = request.text("kind")
    if let sort = request.text("sort") {
      let orders: [String: HomeQuery.Order] = [
        "cheapest": .by(.price, descending: false), "dearest": .by(.price, descending: true),
        "smallest": .by(.area, descending: false), "largest": .by(.area, descending: true),
        "fewest-rooms": .by(.beds, descending: false), "most-rooms": .by(.beds, descending: true),
        "district": .by(.place, descending: false), "newest": .by(.year, descending: true),
      ]
      guard let order = orders[sort] else {
        throw InvalidQuery(
          name: "sort", text: "sort must be one of \(orders.keys.sorted().joined(separator: ", "))")
      }
      query.order = order
    }
    return query
  }

  private func project(_ home: Home) -> JSON {
    [
      "xf_id": .string("xf-\(home.number)"),
      "xf_name": .string("New \(Home.words(forKind: home.kind)) in \(home.place), \(home.yearBuilt)"),
      "xf_price": .string("\(home.price).00"), "xf_rooms": .int(home.beds), "xf_baths": .double(home.baths),
      "xf_size": .int(home.area), "xf_district": .string(home.place), "xf_kind": .string(home.kind),
      "xf_lat": .double(home.latitude), "xf_lng": .double(home.longitude), "xf_year": .int(home.yearBuilt),
    ]
  }

  private func failure(_ status: Int, _ text: String) -> DemoResponse {
    .json(["xf_error": .string(text)], status: status)
  }

  // An opaque cursor: the offset in base 36, reversed.
  private static func cursor(_ offset: Int) -> String {
    "c" + String(String(offset + 46656, radix: 36).reversed())
  }

  private static func offset(_ cursor: String) throws(InvalidQuery) -> Int {
    guard cursor.hasPrefix("c"), let number = Int(String(cursor.dropFirst().reversed()), radix: 36),
      number >= 46656
    else { throw InvalidQuery(name: "cursor", text: "the cursor is not one of ours") }
    return number - 46656
  }
}
