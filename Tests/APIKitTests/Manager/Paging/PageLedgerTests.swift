import XCTest

@testable import APIKit

/// The rules of turning pages, without tasks, time or sockets.
final class PageLedgerTests: XCTestCase {
  private func ledger(_ strategy: PagingStrategy = .pageNumber(), size: Int = 2) -> PageLedger {
    PageLedger(Paging(strategy, items: "items", id: "id", total: "total", size: size))
  }

  private func contents(
    _ ids: [String?], total: Int? = nil, next: PageLedger.Position? = nil, same: Bool = false
  ) -> PageLedger.Contents {
    PageLedger.Contents(ids: ids, total: total, next: next, previous: nil, isSameAsBefore: same)
  }

  /// Asks for a page and takes it in; the places of new items.
  @discardableResult private func turn(
    _ ledger: inout PageLedger, _ move: PageLedger.Move, _ contents: PageLedger.Contents
  ) throws -> [Int]? {
    let request = try ledger.request(move)
    return try ledger.landed(request, contents)
  }

  private func reason(_ work: () throws -> Void) -> APIError.Reason? {
    do { try work() } catch { return (error as? APIError)?.reason }
    return nil
  }

  func testNumbersAreCountedUpUntilTheTotalIsThere() throws {
    var ledger = ledger()
    XCTAssertEqual(try ledger.request(.next).position, .number(1))
    try turn(&ledger, .first, contents(["a", "b"], total: 3))
    XCTAssertTrue(ledger.hasNext)
    XCTAssertEqual(try ledger.request(.next).position, .number(2))
    try turn(&ledger, .next, contents(["c"], total: 3))
    XCTAssertFalse(ledger.hasNext)
    XCTAssertEqual(ledger.total, 3)
    XCTAssertEqual(reason { _ = try ledger.request(.next) }, .noSuchPage)
  }

  func testOffsetsCountWhatCameAndNotWhatWasAskedFor() throws {
    var ledger = ledger(.offset(), size: 500)
    try turn(&ledger, .first, contents(["a", "b", "c"], total: 5))
    XCTAssertEqual(try ledger.request(.next).position, .offset(3), "the server gives at most three")
    try turn(&ledger, .next, contents(["d", "e"], total: 5))
    XCTAssertFalse(ledger.hasNext)
  }

  func testAServerThatGivesLessThanAskedForIsReadToItsEnd() throws {
    var ledger = ledger(.pageNumber(), size: 500)
    try turn(&ledger, .first, contents(["a", "b"], total: 3))
    XCTAssertTrue(ledger.hasNext)
    try turn(&ledger, .next, contents(["c"], total: 3))
    XCTAssertFalse(ledger.hasNext)
  }

  func testWithoutATotalAShortPageEndsTheListAndAnEmptyOneDoesAlways() throws {
    var short = ledger()
    try turn(&short, .first, contents(["a", "b"]))
    XCTAssertTrue(short.hasNext)
    try turn(&short, .next, contents(["c"]))
    XCTAssertFalse(short.hasNext)
    var shrinking = ledger()
    try turn(&shrinking, .first, contents(["a", "b"], total: 10))
    XCTAssertEqual(try turn(&shrinking, .next, contents([], total: 2)), [])
    XCTAssertFalse(shrinking.hasNext)
    XCTAssertEqual(shrinking.total, 2, "the list has shrunk")
  }

  func testItemsOfOneIdAreKeptOnce() throws {
    var ledger = ledger()
    try turn(&ledger, .first, contents(["a", "b"], total: 9))
    XCTAssertEqual(try turn(&ledger, .next, contents(["b", "c", nil, "c"], total: 9)), [1, 2])
  }

  func testCursorsLeadOnUntilThereIsNone() throws {
    var ledger = ledger(.cursor(at: "next"))
    XCTAssertEqual(try ledger.request(.first).position, .cursor(nil))
    try turn(&ledger, .first, contents(["a"], next: .cursor("x")))
    XCTAssertEqual(try ledger.request(.next).position, .cursor("x"))
    try turn(&ledger, .next, contents([], next: .cursor("y")))
    XCTAssertTrue(ledger.hasNext, "an empty page in between ends no list of cursors")
    try turn(&ledger, .next, contents(["b"]))
    XCTAssertFalse(ledger.hasNext)
  }

  func testACursorThatLeadsBackBreaksTheList() throws {
    var ledger = ledger(.cursor(at: "next"))
    try turn(&ledger, .first, contents(["a"], next: .cursor("x")))
    try turn(&ledger, .next, contents(["b"], next: .cursor("x")))
    XCTAssertEqual(reason { try turn(&ledger, .next, contents(["c"], next: .cursor("x"))) }, .pagingBroken)
    XCTAssertFalse(ledger.hasNext)
    XCTAssertEqual(ledger.entries.count, 2)
    XCTAssertEqual(reason { _ = try ledger.request(.next) }, .pagingBroken)
    XCTAssertNoThrow(try ledger.request(.first), "from the beginning it may be tried again")
  }

  func testAPageThatComesAgainBreaksTheList() throws {
    var byID = ledger()
    try turn(&byID, .first, contents(["a", "b"], total: 9))
    XCTAssertEqual(reason { try turn(&byID, .next, contents(["a", "b"], total: 9)) }, .pagingBroken)
    XCTAssertEqual(byID.fault?.detail, "page 2 has nothing that was not on the pages before it")
    var byBytes = ledger()
    try turn(&byBytes, .first, contents([nil, nil], total: 9))
    XCTAssertEqual(
      reason { try turn(&byBytes, .next, contents([nil, nil], total: 9, same: true)) }, .pagingBroken)
  }

  func testAListThatShrinksBetweenTwoPagesEndsWhereItDoesNow() throws {
    var counted = ledger()
    try turn(&counted, .first, contents(["a", "b"], total: 6))
    try turn(&counted, .next, contents(["c"], total: 3))
    XCTAssertEqual(counted.total, 3)
    XCTAssertFalse(counted.hasNext)
    var empty = ledger(.offset())
    try turn(&empty, .first, contents(["a", "b"], total: 6))
    try turn(&empty, .next, contents([], total: 1))
    XCTAssertFalse(empty.hasNext, "what came is more than there is by now")
    var clamped = ledger()
    try turn(&clamped, .first, contents(["a", "b"], total: 6))
    XCTAssertEqual(try turn(&clamped, .next, contents(["a", "b"], total: 2)), [], "the last page there is")
    XCTAssertNil(clamped.fault)
    XCTAssertFalse(clamped.hasNext)
  }

  func testAListThatGrowsAtItsHeadGoesOnBehindAPageOfOldItems() throws {
    var ledger = ledger()
    try turn(&ledger, .first, contents(["c", "d"], total: 4))
    XCTAssertEqual(try turn(&ledger, .next, contents(["c", "d"], total: 6)), [], "two were put before them")
    XCTAssertTrue(ledger.hasNext)
    XCTAssertEqual(try turn(&ledger, .next, contents(["e", "f"], total: 6)), [0, 1])
    XCTAssertFalse(ledger.hasNext)
  }

  func testAListThatNeverEndsIsBounded() throws {
    var paging = Paging(.cursor(at: "next"), items: "items")
    paging.maximumPages = 3
    var ledger = PageLedger(paging)
    for number in 0..<3 { try turn(&ledger, .next, contents([nil], next: .cursor("\(number)"))) }
    XCTAssertEqual(reason { _ = try ledger.request(.next) }, .pagingBroken)
  }

  func testALatePageIsRefused() throws {
    var ledger = ledger()
    let old = try ledger.request(.first)
    let new = try ledger.request(.first)
    XCTAssertNil(try ledger.landed(old, contents(["old"])))
    XCTAssertEqual(try ledger.landed(new, contents(["new", "b"])), [0, 1])
    let next = try ledger.request(.next)
    ledger.reset()
    XCTAssertNil(try ledger.landed(next, contents(["c"])), "another list has begun")
    XCTAssertTrue(ledger.entries.isEmpty)
  }

  func testAJumpReplacesThePagesAndTheOnesBeforeItAreReached() throws {
    var ledger = ledger()
    try turn(&ledger, .first, contents(["a", "b"], total: 8))
    try turn(&ledger, .jump(2), contents(["e", "f"], total: 8))
    XCTAssertEqual(ledger.entries.map(\.index), [2])
    XCTAssertTrue(ledger.hasPrevious)
    try turn(&ledger, .previous, contents(["c", "d"], total: 8))
    try turn(&ledger, .next, contents(["g", "h"], total: 8))
    XCTAssertEqual(ledger.entries.map(\.index), [1, 2, 3])
    try turn(&ledger, .previous, contents(["a", "b"], total: 8))
    XCTAssertFalse(ledger.hasPrevious)
    XCTAssertFalse(ledger.hasNext)
    XCTAssertEqual(reason { _ = try ledger.request(.previous) }, .noSuchPage)
  }

  func testCursorsCannotJump() {
    var ledger = ledger(.cursor(at: "next"))
    XCTAssertEqual(reason { _ = try ledger.request(.jump(3)) }, .noSuchPage)
  }

  func testALinkThatIsRefusedFailsTheMoveByNameAndLeavesThePages() throws {
    var ledger = ledger(.link())
    try turn(&ledger, .first, contents(["a"], next: .refused("elsewhere")))
    XCTAssertTrue(ledger.hasNext, "there is a page, though it is not asked for")
    XCTAssertEqual(reason { _ = try ledger.request(.next) }, .linkRefused)
    XCTAssertNil(ledger.open)
    XCTAssertEqual(ledger.entries.count, 1)
  }

  func testLinksAreReadByTheirRelations() {
    let field = LinkField(
      #"</a?page=2&x=1,2>; rel="next" ; title="a, \"b\"; c", <https://h/a?page=9>;rel=last, "#
        + #"</a>; rel="prev first"; rel=next, <broken"#)
    XCTAssertEqual(
      field.targets,
      ["next": "/a?page=2&x=1,2", "last": "https://h/a?page=9", "prev": "/a", "first": "/a"])
    XCTAssertEqual(LinkField("").targets, [:])
    XCTAssertEqual(LinkField("<a>, <b>; Rel = NEXT").targets, ["next": "b"])
  }
}
