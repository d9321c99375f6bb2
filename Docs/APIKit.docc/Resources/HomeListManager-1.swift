import APIKit

final class HomeListManager: BaseAPIManager, APIManager {
  let service = Homes.shared
  let apiName = "homes"
}
