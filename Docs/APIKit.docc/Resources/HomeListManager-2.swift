import APIKit

final class HomeListManager: BaseAPIManager, APIManager {
  let service = Homes.shared
  let apiName = "homes"
  let expectation = ResponseExpectation(shape: ["data.items": .array, "data.total": .number])
}
