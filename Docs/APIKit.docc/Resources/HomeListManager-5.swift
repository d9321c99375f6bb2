import APIKit
import APIKitPaging

final class HomeListManager: BaseAPIManager, PageableAPIManager {
  let service: Homes
  let apiName = "homes"
  let expectation = ResponseExpectation(shape: ["data.items": .array, "data.total": .number])
  let takeoffPolicy = TakeoffPolicy.cancelPrevious
  let paging = Paging(.pageNumber(), items: "data.items", id: "home_id", total: "data.total")

  init(service: Homes = .shared) {
    self.service = service
  }

  func validate(parameters: Parameters) throws {
    if let beds = parameters["min_beds"]?.integer, beds < 0 {
      throw ValidationError("min_beds is \(beds); it must not be negative")
    }
  }
}
