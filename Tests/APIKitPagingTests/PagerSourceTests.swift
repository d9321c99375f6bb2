@testable import APIKitPaging
import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// A list whose parameters come from the manager's parameter source.
@MainActor final class PagerSourceTests: PagerCase {
  private let source = Recorder()

  private func makePagerOfSource() -> Pager {
    stub.on("/api/list", page([1, 2], #", "total": 9"#))
    source.given = ["q": "a"]
    let pager = makePager()
    pager.manager.parameterSource = source
    return pager
  }

  private func queries() -> [String?] { stub.requests.map(\.url.query) }

  func testEveryMoveThatBeginsAListAsksTheParameterSource() async throws {
    let moves: [(Pager) -> Takeoff] = [
      { $0.loadFirst() }, { $0.loadNext() }, { $0.refresh() }, { $0.go(to: 0) },
    ]
    for move in moves {
      let pager = makePagerOfSource()
      XCTAssertNil(move(pager).refusal)
      await waitUntil { pager.pages.count == 1 }
      XCTAssertEqual(pager.parameters, ["q": "a"])
    }
    XCTAssertEqual(queries(), Array(repeating: "q=a&page=1", count: moves.count))
  }

  func testARefreshAndAJumpTakeWhatTheParameterSourceNowSays() async throws {
    let pager = makePagerOfSource()
    pager.loadFirst()
    await waitUntil { pager.pages.count == 1 }
    source.given = ["q": "b"]
    pager.refresh()
    XCTAssertTrue(pager.pages.isEmpty, "they are those of another list")
    await waitUntil { pager.pages.count == 1 }
    source.given = ["q": "c"]
    pager.go(to: 1)
    await waitUntil { pager.pages.count == 1 }
    pager.refresh()
    XCTAssertEqual(pager.pages.count, 1, "the list is the same")
    await waitUntil { !pager.isLoading }
    XCTAssertEqual(queries(), ["q=a&page=1", "q=b&page=1", "q=c&page=2", "q=c&page=1"])
    XCTAssertEqual(watcher.events, ["page 0", "reset", "page 0", "reset", "page 1", "page 0"])
  }
}
