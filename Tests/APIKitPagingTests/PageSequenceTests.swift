@testable import APIKitPaging
import APIKitTesting
import DemoServer
@testable import TestSupport
import XCTest

@testable import APIKit

/// Pages in a loop, to the end of a list, and the links between them.
@MainActor final class PageSequenceTests: PagerCase {
  func testATaskThatIsCancelledAlreadySendsNothing() async throws {
    stub.on("/api/list", page([1, 2]))
    let manager = makeManager()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      for try await _ in manager.pages() {}
    }
    _ = await task.result
    await landingsWorkedOff()
    XCTAssertEqual(stub.requests.count, 0)
    XCTAssertFalse(manager.isLoading)
  }

  func testASequenceWithoutParametersAsksTheParameterSource() async throws {
    stub.on("/api/list", page([1], #", "total": 1"#))
    let (manager, source) = (makeManager(), Recorder())
    source.given = ["city": "Ames"]
    manager.parameterSource = source
    for try await _ in manager.pages() {}
    for try await _ in manager.pages([:]) {}
    XCTAssertEqual(
      stub.requests.map { $0.url.query?.contains("city=Ames") ?? false }, [true, false])
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

  func testTheQueryOfTheBaseURLIsNotSentTwiceWithALinkThatHasIt() async throws {
    for link in ["list?key=1&p=2", "list?p=2"] {
      stub.reset()
      stub.on("/api/list", page([1], headers: ["Link": "<\(link)>; rel=\"next\""]), page([2]))
      let manager = makeManager(Paging(.link(size: nil), items: "items", id: "id"))
      manager.service.environments = ServiceEnvironments("https://homes.test/api?key=1")
      for try await _ in manager.pages() {}
      XCTAssertEqual(stub.requests.map(\.url.query), ["key=1", "key=1&p=2"], link)
    }
  }

  func testTheQueryOfTheBaseURLStaysBesideANameOfOtherBytes() async throws {
    stub.on("/api/list", page([1], headers: ["Link": "</api/list?cafe%CC%81=1>; rel=\"next\""]), page([2]))
    let manager = makeManager(Paging(.link(size: nil), items: "items", id: "id"))
    manager.service.environments = ServiceEnvironments("https://stub.test/api?caf%C3%A9=2")
    for try await _ in manager.pages() {}
    XCTAssertEqual(stub.requests.last?.url.query, "caf%C3%A9=2&cafe%CC%81=1")
  }

  func testAPageThatFailsAheadIsNotRequestedAgain() async throws {
    stub.on("/api/list", page([1, 2], #", "total": 4"#), .status(503), page([3, 4], #", "total": 4"#))
    let manager = makeManager()
    var pages = manager.pages(loadsAhead: true).makeAsyncIterator()
    let first = try await pages.next()
    XCTAssertEqual(first.map { ids($0.items) }, [1, 2])
    try await stub.waitForRequests(2)
    await waitUntil { !manager.isLoading }
    do {
      _ = try await pages.next()
      XCTFail("the failure was lost")
    } catch {
      XCTAssertEqual(error.reason, .unacceptableStatus)
    }
    XCTAssertEqual(stub.requests.count, 2)
    // Asking once more is the caller's decision.
    let second = try await pages.next()
    XCTAssertEqual(second.map { ids($0.items) }, [3, 4])
  }

  func testInACancelledTaskNoPageIsLoadedAhead() async throws {
    stub.on("/api/list", page([1, 2], #", "total": 9"#), page([3, 4], #", "total": 9"#))
    let pager = makePager()
    (pager.keepsDelivered, pager.loadsAhead) = (false, true)
    _ = try await pager.nextPage()
    await waitUntil { self.watcher.events.count == 2 }
    let next = Task { () async -> APIError? in
      withUnsafeCurrentTask { $0?.cancel() }
      do throws(APIError) { _ = try await pager.nextPage() } catch { return error }
      return nil
    }
    let error = await next.value
    XCTAssertEqual(error?.reason, .cancelled)
    await landingsWorkedOff()
    XCTAssertEqual(stub.requests.count, 2)
    let second = try await pager.nextPage()
    XCTAssertEqual(second.map { ids($0.items) }, [3, 4], "it is not lost")
  }

  func testALinkKeepsNamesThatStandTwiceAndTheListAddsNothingThatItHas() async throws {
    func second(_ link: String, _ parameters: Parameters) async throws -> String? {
      stub.reset()
      stub.on("/api/list", page([1], headers: ["Link": "<\(link)>; rel=\"next\""]), page([2]))
      let manager = makeManager(Paging(.link(size: nil), items: "items", id: "id"))
      for try await _ in manager.pages(parameters) {}
      return stub.requests.last?.url.query
    }
    let labels = try await second("list?label=a&label=b&sign=old&p=2", ["q": "c"])
    XCTAssertEqual(labels, "label=a&label=b&q=c&p=2")
    let ids = try await second("list?ids%5B%5D=1&ids%5B%5D=2&p=2", ["ids": [1, 2]])
    XCTAssertEqual(ids, "ids%5B%5D=1&ids%5B%5D=2&p=2")
    let range = try await second("list?beds%5Bmin%5D=1&p=2", ["beds": ["min": 1]])
    XCTAssertEqual(range, "beds%5Bmin%5D=1&p=2")
    let latin = try await second("list?q=%E9&flag&p=2", [:])
    XCTAssertEqual(latin, "q=%E9&flag&p=2")
    // é composed and decomposed: another name.
    let accents = try await second("list?cafe%CC%81=1&p=2", ["caf\u{E9}": 2])
    XCTAssertEqual(accents, "caf%C3%A9=2&cafe%CC%81=1&p=2")
  }

  func testTheTimeOfALinkGrowsWithTheNumberOfItsParameters() async throws {
    let query = (0..<20_000).map { "p\($0)=\($0)" }.joined(separator: "&")
    stub.on("/api/list", page([1], headers: ["Link": "<list?\(query)>; rel=\"next\""]))
    let pages = makeManager(Paging(.link(), items: "items")).pages()
    let start = Duration.ofProcessor
    for try await page in pages {
      XCTAssertTrue(page.hasNext)
      break
    }
    XCTAssertLessThan(.ofProcessor - start, .seconds(4), "the main actor stood still meanwhile")
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
