import APIKit

@MainActor final class HomeListScreen: APIManagerDelegate {
  let homes = HomeListManager()
  var isLoading: Bool { homes.isLoading }

  func show() {
    homes.delegate = self
    homes.load()
  }

  func manager(_ manager: BaseAPIManager, didSucceedWith response: APIResponse) {
    do {
      for row in try response.data(with: HomeRowReformer()) { print(row.name, row.price) }
    } catch {
      print(error)
    }
  }

  func manager(_ manager: BaseAPIManager, didFailWith error: APIError) {
    print(error)
  }
}
