import APIKit

@MainActor final class HomeListScreen: APIManagerDelegate {
  let homes = HomeListManager()
  var isLoading: Bool { homes.isLoading }

  func show() {
    homes.delegate = self
    homes.load()
  }

  func manager(_ manager: BaseAPIManager, didSucceedWith response: APIResponse) {
    for home in response.raw["data", "items"].elements {
      print(home.home_name.string ?? "?", home.asking_price.int ?? 0)
    }
  }

  func manager(_ manager: BaseAPIManager, didFailWith error: APIError) {
    print(error)
  }
}
