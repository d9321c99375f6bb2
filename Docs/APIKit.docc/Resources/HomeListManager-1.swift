import APIKit

final class HomeListManager: BaseAPIManager, APIManager {
  let service = Homes()
  let apiName = "homes"
}
