import APIKit

struct Homes: APIService {
  static let shared = Homes()
  let name = "Homes"
  let environments = ServiceEnvironments("http://127.0.0.1:8080/sacramento/v1")
}
