@testable import APIKitPaging
import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// Tests of lists over a stub, with a watcher of a pager.
@MainActor class PagerCase: XCTestCase {
  let stub = StubTransport()
  let watcher = PagerWatcher()

  func makeManager(_ paging: Paging? = nil) -> PagedManager {
    PagedManager(
      stub, paging ?? Paging(.pageNumber(size: nil), items: "items", id: "id", total: "total", pageSize: 2))
  }

  func makePager(_ paging: Paging? = nil) -> Pager {
    let pager = Pager(makeManager(paging))
    pager.delegate = watcher
    return pager
  }

  func page(_ ids: [Int], _ more: String = "", headers: HTTPHeaders = [:]) -> StubResponse {
    let items = ids.map { #"{"id": \#($0)}"# }.joined(separator: ", ")
    return .json(#"{"items": [\#(items)]\#(more)}"#, headers: headers)
  }

  func ids(_ items: [RawData]) -> [Int] { items.compactMap(\.id.int) }
}

/// A manager of a list, whose pages a test describes.
final class PagedManager: BaseAPIManager, PageableAPIManager {
  var service: TestService
  var apiName = "list"
  let paging: Paging
  var cachePolicy = CachePolicy.none
  var signIn = SignInRule.asAvailable
  var takeoffPolicy = TakeoffPolicy.concurrent
  var retryPolicy = RetryPolicy.never
  var joinsIdenticalFlights = false

  init(_ stub: StubTransport, _ paging: Paging) {
    service = TestService(stub)
    self.paging = paging
    super.init()
  }
}

/// Writes down what a pager tells.
@MainActor final class PagerWatcher: PagerDelegate {
  private(set) var events: [String] = []
  var onReset: (Pager) -> Void = { _ in }

  func pager(_ pager: Pager, didSucceedWith page: Page) { events.append("page \(page.index)") }
  func pager(_ pager: Pager, didFailWith error: APIError) { events.append("failed \(error.label)") }
  func pager(_ pager: Pager, didCancelPage index: Int, because reason: CancellationReason) {
    events.append("cancelled \(index) \(reason)")
  }
  func pagerDidReset(_ pager: Pager) {
    events.append("reset")
    onReset(pager)
  }
}
