import APIKit

/// The endpoint of the path rows.
final class BenchManager: BaseAPIManager, APIManager {
  let service: BenchService
  let apiName: String

  init(_ service: BenchService, _ apiName: String = "list") {
    self.service = service
    self.apiName = apiName
    super.init()
  }

  /// What its loads ask for.
  nonisolated static func parameters(page: Int) -> Parameters {
    ["city": "Suzhou", "page": page, "beds": 3]
  }
}

/// An endpoint whose habits a row can set.
final class ControlledManager: BaseAPIManager, APIManager {
  let service: ControlledService
  let apiName: String
  let method: HTTPMethod
  let joinsIdenticalFlights: Bool
  let cachePolicy: CachePolicy
  let signIn: SignInRule

  init(
    _ service: ControlledService, _ apiName: String = "list", method: HTTPMethod = .get, joins: Bool = false,
    cachePolicy: CachePolicy = .none, signIn: SignInRule = .asAvailable
  ) {
    self.service = service
    self.apiName = apiName
    self.method = method
    joinsIdenticalFlights = joins
    self.cachePolicy = cachePolicy
    self.signIn = signIn
    super.init()
  }
}
