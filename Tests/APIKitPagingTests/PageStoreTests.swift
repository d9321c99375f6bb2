@testable import APIKitPaging
import XCTest

@testable import APIKit

/// The rules of turning pages, without tasks, time or sockets.
final class PageStoreTests: XCTestCase {
  private func store(_ strategy: PagingStrategy = .pageNumber(), size: Int = 2) -> PageStore {
    PageStore(Paging(strategy, items: "items", id: "id", total: "total", pageSize: size))
  }

  private func contents(
    _ ids: [String?], total: Int? = nil, next: PageStore.Position? = nil, same: Bool = false
  ) -> PageStore.Contents {
    PageStore.Contents(ids: ids, total: total, next: next, previous: nil, isSameAsBefore: same)
  }

  /// Asks for a page and takes it in; the places of new items.
  @discardableResult private func turn(
    _ store: inout PageStore, _ move: PageStore.Move, _ contents: PageStore.Contents
  ) throws -> [Int]? {
    let request = try store.request(move)
    return try store.landed(request, contents)
  }

  private func reason(_ work: () throws -> Void) -> APIError.Reason? {
    do { try work() } catch { return (error as? APIError)?.reason }
    return nil
  }

  func testNumbersAreCountedUpUntilTheTotalIsThere() throws {
    var store = store()
    XCTAssertEqual(try store.request(.next).position, .number(1))
    try turn(&store, .first, contents(["a", "b"], total: 3))
    XCTAssertTrue(store.hasNext)
    XCTAssertEqual(try store.request(.next).position, .number(2))
    try turn(&store, .next, contents(["c"], total: 3))
    XCTAssertFalse(store.hasNext)
    XCTAssertEqual(store.total, 3)
    XCTAssertEqual(reason { _ = try store.request(.next) }, .noSuchPage)
  }

  func testOffsetsCountWhatCameAndNotWhatWasAskedFor() throws {
    var store = store(.offset(), size: 500)
    try turn(&store, .first, contents(["a", "b", "c"], total: 5))
    XCTAssertEqual(try store.request(.next).position, .offset(3), "the server gives at most three")
    try turn(&store, .next, contents(["d", "e"], total: 5))
    XCTAssertFalse(store.hasNext)
  }

  func testAServerThatGivesLessThanAskedForIsReadToItsEnd() throws {
    var store = store(.pageNumber(), size: 500)
    try turn(&store, .first, contents(["a", "b"], total: 3))
    XCTAssertTrue(store.hasNext)
    try turn(&store, .next, contents(["c"], total: 3))
    XCTAssertFalse(store.hasNext)
  }

  func testPositionsThatCannotBeCountedAreNoPages() throws {
    var offsets = store(.offset(), size: .max)
    try turn(&offsets, .jump(1), contents(["a"], total: .max))
    XCTAssertFalse(offsets.hasNext)
    XCTAssertEqual(reason { _ = try offsets.request(.jump(2)) }, .noSuchPage)
    var numbers = store(.pageNumber(first: .max), size: .max)
    try turn(&numbers, .first, contents(["a"], total: 3))
    XCTAssertFalse(numbers.hasNext)
    XCTAssertEqual(reason { _ = try numbers.request(.jump(1)) }, .noSuchPage)
    var totals = store(size: .max)
    try turn(&totals, .jump(2), contents(["a"], total: .max))
    XCTAssertTrue(totals.hasNext)
  }

  func testWithoutATotalAShortPageEndsTheListAndAnEmptyOneDoesAlways() throws {
    var short = store()
    try turn(&short, .first, contents(["a", "b"]))
    XCTAssertTrue(short.hasNext)
    try turn(&short, .next, contents(["c"]))
    XCTAssertFalse(short.hasNext)
    var shrinking = store()
    try turn(&shrinking, .first, contents(["a", "b"], total: 10))
    XCTAssertEqual(try turn(&shrinking, .next, contents([], total: 2)), [])
    XCTAssertFalse(shrinking.hasNext)
    XCTAssertEqual(shrinking.total, 2, "the list has shrunk")
  }

  func testItemsOfOneIdAreKeptOnce() throws {
    var store = store()
    try turn(&store, .first, contents(["a", "b"], total: 9))
    XCTAssertEqual(try turn(&store, .next, contents(["b", "c", nil, "c"], total: 9)), [1, 2])
  }

  func testCursorsLeadOnUntilThereIsNone() throws {
    var store = store(.cursor(at: "next"))
    XCTAssertEqual(try store.request(.first).position, .cursor(nil))
    try turn(&store, .first, contents(["a"], next: .cursor(ExactText("x"))))
    XCTAssertEqual(try store.request(.next).position, .cursor(ExactText("x")))
    try turn(&store, .next, contents([], next: .cursor(ExactText("y"))))
    XCTAssertTrue(store.hasNext, "an empty page in between ends no list of cursors")
    try turn(&store, .next, contents(["b"]))
    XCTAssertFalse(store.hasNext)
  }

  func testACursorThatLeadsBackBreaksTheList() throws {
    var store = store(.cursor(at: "next"))
    try turn(&store, .first, contents(["a"], next: .cursor(ExactText("x"))))
    try turn(&store, .next, contents(["b"], next: .cursor(ExactText("x"))))
    XCTAssertEqual(
      reason { try turn(&store, .next, contents(["c"], next: .cursor(ExactText("x")))) }, .pagingBroken)
    XCTAssertFalse(store.hasNext)
    XCTAssertEqual(store.entries.count, 2)
    XCTAssertEqual(reason { _ = try store.request(.next) }, .pagingBroken)
    XCTAssertNoThrow(try store.request(.first), "from the beginning it may be tried again")
  }

  func testAPageThatComesAgainBreaksTheList() throws {
    var byID = store()
    try turn(&byID, .first, contents(["a", "b"], total: 9))
    XCTAssertEqual(reason { try turn(&byID, .next, contents(["a", "b"], total: 9)) }, .pagingBroken)
    XCTAssertEqual(byID.fault?.detail, "page 2 has nothing that was not on the pages before it")
    var byBytes = store()
    try turn(&byBytes, .first, contents([nil, nil], total: 9))
    XCTAssertEqual(
      reason { try turn(&byBytes, .next, contents([nil, nil], total: 9, same: true)) }, .pagingBroken)
  }

  func testAListThatShrinksBetweenTwoPagesEndsWhereItDoesNow() throws {
    var counted = store()
    try turn(&counted, .first, contents(["a", "b"], total: 6))
    try turn(&counted, .next, contents(["c"], total: 3))
    XCTAssertEqual(counted.total, 3)
    XCTAssertFalse(counted.hasNext)
    var empty = store(.offset())
    try turn(&empty, .first, contents(["a", "b"], total: 6))
    try turn(&empty, .next, contents([], total: 1))
    XCTAssertFalse(empty.hasNext, "what came is more than there is by now")
    var clamped = store()
    try turn(&clamped, .first, contents(["a", "b"], total: 6))
    XCTAssertEqual(try turn(&clamped, .next, contents(["a", "b"], total: 2)), [], "the last page there is")
    XCTAssertNil(clamped.fault)
    XCTAssertFalse(clamped.hasNext)
  }

  func testAListThatGrowsAtItsHeadGoesOnBehindAPageOfOldItems() throws {
    var store = store()
    try turn(&store, .first, contents(["c", "d"], total: 4))
    XCTAssertEqual(try turn(&store, .next, contents(["c", "d"], total: 6)), [], "two were put before them")
    XCTAssertTrue(store.hasNext)
    XCTAssertEqual(try turn(&store, .next, contents(["e", "f"], total: 6)), [0, 1])
    XCTAssertFalse(store.hasNext)
  }

  func testAListThatNeverEndsIsBounded() throws {
    var paging = Paging(.cursor(at: "next"), items: "items")
    paging.maximumPages = 3
    var store = PageStore(paging)
    for number in 0..<3 { try turn(&store, .next, contents([nil], next: .cursor(ExactText("\(number)")))) }
    XCTAssertEqual(reason { _ = try store.request(.next) }, .pagingBroken)
  }

  func testALatePageIsRefused() throws {
    var store = store()
    let old = try store.request(.first)
    let new = try store.request(.first)
    XCTAssertNil(try store.landed(old, contents(["old"])))
    XCTAssertEqual(try store.landed(new, contents(["new", "b"])), [0, 1])
    let next = try store.request(.next)
    store.reset()
    XCTAssertNil(try store.landed(next, contents(["c"])), "another list has begun")
    XCTAssertTrue(store.entries.isEmpty)
  }

  func testAJumpReplacesThePagesAndTheOnesBeforeItAreReached() throws {
    var store = store()
    try turn(&store, .first, contents(["a", "b"], total: 8))
    try turn(&store, .jump(2), contents(["e", "f"], total: 8))
    XCTAssertEqual(store.entries.map(\.index), [2])
    XCTAssertTrue(store.hasPrevious)
    try turn(&store, .previous, contents(["c", "d"], total: 8))
    try turn(&store, .next, contents(["g", "h"], total: 8))
    XCTAssertEqual(store.entries.map(\.index), [1, 2, 3])
    try turn(&store, .previous, contents(["a", "b"], total: 8))
    XCTAssertFalse(store.hasPrevious)
    XCTAssertFalse(store.hasNext)
    XCTAssertEqual(reason { _ = try store.request(.previous) }, .noSuchPage)
  }

  func testAPageBeforeTheLoadedOnesThatLeavesAGapEndsTheList() throws {
    for total in [8, nil] {
      var store = store(.offset())
      try turn(&store, .jump(2), contents(["e", "f"], total: total))
      XCTAssertEqual(
        reason { try turn(&store, .previous, contents(["c"], total: total)) }, .pagingBroken, "d is missing")
      XCTAssertEqual(store.entries.map(\.index), [2])
    }
    // The list has become shorter.
    for (items, total) in [(["c"], 3), ([], nil)] as [([String], Int?)] {
      var store = store(.offset())
      try turn(&store, .jump(2), contents(["e", "f"], total: 8))
      try turn(&store, .previous, contents(items, total: total))
      XCTAssertEqual(store.entries.map(\.index), [1, 2])
    }
  }

  func testCursorsCannotJump() {
    var store = store(.cursor(at: "next"))
    XCTAssertEqual(reason { _ = try store.request(.jump(3)) }, .noSuchPage)
  }

  func testALinkThatIsRefusedFailsTheMoveByNameAndLeavesThePages() throws {
    var store = store(.link())
    try turn(&store, .first, contents(["a"], next: .refused("elsewhere")))
    XCTAssertTrue(store.hasNext, "there is a page, though it is not asked for")
    XCTAssertEqual(reason { _ = try store.request(.next) }, .linkRefused)
    XCTAssertNil(store.open)
    XCTAssertEqual(store.entries.count, 1)
  }

  func testItemsAndCursorsOfOneTextAndOtherBytesAreToldApart() throws {
    var store = store(.cursor(at: "next"))
    let (first, second) = ("caf\u{E9}", "cafe\u{301}")
    try turn(&store, .first, contents([first], next: .cursor(ExactText(first))))
    XCTAssertEqual(try turn(&store, .next, contents([second, first], next: .cursor(ExactText(second)))), [0])
    XCTAssertEqual(try turn(&store, .next, contents(["z"])), [0])
  }

  func testALinkWithAMarkOrAJoiningLetterAtItsEndIsRead() {
    let link = "<\u{301}a?q=\u{D4E}>; rel=next"
    XCTAssertEqual(Array(LinkField(link).targets["next"]?.utf8 ?? "".utf8), Array("\u{301}a?q=\u{D4E}".utf8))
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
