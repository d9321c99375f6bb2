import APIKit

final class HomeListManager: BaseAPIManager, APIManager {
  let service = Homes.shared
  let apiName = "homes"
  let expectation = ResponseExpectation(shape: ["data.items": .array, "data.total": .number])
  let takeoffPolicy = TakeoffPolicy.cancelPrevious

  func validate(parameters: Parameters) throws {
    if let beds = parameters["min_beds"]?.integer, beds < 0 {
      throw ValidationError("min_beds is \(beds); it must not be negative")
    }
  }
}
