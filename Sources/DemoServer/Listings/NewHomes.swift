import APIKit

/// `POST /recipes/homes` makes a home of `{"title": "…", "beds": 3}` as in the guide Recipes: 201 with its id and
/// title, or 422 with the faults of each field, `{"errors": {"title": ["is too short"]}}`. Nothing is kept.
struct NewHomes: Sendable {
  /// Adds the route.
  func register(in routes: RouteTable) {
    routes.set(.post, "/recipes/homes") { Self.create($0) }
  }

  private static func create(_ request: DemoRequest) -> DemoResponse {
    guard let raw = try? RawData(parsing: request.body), raw.kind == .object else {
      return .json(["error": "the body must be an object of JSON"], status: 400)
    }
    var errors: [(String, JSON)] = []
    if raw.title.string.map({ $0.count < 3 }) ?? true {
      errors.append(("title", [.string(raw.title.string == nil ? "is missing" : "is too short")]))
    }
    if raw.beds.exists, !raw.beds.isNull, !(raw.beds.int.map { (0...20).contains($0) } ?? false) {
      errors.append(("beds", ["must be 0 to 20"]))
    }
    guard errors.isEmpty else { return .json(["errors": .object(errors)], status: 422) }
    return .json(["id": 1, "title": .string(raw.title.string ?? "")], status: 201)
  }
}
