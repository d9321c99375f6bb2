import APIKit

/// The handlers by method and path.
final class RouteTable: Sendable {
  /// Makes the response to one request.
  typealias Handler = @Sendable (DemoRequest) -> DemoResponse

  private struct Route {
    var method: HTTPMethod
    var path: String
    var isPrefix: Bool
    var handler: Handler

    func matches(_ other: String) -> Bool { isPrefix ? other.hasPrefix(path) : other == path }
  }

  private let routes = Mutex<[Route]>([])
  /// The methods that the server supports; others get 501 (RFC 9110, 9.1).
  private static let known: Set<HTTPMethod> = [.get, .head, .post, .put, .patch, .delete, .options]

  /// Adds the handler of a method and a path; a path that ends with `*` matches every path with that
  /// beginning. Of several that match, the one added last is called.
  func set(_ method: HTTPMethod, _ path: String, handler: @escaping Handler) {
    let isPrefix = path.hasSuffix("*")
    let route = Route(
      method: method, path: isPrefix ? String(path.dropLast()) : path, isPrefix: isPrefix, handler: handler)
    routes.withLock { $0.insert(route, at: 0) }
  }

  /// The response of the handler; without one 404, 405 with `Allow`, or 501.
  func response(_ request: DemoRequest) -> DemoResponse {
    let here = routes.withLock { routes in routes.filter { $0.matches(request.path) } }
    if let route = here.first(where: { $0.method == request.method }) { return route.handler(request) }
    if request.method == .head, let route = here.first(where: { $0.method == .get }) {
      return route.handler(request)
    }
    guard Self.known.contains(request.method) || here.contains(where: { $0.method == request.method }) else {
      return .json(["error": "the method is not implemented", "status": 501], status: 501)
    }
    guard !here.isEmpty || request.target == "*" else {
      return .json(
        ["error": "there is nothing here", "status": 404, "path": .string(request.path)], status: 404)
    }
    var allowed = Set(here.map(\.method))
    allowed.insert(.options)
    if allowed.contains(.get) { allowed.insert(.head) }
    let allow = allowed.map(\.rawValue).sorted().joined(separator: ", ")
    if request.method == .options { return DemoResponse(204, headers: ["Allow": allow]) }
    var response = DemoResponse.json(["error": "the method is not allowed here", "status": 405], status: 405)
    response.headers["Allow"] = allow
    return response
  }
}
