@testable import APIKitPaging
import XCTest

@testable import APIKit

/// Whether there is a page after one that was jumped to.
final class PageJumpTests: XCTestCase {
  /// A server with so many items that sends at most `sent` on a page.
  private func land(
    _ store: inout PageStore, _ move: PageStore.Move, of count: Int, sent: Int, statesTotal: Bool = true
  ) throws {
    let request = try store.request(move)
    let start = request.index * sent
    let ids = (start..<max(start, min(count, start + sent))).map { "\($0)" }
    _ = try store.landed(request, PageStore.Contents(ids: ids, total: statesTotal ? count : nil))
  }

  private func store(size: Int) -> PageStore {
    PageStore(Paging(.pageNumber(), items: "items", id: "id", total: "total", pageSize: size))
  }

  func testAServerThatSendsFewerItemsThanRequestedIsReadToItsEndBehindAJump() throws {
    var store = store(size: 500)
    try land(&store, .jump(1), of: 250, sent: 100)
    XCTAssertTrue(store.hasNext, "100 of 250 are before it and 100 on it")
    try land(&store, .next, of: 250, sent: 100)
    XCTAssertFalse(store.hasNext)
    try land(&store, .previous, of: 250, sent: 100)
    XCTAssertEqual(store.entries.map(\.count), [100, 100, 50])
    XCTAssertFalse(store.hasNext)
  }

  func testWhatAServerSendsIsKnownFromThePagesBeforeTheJump() throws {
    for first in [PageStore.Move.first, .jump(2)] {
      var store = store(size: 50)
      try land(&store, first, of: 60, sent: 10)
      try land(&store, .jump(1), of: 60, sent: 10)
      XCTAssertTrue(store.hasNext, "it looks like the last of two pages, and has 40 behind it")
      try land(&store, .jump(5), of: 60, sent: 10)
      XCTAssertFalse(store.hasNext)
    }
  }

  func testTheLastOfFullPagesIsTheLastBehindAJump() throws {
    for first in [nil, PageStore.Move.first] {
      var store = store(size: 20)
      if let first { try land(&store, first, of: 45, sent: 20) }
      try land(&store, .jump(1), of: 45, sent: 20)
      XCTAssertTrue(store.hasNext)
      try land(&store, .jump(2), of: 45, sent: 20)
      XCTAssertFalse(store.hasNext)
    }
  }

  func testAPageBeforeALoadedOneHasAPageAfterIt() throws {
    var store = store(size: 500)
    try land(&store, .jump(1), of: 250, sent: 100, statesTotal: false)
    try land(&store, .previous, of: 250, sent: 100, statesTotal: false)
    XCTAssertNotNil(store.entries.first?.next)
  }
}
