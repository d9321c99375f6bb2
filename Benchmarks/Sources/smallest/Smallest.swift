import APIKit

/// The smallest application of the core: one service, one manager, one load. `Scripts/bench --only build` measures what
/// linking it takes.
struct Homes: APIService {
  static let shared = Homes()
  let name = "Homes"
  let environments = ServiceEnvironments("http://127.0.0.1:8080")
}

final class HomeListManager: BaseAPIManager, APIManager {
  let service = Homes.shared
  let apiName = "homes"
}

@main struct Smallest {
  @MainActor static func main() async throws {
    let response = try await HomeListManager().response(["city": "Suzhou"])
    for home in response.raw.items.elements { print(home.name.string ?? "") }
  }
}
