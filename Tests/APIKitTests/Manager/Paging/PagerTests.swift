import APIKitTesting
import DemoServer
@testable import TestSupport
import XCTest

@testable import APIKit

/// Pages as an application meets them.
@MainActor final class PagerTests: XCTestCase {
  private let stub = StubTransport()
  private let watcher = PagerWatcher()

  private func makeManager(_ paging: Paging? = nil) -> PagedManager {
    PagedManager(
      stub, paging ?? Paging(.pageNumber(size: nil), items: "items", id: "id", total: "total", pageSize: 2))
  }

  private func makePager(_ paging: Paging? = nil) -> Pager {
    let pager = Pager(makeManager(paging))
    pager.delegate = watcher
    return pager
  }

  private func page(_ ids: [Int], _ more: String = "", headers: HTTPHeaders = [:]) -> StubResponse {
    let items = ids.map { #"{"id": \#($0)}"# }.joined(separator: ", ")
    return .json(#"{"items": [\#(items)]\#(more)}"#, headers: headers)
  }

  private func ids(_ items: [RawData]) -> [Int] { items.compactMap(\.id.int) }

  func testPagesAreLoadedOneAfterTheOtherAndToldToTheDelegate() async throws {
    stub.on("/api/list", page([1, 2], #", "total": 3"#), page([2, 3], #", "total": 4"#))
    let pager = makePager()
    XCTAssertNil(pager.loadFirst(["city": "Ames"]).refusal)
    XCTAssertEqual(pager.loadNext().refusal?.reason, .alreadyLoading)
    await waitUntil { self.watcher.events.count == 1 }
    XCTAssertNil(pager.loadNext().refusal)
    await waitUntil { self.watcher.events.count == 2 }
    XCTAssertEqual(ids(pager.items), [1, 2, 3])
    XCTAssertEqual(pager.pages.map(\.duplicateCount), [0, 1])
    XCTAssertEqual(pager.total, 4)
    XCTAssertFalse(pager.hasNext)
    XCTAssertEqual(pager.loadNext().refusal?.reason, .noSuchPage)
    XCTAssertEqual(stub.requests.map(\.url.query), ["city=Ames&page=1", "city=Ames&page=2"])
    XCTAssertEqual(watcher.events, ["page 0", "page 1"])
  }

  func testADelegateThatCancelsOrBeginsAnotherListWhenItIsResetIsObeyed() async throws {
    stub.on("/api/list", page([1, 2], #", "total": 2"#))
    let pager = makePager()
    pager.loadFirst(["city": "Ames"])
    await waitUntil { self.watcher.events.count == 1 }
    watcher.onReset = { $0.cancel() }
    XCTAssertNil(pager.loadFirst(["city": "Gilbert"]).refusal)
    XCTAssertFalse(pager.isLoading)
    XCTAssertEqual(watcher.events, ["page 0", "reset", "cancelled 0 by-caller"])
    pager.loadFirst()
    await waitUntil { self.watcher.events.count == 4 }
    let watcher = watcher
    watcher.onReset = { pager in
      watcher.onReset = { _ in }
      pager.loadFirst(["city": "Nevada"])
    }
    pager.loadFirst(["city": "Boone"])
    await waitUntil { self.watcher.events.last == "page 0" && !pager.isLoading }
    XCTAssertEqual(stub.requests.last?.url.query, "city=Nevada&page=1")
    XCTAssertEqual(pager.parameters, ["city": "Nevada"])
  }

  func testALatePageOfAnotherListNeverLands() async throws {
    let gate = StubGate()
    stub.when({ $0.url.query?.contains("Ames") == true }, .held(by: gate, page([1], #", "total": 1"#)))
    stub.when({ $0.url.query?.contains("Gilbert") == true }, page([9], #", "total": 1"#))
    let pager = makePager()
    pager.loadFirst(["city": "Ames"])
    try await stub.waitForRequests(1)
    pager.loadFirst(["city": "Gilbert"])
    await waitUntil { self.watcher.events.count == 2 }
    gate.open()
    await landingsWorkedOff()
    XCTAssertEqual(ids(pager.items), [9])
    XCTAssertEqual(watcher.events, ["cancelled 0 superseded", "page 0"])
  }

  func testOtherParametersForgetThePages() async throws {
    stub.on("/api/list", page([1, 2], #", "total": 9"#))
    let pager = makePager()
    pager.loadFirst(["city": "Ames"])
    await waitUntil { self.watcher.events.count == 1 }
    pager.parameters = ["city": "Ames"]
    XCTAssertEqual(pager.pages.count, 1, "they are the same")
    pager.parameters = ["city": "Gilbert"]
    XCTAssertTrue(pager.pages.isEmpty)
    XCTAssertEqual(watcher.events, ["page 0", "reset"])
  }

  func testWhenTheParameterSourceChangesItsMindTheListBeginsAnew() async throws {
    stub.on("/api/list", page([1, 2], #", "total": 9"#), page([7, 8], #", "total": 9"#))
    let source = Recorder()
    source.given = ["q": "a"]
    let pager = makePager()
    pager.manager.parameterSource = source
    pager.loadFirst()
    await waitUntil { pager.pages.count == 1 }
    source.given = ["q": "b"]
    pager.loadNext()
    await waitUntil { self.ids(pager.items) == [7, 8] }
    XCTAssertEqual(stub.requests.map(\.url.query), ["q=a&page=1", "q=b&page=1"])
  }

  func testRefreshKeepsThePagesUntilTheFirstHasLanded() async throws {
    let total = #", "total": 9"#
    stub.on("/api/list", page([1, 2], total), page([3, 4], total), page([5, 6], total))
    let pager = makePager()
    for count in 1...2 {
      pager.loadNext()
      await waitUntil { pager.pages.count == count }
    }
    pager.refresh()
    XCTAssertEqual(ids(pager.items), [1, 2, 3, 4])
    await waitUntil { pager.pages.count == 1 }
    XCTAssertEqual(ids(pager.items), [5, 6])
  }

  func testACancelledPageIsToldOnceAndThePagesStay() async throws {
    let gate = StubGate()
    stub.on("/api/list", page([1, 2], #", "total": 9"#), .held(by: gate, page([3, 4], #", "total": 9"#)))
    let pager = makePager()
    pager.cancel()
    XCTAssertEqual(watcher.events, [], "nothing was being loaded")
    pager.loadFirst()
    await waitUntil { pager.pages.count == 1 }
    pager.loadNext()
    try await stub.waitForRequests(2)
    pager.cancel()
    XCTAssertEqual(watcher.events, ["page 0", "cancelled 1 by-caller"])
    XCTAssertFalse(pager.isLoading)
    pager.cancel()
    await waitUntil { !pager.manager.isLoading }
    gate.open()
    await landingsWorkedOff()
    XCTAssertEqual(watcher.events, ["page 0", "cancelled 1 by-caller"])
    XCTAssertEqual(ids(pager.items), [1, 2])
  }

  func testARefreshAJumpAndOtherParametersCancelThePageBeingLoaded() async throws {
    stub.on("/api/list", page([1, 2], #", "total": 9"#))
    let pager = makePager()
    pager.loadFirst()
    await waitUntil { pager.pages.count == 1 }
    stub.hold()
    pager.loadNext()
    pager.refresh()
    pager.go(to: 3)
    pager.parameters = ["city": "Ames"]
    XCTAssertEqual(
      watcher.events,
      [
        "page 0", "cancelled 1 superseded", "cancelled 0 superseded", "cancelled 3 superseded", "reset",
      ])
    XCTAssertFalse(pager.isLoading)
  }

  func testAPageCancelledThroughItsManagerIsToldAsACancellation() async throws {
    stub.on("/api/list", page([1]))
    stub.hold()
    let pager = makePager()
    pager.loadFirst()
    try await stub.waitForRequests(1)
    pager.manager.cancel()
    await waitUntil { !self.watcher.events.isEmpty }
    XCTAssertEqual(watcher.events, ["cancelled 0 by-caller"])
  }

  func testReleasingAPagerCancelsThePageBeingLoadedAndNothingIsTold() async throws {
    stub.on("/api/list", page([1]))
    stub.hold()
    var pager: Pager? = makePager()
    let manager = pager!.manager
    pager?.loadFirst()
    try await stub.waitForRequests(1)
    pager = nil
    await waitUntil { !manager.isLoading }
    XCTAssertEqual(watcher.events, [])
  }

  func testTheNextPageIsFetchedBeforeTheEndIsSeen() async throws {
    stub.on("/api/list", page([1, 2, 3, 4], #", "total": 8"#), page([5, 6, 7, 8], #", "total": 8"#))
    let pager = makePager(
      Paging(
        .pageNumber(size: nil), items: "items", id: "id", total: "total", pageSize: 4, prefetchDistance: 2))
    pager.loadFirst()
    await waitUntil { pager.pages.count == 1 }
    pager.itemShown(at: 0)
    XCTAssertFalse(pager.isLoading)
    pager.itemShown(at: 1)
    XCTAssertTrue(pager.isLoading)
    await waitUntil { pager.pages.count == 2 }
    pager.itemShown(at: 7)
    XCTAssertFalse(pager.isLoading, "there is no more")
  }

  func testTheNextPageIsFetchedWithoutAnyStatementAndAtTheLastRowWhereThatIsStated() async throws {
    let rows = Array(1...8)
    stub.on("/api/list", page(rows, #", "total": 16"#))
    for (distance, quiet, first) in [(nil, 1, 2), (0, 6, 7)] {
      var paging = Paging(.pageNumber(size: nil), items: "items", total: "total", pageSize: 8)
      if let distance { paging.prefetchDistance = distance }
      let pager = makePager(paging)
      pager.loadFirst()
      await waitUntil { pager.pages.count == 1 }
      pager.itemShown(at: quiet)
      XCTAssertFalse(pager.isLoading)
      pager.itemShown(at: first)
      XCTAssertTrue(pager.isLoading)
      pager.cancel()
    }
  }

  func testAPageSaysThatItReplacesTheOthers() async throws {
    stub.on("/api/list", page([1, 2], #", "total": 4"#), page([3, 4], #", "total": 4"#))
    let pager = makePager()
    pager.loadFirst()
    await waitUntil { pager.pages.count == 1 }
    XCTAssertEqual(pager.pages.map(\.replacesOthers), [false])
    pager.loadNext()
    await waitUntil { pager.pages.count == 2 }
    XCTAssertEqual(pager.pages.map(\.replacesOthers), [false, false])
    stub.reset()
    stub.on("/api/list", page([5, 6], #", "total": 4"#), page([7, 8], #", "total": 4"#))
    pager.refresh()
    await waitUntil { pager.pages.count == 1 }
    XCTAssertEqual(pager.pages.map(\.replacesOthers), [true])
    pager.go(to: 1)
    await waitUntil { pager.pages.first?.index == 1 }
    XCTAssertEqual(pager.pages.map(\.replacesOthers), [true])
  }

  /// Ids as texts, without those in `hidden`.
  private struct IDRows: Reformer, Hashable {
    var hidden: Set<Int> = []

    func reform(_ raw: RawData, from source: ReformSource) throws -> [String] {
      let ids = raw.items.elements.compactMap(\.id.int)
      return ids.filter { !hidden.contains($0) }.map(String.init)
    }
  }

  func testAReformerMakesTheRowsOfAllPages() async throws {
    stub.on("/api/list", page([1, 2], #", "total": 4"#), page([2, 3], #", "total": 4"#))
    let pager = makePager()
    pager.loadFirst()
    await waitUntil { pager.pages.count == 1 }
    XCTAssertEqual(try pager.rows(with: IDRows(hidden: [1])), ["2"], "no item is repeated")
    pager.loadNext()
    await waitUntil { pager.pages.count == 2 }
    XCTAssertEqual(try pager.rows(with: IDRows()), ["1", "2", "3"])
    XCTAssertEqual(try pager.pages[1].rows(with: IDRows()), ["3"])
    XCTAssertThrowsError(try pager.rows(with: IDRows(hidden: [3]))) { error in
      XCTAssertEqual((error as? APIError)?.reason, .misconfigured)
      XCTAssertEqual(
        (error as? APIError)?.detail, "page 2 has 1 repeated items, and 1 rows were made of its 2 items")
    }
  }

  func testAFailedPageMayBeAskedForAgain() async throws {
    stub.on("/api/list", page([1, 2], #", "total": 4"#), .status(503), page([3, 4], #", "total": 4"#))
    let pager = makePager()
    for count in 1...3 {
      pager.loadNext()
      await waitUntil { self.watcher.events.count == count }
    }
    XCTAssertEqual(watcher.events, ["page 0", "failed response.unacceptable-status", "page 1"])
    XCTAssertEqual(ids(pager.items), [1, 2, 3, 4])
  }

  func testAServerThatRepeatsAPageEndsTheSequenceWithAReason() async throws {
    stub.on("/api/list", page([1, 2], #", "total": 9"#))
    let manager = makeManager()
    var seen = 0
    let error = await failure {
      for try await page in manager.pages() { seen += page.items.count }
    }
    XCTAssertEqual(error?.reason, .pagingBroken)
    XCTAssertEqual(seen, 2)
    XCTAssertEqual(stub.requests.count, 2)
  }

  func testAServerWhoseListShrinksEndsTheSequenceThere() async throws {
    stub.on("/api/list", page([1, 2], #", "total": 6"#), page([3], #", "total": 3"#))
    var seen: [Int] = []
    for try await page in makeManager().pages() { seen += ids(page.items) }
    XCTAssertEqual(seen, [1, 2, 3])
    XCTAssertEqual(stub.requests.count, 2)
    let pager = makePager()
    stub.reset()
    stub.on("/api/list", page([1, 2], #", "total": 6"#), page([], #", "total": 1"#))
    pager.loadFirst()
    await waitUntil { self.watcher.events.count == 1 }
    pager.loadNext()
    await waitUntil { self.watcher.events.count == 2 }
    XCTAssertEqual(watcher.events, ["page 0", "page 1"])
    XCTAssertEqual(pager.total, 1)
    XCTAssertEqual(pager.loadNext().refusal?.reason, .noSuchPage)
  }

  func testAServerWhoseListNeverEndsIsLeftAtTheBound() async throws {
    for number in 0..<5 {
      stub.when(
        { $0.url.query == "cursor=\(number)" || number == 0 && $0.url.query == nil },
        page([number * 2, number * 2 + 1], #", "next": "\#(number + 1)""#))
    }
    var paging = Paging(.cursor(at: "next", size: nil), items: "items", id: "id")
    paging.maximumPages = 4
    let manager = makeManager(paging)
    var seen = 0
    let error = await failure { for try await page in manager.pages() { seen += page.items.count } }
    XCTAssertEqual(error?.reason, .pagingBroken)
    XCTAssertEqual(
      error?.detail,
      "the list has not ended after 4 pages; raise Paging.maximumPages if it may be longer")
    XCTAssertEqual(seen, 8)
    XCTAssertEqual(stub.requests.count, 4)
  }

  func testASequenceKeepsNoPageThatItHasGiven() async throws {
    for (loadsAhead, most) in [(false, 1), (true, 2)] {
      stub.reset()
      stub.on(
        "/api/list",
        .computed { request in
          let number = Int(request.url.query?.split(separator: "=").last ?? "") ?? 0
          return .json(#"{"items": [{"id": \#(number)}, {"id": \#(-number)}], "total": 12}"#)
        })
      let pager = makePager()
      (pager.keepsDelivered, pager.loadsAhead) = (false, loadsAhead)
      var indexes: [Int] = []
      while let page = try await pager.nextPage() {
        indexes.append(page.index)
        XCTAssertLessThanOrEqual(pager.pages.count, most)
      }
      XCTAssertEqual(indexes, Array(0..<6))
    }
  }

  func testASequenceMayBeLeftAndLoadsNoFurther() async throws {
    stub.on("/api/list", page([1, 2], #", "total": 9"#), page([3, 4], #", "total": 9"#))
    for try await page in makeManager().pages() where page.index == 1 { break }
    await landingsWorkedOff()
    XCTAssertEqual(stub.requests.count, 2)
  }

  func testCursorsAndLinksCarryOnWithTheirOwnWords() async throws {
    stub.on("/api/list", page([1], #", "next": "x y""#), page([2]))
    var found: [Int] = []
    let byCursor = makeManager(Paging(.cursor(at: "next", size: nil), items: "items", id: "id"))
    for try await page in byCursor.pages(["q": "a"]) { found += ids(page.items) }
    XCTAssertEqual(found, [1, 2])
    XCTAssertEqual(stub.requests.last?.url.query, "q=a&cursor=x%20y")

    stub.reset()
    stub.on(
      "/api/list", page([1], headers: ["Link": #"<list?q=a&p=2&sign=old>; rel="next""#]), page([2]))
    found = []
    let byLink = makeManager(Paging(.link(size: nil), items: "items", id: "id"))
    for try await page in byLink.pages(["q": "a"]) { found += ids(page.items) }
    XCTAssertEqual(found, [1, 2])
    XCTAssertEqual(stub.requests.last?.url.query, "q=a&p=2", "a signature is made afresh")
  }

  func testALinkToAnotherHostIsRefusedAndThePageThatHasItStays() async throws {
    stub.on("/api/list", page([1], headers: ["Link": #"<https://evil.test/api/list?p=2>; rel="next""#]))
    let manager = makeManager(Paging(.link(), items: "items", id: "id"))
    var found: [Int] = []
    let error = await failure { for try await page in manager.pages() { found += ids(page.items) } }
    XCTAssertEqual(error?.reason, .linkRefused)
    XCTAssertTrue(error?.detail.contains("https://evil.test:443") == true, error?.detail ?? "")
    XCTAssertEqual(found, [1])
    XCTAssertEqual(stub.requests.count, 1)

    let pager = Pager(manager)
    pager.delegate = watcher
    pager.loadFirst()
    await waitUntil { !self.watcher.events.isEmpty }
    XCTAssertEqual(watcher.events, ["page 0"])
    XCTAssertEqual(pager.loadNext().refusal?.reason, .linkRefused)
    XCTAssertEqual(ids(pager.items), [1])
    XCTAssertEqual(stub.requests.count, 2)
  }

  func testALinkToAnotherPathOfTheSameOriginIsFollowedThere() async throws {
    // GitHub's links name the repository by its number.
    stub.on("/api/list", page([1], headers: ["Link": #"</repositories/7/issues?q=a&page=2>; rel="next""#]))
    stub.on(
      "/repositories/7/issues",
      page([2], headers: ["Link": #"</repositories/7/issues?q=a&page=3>; rel="next""#]),
      page([3], headers: ["Link": #"</repositories/7/issues?q=a&page=2>; rel="prev""#]))
    var found: [Int] = []
    let manager = makeManager(Paging(.link(size: nil), items: "items", id: "id"))
    for try await page in manager.pages(["q": "a"]) { found += ids(page.items) }
    XCTAssertEqual(found, [1, 2, 3])
    XCTAssertEqual(
      stub.requests.map(\.url.path), ["/api/list", "/repositories/7/issues", "/repositories/7/issues"])
    XCTAssertEqual(stub.requests.map(\.url.query), ["q=a", "q=a&page=2", "q=a&page=3"])
  }

  func testALinkThatDiffersByItsPathAloneIsFollowedAndStoredApart() async throws {
    stub.on("/api/list", page([1], headers: ["Link": #"<list/2?q=a>; rel="next""#]))
    stub.on("/api/list/2", page([2]))
    let manager = makeManager(Paging(.link(size: nil), items: "items", id: "id"))
    manager.service.store = ResponseCache()
    manager.cachePolicy = .fresh(for: .seconds(60))
    for _ in 1...2 {
      var found: [Int] = []
      for try await page in manager.pages(["q": "a"]) { found += ids(page.items) }
      XCTAssertEqual(found, [1, 2])
    }
    XCTAssertEqual(stub.requests.map(\.url.path), ["/api/list", "/api/list/2"])
  }

  func testALinkToTheOriginThatARedirectLedToIsRefused() async throws {
    stub.on("/api/list", .redirect(to: "https://elsewhere.test/list"))
    stub.on("/list", page([1], headers: ["Link": #"</list?p=2>; rel="next""#]))
    let manager = makeManager(Paging(.link(size: nil), items: "items", id: "id"))
    let error = await failure { for try await _ in manager.pages() {} }
    XCTAssertEqual(error?.reason, .linkRefused)
    XCTAssertEqual(stub.requests.map(\.url.host), ["homes.test", "elsewhere.test"])
  }

  func testTheThreeServicesOfTheDemoAreReadToTheirEnds() async throws {
    let server = try DemoServer()
    defer { server.stop() }
    let lists: [(String, Paging, Int)] = [
      (
        "sacramento/v1/homes",
        Paging(.pageNumber(), items: "data.items", id: "home_id", total: "data.total", pageSize: 100), 932
      ),
      (
        "ames/v2/listings",
        Paging(.offset(), items: "result.rows", id: "id", total: "result.count", pageSize: 100), 2930
      ),
      ("new/v1/projects", Paging(.cursor(at: "xf_cursor", size: "size"), items: "xf_list", id: "xf_id"), 335),
      ("new/v1/projects", Paging(.link(size: "size"), items: "xf_list", id: "xf_id", pageSize: 50), 335),
    ]
    for (path, paging, count) in lists {
      let manager = PagedManager(stub, paging)
      manager.service.client = .shared
      manager.service.environments = ServiceEnvironments(server.baseURL)
      manager.apiName = path
      var (pages, items) = (0, 0)
      for try await page in manager.pages() {
        pages += 1
        items += page.items.count
        XCTAssertEqual(page.duplicateCount, 0)
      }
      XCTAssertEqual(items, count, path)
      XCTAssertEqual(pages, (count + paging.pageSize - 1) / paging.pageSize, path)
    }
  }
}

/// A manager of a list, whose pages a test describes.
final class PagedManager: BaseAPIManager, PageableAPIManager {
  var service: TestService
  var apiName = "list"
  let paging: Paging
  var cachePolicy = CachePolicy.none

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
