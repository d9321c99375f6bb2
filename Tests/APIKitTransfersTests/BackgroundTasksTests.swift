import XCTest

@testable import APIKit
@testable import APIKitTransfers

/// The decisions about the tasks of a background session: matching at launch, one task for each exchange, the handler last.
final class BackgroundTasksTests: XCTestCase {
  private var tasks = BackgroundTasks()

  override func setUp() { tasks = BackgroundTasks() }

  func testNothingIsMadeBeforeTheTasksOfTheSystemAreKnown() {
    XCTAssertEqual(tasks.asked("a GET"), [])
    XCTAssertEqual(tasks.asked("b GET"), [])
    // The task of the first was made by an earlier launch.
    XCTAssertEqual(tasks.listed([(7, "a GET")]), [.make("b GET")])
    XCTAssertEqual(tasks.made("b GET", task: 8), [])
    XCTAssertEqual(tasks.ended("a GET", task: 7), [.give("a GET", task: 7)])
    XCTAssertEqual(tasks.ended("b GET", task: 8), [.give("b GET", task: 8)])
    // Asked again, it is a new exchange.
    XCTAssertEqual(tasks.asked("a GET"), [.make("a GET")])
  }

  func testWhatEndedBeforeAnybodyAskedIsGivenToWhoAsks() {
    XCTAssertEqual(tasks.ended("a GET", task: 7), [])
    XCTAssertEqual(tasks.listed([]), [])
    XCTAssertEqual(tasks.asked("a GET"), [.give("a GET", task: 7)])
    XCTAssertEqual(tasks.ended("b PUT", task: 9), [])
    XCTAssertEqual(tasks.asked("b PUT"), [.give("b PUT", task: 9)])
  }

  func testATaskWithoutANameAndTheSecondOfANameAreCancelled() {
    XCTAssertEqual(
      tasks.listed([(1, nil), (2, "a GET"), (3, "a GET")]), [.cancel(task: 1), .cancel(task: 3)])
    XCTAssertEqual(tasks.asked("a GET"), [])
    XCTAssertEqual(tasks.ended("a GET", task: 2), [.give("a GET", task: 2)])
  }

  func testTasksOfTransfersThatAreNotInTheQueueAreCancelled() {
    _ = tasks.listed([(1, "gone GET"), (2, "kept GET")])
    _ = tasks.ended("gone2 GET", task: 3)
    XCTAssertEqual(tasks.keep(only: ["kept"]), [.cancel(task: 1), .cancel(task: 3)])
    XCTAssertEqual(tasks.ended("gone3 GET", task: 4), [.cancel(task: 4)])
    XCTAssertEqual(tasks.ended(nil, task: 5), [.cancel(task: 5)])
    // One that was enqueued since is known by its question.
    XCTAssertEqual(tasks.asked("new GET"), [.make("new GET")])
    XCTAssertEqual(tasks.made("new GET", task: 6), [])
    XCTAssertEqual(tasks.ended("new GET", task: 6), [.give("new GET", task: 6)])
  }

  func testALoadThatIsCancelledTakesItsTaskAlong() {
    _ = tasks.listed([])
    _ = tasks.asked("a GET")
    // Cancelled before its task is made.
    XCTAssertEqual(tasks.gaveUp("a GET"), [])
    XCTAssertEqual(tasks.made("a GET", task: 1), [.cancel(task: 1)])
    _ = tasks.asked("b GET")
    _ = tasks.made("b GET", task: 2)
    XCTAssertEqual(tasks.gaveUp("b GET"), [.cancel(task: 2)])
    XCTAssertEqual(tasks.asked("b GET"), [.make("b GET")])
  }

  func testTheHandlerIsCalledLastWhenAllThatEndedIsWorkedOff() {
    // A launch for events: two transfers, one of which has ended.
    XCTAssertEqual(tasks.tookHandler(), [])
    XCTAssertEqual(tasks.listed([(1, "a GET"), (2, "b GET")]), [])
    XCTAssertEqual(tasks.keep(only: ["a", "b"]), [])
    XCTAssertEqual(tasks.ended("a GET", task: 1), [])
    XCTAssertEqual(tasks.eventsEnded(), [], "what has ended lies there still")
    XCTAssertEqual(tasks.settled(underWay: 2), [], "both are under way, and none has asked")
    XCTAssertEqual(tasks.asked("b GET"), [])
    XCTAssertEqual(tasks.asked("a GET"), [.give("a GET", task: 1)], "it is being worked off")
    // The next part of the first: its task comes before the handler.
    XCTAssertEqual(tasks.asked("a GET bytes=10-"), [.make("a GET bytes=10-")])
    XCTAssertEqual(tasks.made("a GET bytes=10-", task: 3), [.callHandler])
    XCTAssertEqual(tasks.settled(underWay: 2), [], "once")
  }

  func testTheHandlerIsCalledWhenTheLastTransferIsDoneAndAgainForTheNextEvents() {
    _ = tasks.listed([])
    _ = tasks.keep(only: ["a"])
    _ = tasks.asked("a GET")
    _ = tasks.made("a GET", task: 1)
    _ = tasks.settled(underWay: 1)
    for _ in 0..<2 {
      // Both orders of the system's two calls.
      XCTAssertEqual(tasks.tookHandler(), [])
      XCTAssertEqual(tasks.eventsEnded(), [.callHandler])
      XCTAssertEqual(tasks.eventsEnded(), [])
      XCTAssertEqual(tasks.tookHandler(), [.callHandler])
    }
    _ = tasks.ended("a GET", task: 1)
    _ = tasks.eventsEnded()
    XCTAssertEqual(tasks.tookHandler(), [], "its file is being moved")
    XCTAssertEqual(tasks.settled(underWay: 0), [.callHandler])
  }

  func testTheHandlerWaitsForTheQueue() {
    _ = tasks.tookHandler()
    _ = tasks.eventsEnded()
    XCTAssertEqual(tasks.listed([]), [])
    XCTAssertEqual(tasks.settled(underWay: 0), [], "which transfers there are is not known")
    XCTAssertEqual(tasks.keep(only: []), [.callHandler])
  }

  func testRequestsOfATransferHaveNamesOfTheirOwn() {
    var request = HTTPRequest(url: "https://homes.test/files/7")
    let whole = request.backgroundName(key: "k")
    request.headers.add("Range", "bytes=10-")
    let rest = request.backgroundName(key: "k")
    XCTAssertEqual(Set([whole, rest, request.backgroundName(key: "l")]).count, 3)
    XCTAssertTrue(rest.hasPrefix("k "))
  }
}
