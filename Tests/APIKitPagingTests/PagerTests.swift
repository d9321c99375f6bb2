@testable import APIKitPaging
import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// Pages as an application meets them.
@MainActor final class PagerTests: PagerCase {
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

  func testAPageMayBeTheFallbackOfItsService() async throws {
    let manager = makeManager()
    manager.service.network.force(.offline)
    manager.service.networkGate = .refuse
    manager.service.onFallback = { _ in
      APIResponse(raw: ["items": [["id": 7]], "total": 1], http: HTTPResponse(status: 200))
    }
    let pager = Pager(manager)
    pager.delegate = watcher
    pager.loadFirst()
    await waitUntil { self.watcher.events == ["page 0"] }
    XCTAssertEqual(ids(pager.items), [7])
    XCTAssertEqual(stub.requests.count, 0)
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

  func testParametersThatAreSetWinOverTheParameterSource() async throws {
    stub.on("/api/list", page([1, 2], #", "total": 9"#))
    let source = Recorder()
    source.given = ["q": "a"]
    let pager = makePager()
    pager.manager.parameterSource = source
    for (city, isNext) in [("Ames", true), ("Gilbert", false)] {
      pager.loadFirst()
      await waitUntil { !pager.isLoading }
      pager.parameters = ["city": city]
      XCTAssertNil((isNext ? pager.loadNext() : pager.loadFirst()).refusal)
      await waitUntil { !pager.isLoading }
      XCTAssertEqual(stub.requests.last?.url.query, "city=\(city)&page=1")
      XCTAssertEqual(pager.parameters, ["city": city])
    }
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
    for (distance, quiet, first) in [(nil, 1, 2), (0, 6, 7), (-1, 6, 7), (.min, 6, 7)] {
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

  func testSomethingElseInThePlaceOfTheItemsIsNoEmptyList() async throws {
    let manager = makeManager(Paging(.pageNumber(), items: "data"))
    for body in [#"{"data": {"items": [1]}}"#, #"{"data": "none"}"#] {
      stub.on("/api/list", .json(body))
      let error = await failure { for try await _ in manager.pages() {} }
      XCTAssertTrue(error?.detail.hasPrefix("data: expected an array, found ") == true, error?.detail ?? "")
      stub.reset()
    }
    for body in [#"{"data": null}"#, "{}"] {
      stub.on("/api/list", .json(body))
      var counts: [Int] = []
      for try await page in manager.pages() { counts.append(page.items.count) }
      XCTAssertEqual(counts, [0])
      stub.reset()
    }
  }

  func testAnIndexBeyondAllPagesIsRefused() async throws {
    stub.on("/api/list", page([1, 2], #", "total": 100"#))
    for strategy in [PagingStrategy.pageNumber(), .offset()] {
      let pager = makePager(Paging(strategy, items: "items", total: "total"))
      for index in [Int.max, .min, -1] {
        let refusal = pager.go(to: index).refusal
        XCTAssertEqual(refusal?.reason, .noSuchPage)
        XCTAssertEqual(refusal?.detail, "there is no page with the index \(index)")
      }
      let count = watcher.events.count
      pager.loadFirst()
      await waitUntil { self.watcher.events.count > count }
      pager.itemShown(at: .min)
      XCTAssertFalse(pager.isLoading)
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

  func testAPageThatIsNoListIsNotStored() async throws {
    let manager = makeManager()
    manager.service.store = ResponseCache()
    manager.cachePolicy = .fresh(for: .seconds(60))
    stub.on("/api/list", .json(#"{"items": {"error": "busy"}}"#), page([1, 2]))
    let pager = Pager(manager)
    pager.delegate = watcher
    for count in 1...2 {
      pager.loadFirst()
      await waitUntil { self.watcher.events.count == count }
    }
    XCTAssertEqual(watcher.events, ["failed reform.unexpected-value", "page 0"])
    XCTAssertEqual(stub.requests.count, 2)
  }

  func testAStoredResponseThatIsNoListIsRequestedAgain() async throws {
    let manager = makeManager()
    manager.service.store = ResponseCache()
    manager.cachePolicy = .fresh(for: .seconds(60))
    stub.on("/api/list", .json(#"{"items": {"error": "busy"}}"#), page([1, 2]))
    _ = try await manager.response(["page": 1])
    let pager = Pager(manager)
    pager.delegate = watcher
    pager.loadFirst()
    await waitUntil { self.watcher.events.count == 1 }
    XCTAssertEqual(watcher.events, ["page 0"])
    XCTAssertEqual(stub.requests.count, 2)
  }
}
