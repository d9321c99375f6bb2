@testable import APIKitPaging
import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// The pages of a list are of one environment.
@MainActor final class PagerEnvironmentTests: PagerCase {
  private static let byCursor = Paging(.cursor(at: "next", previous: "previous"), items: "items", id: "id")

  private var hosts: [String] { stub.requests.map(\.url.host) }

  private func makeSwitchable() -> PagedManager {
    let manager = makeManager(Self.byCursor)
    manager.service.environments = ServiceEnvironments([
      .release: "https://homes.test/api", .development: "https://dev.homes.test/api",
    ])
    stub.on(
      "/api/list", page([1, 2], #", "next": "a""#), page([3, 4], #", "next": "b""#), page([5]), page([6]))
    return manager
  }

  func testTheCursorOfOneServerIsNotSentToAnother() async throws {
    let manager = makeSwitchable()
    let pager = Pager(manager)
    pager.delegate = watcher
    pager.loadFirst()
    await waitUntil { self.watcher.events.count == 1 }
    manager.service.environments.current = .development
    pager.loadNext()
    await waitUntil { self.watcher.events.count == 2 }
    pager.loadNext()
    await waitUntil { self.watcher.events.count == 3 }
    XCTAssertEqual(hosts, ["homes.test", "homes.test", "homes.test"])
    XCTAssertEqual(ids(pager.items), [1, 2, 3, 4, 5])
    pager.refresh()
    await waitUntil { self.watcher.events.count == 4 }
    XCTAssertEqual(hosts.last, "dev.homes.test")
    XCTAssertEqual(ids(pager.items), [6])
    XCTAssertEqual(watcher.events, ["page 0", "page 1", "page 2", "page 0"])
  }

  func testASequenceStaysAtTheServerWhereItBegan() async throws {
    let manager = makeSwitchable()
    var found: [Int] = []
    for try await page in manager.pages() {
      manager.service.environments.current = .development
      found += ids(page.items)
    }
    XCTAssertEqual(found, [1, 2, 3, 4, 5])
    XCTAssertEqual(hosts, ["homes.test", "homes.test", "homes.test"])
  }

  func testAListThatBeginsInTheTurnOfTheSwitchIsOfTheEnvironmentBefore() async throws {
    let manager = makeSwitchable()
    let pager = Pager(manager)
    pager.delegate = watcher
    pager.loadFirst()
    manager.service.environments.current = .development
    await waitUntil { self.watcher.events.count == 1 }
    pager.loadNext()
    await waitUntil { self.watcher.events.count == 2 }
    XCTAssertEqual(hosts, ["homes.test", "homes.test"])
  }

  func testAPageOfTheEnvironmentBeforeMayBeReplacedByTheFallbackOfTheService() async throws {
    let manager = makeSwitchable()
    manager.service.requestRate = RequestRate(1, per: .seconds(60), excess: .refuse)
    let page = try RawData(parsing: #"{"items": [{"id": 9}]}"#)
    manager.service.onFallback = { _ in APIResponse(raw: page, http: HTTPResponse(status: 200)) }
    let pager = Pager(manager)
    pager.delegate = watcher
    pager.loadFirst()
    await waitUntil { self.watcher.events.count == 1 }
    manager.service.environments.current = .development
    pager.loadNext()
    await waitUntil { self.watcher.events.count == 2 }
    XCTAssertEqual(ids(pager.items), [1, 2, 9])
    XCTAssertEqual(hosts, ["homes.test"])
  }
}
