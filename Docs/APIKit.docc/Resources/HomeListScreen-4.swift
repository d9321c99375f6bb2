import APIKit
import APIKitPaging

@MainActor final class HomeListScreen: PagerDelegate {
  let pager = Pager(HomeListManager())
  var isLoading: Bool { pager.isLoading }

  func show(_ filter: HomeFilter = HomeFilter()) {
    pager.delegate = self
    pager.loadFirst(filter.parameters)
  }

  func showMore() {
    pager.loadNext()
  }

  func pager(_ pager: Pager, didSucceedWith page: Page) {
    do {
      for row in try page.response.data(with: HomeRowReformer()) { print(row.name, row.price) }
      print(pager.items.count, "of", pager.total ?? 0)
    } catch {
      print(error)
    }
  }

  func pager(_ pager: Pager, didFailWith error: APIError) {
    print(error)
  }
}
