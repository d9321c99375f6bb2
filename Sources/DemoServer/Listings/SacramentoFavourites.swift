import APIKit

/// The favourites of the user of a token: `GET /sacramento/v1/favourites` lists their ids, `PUT
/// /sacramento/v1/favourites/<id>` with `{"is_favourite": true}` or false changes one. They are kept until the server stops.
///
/// Failures have a `code`: 1002 for a body without that member, 1003 and status 401 without a valid token, 1004 and status 404
/// for an unknown home.
final class SacramentoFavourites: Sendable {
  private let ids: Set<String>
  private let authorization: DemoAuthorization
  private let kept = Mutex<Set<String>>([])

  init(homes: [Home], authorization: DemoAuthorization) {
    ids = Set(homes.map { "sac-\($0.number)" })
    self.authorization = authorization
  }

  /// Adds the routes.
  func register(in routes: RouteTable) {
    routes.set(.get, "/sacramento/v1/favourites") { [self] request in list(request) }
    routes.set(.put, "/sacramento/v1/favourites/*") { [self] request in change(request) }
  }

  private func list(_ request: DemoRequest) -> DemoResponse {
    guard authorization.scope(of: request) != nil else { return refusal }
    let items = kept.withLock { $0.sorted() }
    return .json(["code": 0, "message": "ok", "data": ["items": .array(items.map { .string($0) })]])
  }

  private func change(_ request: DemoRequest) -> DemoResponse {
    guard authorization.scope(of: request) != nil else { return refusal }
    let id = String(request.path.dropFirst("/sacramento/v1/favourites/".count))
    guard ids.contains(id) else {
      return .json(["code": 1004, "message": .string("there is no home \(id)"), "data": nil], status: 404)
    }
    guard let isFavourite = (try? RawData(parsing: request.body))?.is_favourite.bool else {
      return .json(["code": 1002, "message": "is_favourite must be true or false", "data": nil], status: 400)
    }
    kept.withLock { kept in
      if isFavourite { kept.insert(id) } else { kept.remove(id) }
    }
    return .json([
      "code": 0, "message": "ok", "data": ["home_id": .string(id), "is_favourite": .bool(isFavourite)],
    ])
  }

  private var refusal: DemoResponse {
    DemoAuthorization.refusal(["code": 1003, "message": "sign in first", "data": nil])
  }
}
