import XCTest

@testable import APIKit
@testable import APIKitTransfers

/// The decisions about the tasks of a background session: matching at launch, one task for each exchange, the handler last.
final class BackgroundTasksTests: XCTestCase {
  private var tasks = BackgroundTasks()

  override func setUp() { tasks = BackgroundTasks() }

  private func task(_ number: Int, _ name: String?, isSuspended: Bool = false) -> BackgroundTasks.SystemTask {
    BackgroundTasks.SystemTask(number: number, name: name, isSuspended: isSuspended)
  }

  func testNothingIsMadeBeforeTheTasksOfTheSystemAreKnown() {
    XCTAssertEqual(tasks.asked("a GET"), [])
    XCTAssertEqual(tasks.asked("b GET"), [])
    // The task of the first was made by an earlier launch.
    XCTAssertEqual(tasks.listed([task(7, "a GET")]), [.make("b GET")])
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
      tasks.listed([task(1, nil), task(2, "a GET"), task(3, "a GET")]),
      [.cancel(task: 1), .cancel(task: 3)])
    XCTAssertEqual(tasks.asked("a GET"), [])
    XCTAssertEqual(tasks.ended("a GET", task: 2), [.give("a GET", task: 2)])
  }

  func testTasksOfTransfersThatAreNotInTheQueueAreCancelled() {
    _ = tasks.listed([task(1, "gone GET"), task(2, "kept GET")])
    _ = tasks.ended("gone2 GET", task: 3)
    XCTAssertEqual(tasks.keep(only: ["kept"]), [.cancel(task: 1), .cancel(task: 3)])
    XCTAssertEqual(tasks.ended("gone3 GET", task: 4), [.cancel(task: 4)])
    XCTAssertEqual(tasks.ended(nil, task: 5), [.cancel(task: 5)])
    // One that was enqueued since is known by its question.
    XCTAssertEqual(tasks.asked("new GET"), [.make("new GET")])
    XCTAssertEqual(tasks.made("new GET", task: 6), [])
    XCTAssertEqual(tasks.ended("new GET", task: 6), [.give("new GET", task: 6)])
  }

  func testALoadThatIsCancelledAndBegunAgainHasOneTask() {
    _ = tasks.listed([])
    XCTAssertEqual(tasks.asked("a PUT"), [.make("a PUT")])
    XCTAssertEqual(tasks.gaveUp("a PUT"), [])
    XCTAssertFalse(tasks.isToBeMade("a PUT"))
    // Before the first was carried out.
    XCTAssertEqual(tasks.asked("a PUT"), [.make("a PUT")])
    XCTAssertTrue(tasks.isToBeMade("a PUT"))
    XCTAssertEqual(tasks.made("a PUT", task: 1), [])
    XCTAssertFalse(tasks.isToBeMade("a PUT"))
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
    XCTAssertEqual(tasks.listed([task(1, "a GET"), task(2, "b GET")]), [])
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

  func testANameThatSomebodyWaitsForIsNeverSwept() {
    // The queue has read its transfers before this one was enqueued.
    XCTAssertEqual(tasks.asked("new GET"), [])
    XCTAssertEqual(tasks.keep(only: ["old"]), [])
    XCTAssertEqual(tasks.listed([task(1, "new GET"), task(2, "gone GET")]), [.cancel(task: 2)])
    XCTAssertEqual(tasks.keep(only: []), [], "nor when it says it again")
    XCTAssertEqual(tasks.ended("new GET", task: 1), [.give("new GET", task: 1)])
    // Its next request, while the queue's word is older still.
    XCTAssertEqual(tasks.asked("new GET 2"), [.make("new GET 2")])
    XCTAssertEqual(tasks.keep(only: ["old"]), [])
    XCTAssertEqual(tasks.made("new GET 2", task: 3), [])
    XCTAssertEqual(tasks.keep(only: ["old"]), [])
    XCTAssertEqual(tasks.ended("new GET 2", task: 3), [.give("new GET 2", task: 3)])
    XCTAssertEqual(tasks.keptKeys, ["new", "old"])
  }

  func testATaskThatWasMadeAndNeverBegunBegins() {
    XCTAssertEqual(
      tasks.listed([task(1, "a GET", isSuspended: true), task(2, "b GET"), task(3, nil, isSuspended: true)]),
      [.cancel(task: 3), .resume(task: 1)])
    XCTAssertEqual(tasks.asked("a GET"), [], "it is the one that runs")
    XCTAssertEqual(tasks.ended("a GET", task: 1), [.give("a GET", task: 1)])
  }

  func testAnOutcomeOfAnEarlierLaunchIsGivenAndWhatBelongsToNobodyIsRemoved() {
    XCTAssertEqual(tasks.asked("b PUT"), [])
    XCTAssertEqual(
      tasks.tookUp([("a GET", -1), ("a GET", -2), ("b PUT", -3), ("gone GET", -4)]),
      [.cancel(task: -2), .give("b PUT", task: -3)])
    XCTAssertEqual(tasks.listed([task(1, "a GET")]), [.cancel(task: 1)], "its response is there")
    XCTAssertEqual(tasks.keep(only: ["a", "b"]), [.cancel(task: -4)])
    XCTAssertEqual(tasks.asked("a GET"), [.give("a GET", task: -1)])
  }

  func testTheEndOfATaskThatWasCancelledIsNotThatOfTheNextOne() {
    _ = tasks.listed([])
    _ = tasks.asked("a GET")
    _ = tasks.made("a GET", task: 1)
    XCTAssertEqual(tasks.gaveUp("a GET"), [.cancel(task: 1)])
    XCTAssertEqual(tasks.asked("a GET"), [.make("a GET")])
    // The system tells of the first only now.
    XCTAssertEqual(tasks.ended("a GET", task: 1), [.cancel(task: 1)])
    XCTAssertEqual(tasks.made("a GET", task: 2), [])
    XCTAssertEqual(tasks.ended("a GET", task: 9), [.cancel(task: 9)], "one that is not known")
    XCTAssertEqual(tasks.ended("a GET", task: 2), [.give("a GET", task: 2)])
  }

  func testTwoTasksAreNeverMadeForOneName() {
    _ = tasks.listed([])
    XCTAssertEqual(tasks.asked("a GET"), [.make("a GET")])
    _ = tasks.gaveUp("a GET")
    XCTAssertEqual(tasks.asked("a GET"), [.make("a GET")])
    XCTAssertEqual(tasks.made("a GET", task: 1), [])
    XCTAssertEqual(tasks.made("a GET", task: 2), [.cancel(task: 2)])
  }

  func testATransferThatAsksForAnotherRequestHasNoUseForTheEarlierOne() {
    _ = tasks.listed([task(1, "a PATCH 10"), task(2, "b GET")])
    XCTAssertEqual(tasks.asked("a HEAD"), [.cancel(task: 1), .make("a HEAD")])
    XCTAssertEqual(tasks.ended("a PATCH 10", task: 1), [.cancel(task: 1)])
    XCTAssertEqual(tasks.asked("b GET"), [])
  }

  func testATransferThatWasGivenUpTakesItsTaskAlong() {
    _ = tasks.listed([task(1, "a GET"), task(2, "b GET")])
    _ = tasks.keep(only: ["a", "b"])
    XCTAssertEqual(tasks.forgot("a"), [.cancel(task: 1)])
    XCTAssertEqual(tasks.keptKeys, ["b"])
    XCTAssertEqual(tasks.ended("a GET", task: 1), [.cancel(task: 1)])
  }

  func testAChallengeIsDecidedByTheExchangeThatWaitsAndWaitsForOne() {
    XCTAssertEqual(tasks.challenged(nil, task: 7, challenge: 1), [.refuse(challenge: 1)])
    // The process was launched for it.
    XCTAssertEqual(tasks.challenged("a GET", task: 1, challenge: 2), [])
    XCTAssertEqual(tasks.listed([task(1, "a GET"), task(3, "b GET")]), [])
    XCTAssertEqual(tasks.asked("a GET"), [.meet(challenge: 2, "a GET")])
    XCTAssertEqual(tasks.challenged("a GET", task: 1, challenge: 3), [.meet(challenge: 3, "a GET")])
    XCTAssertEqual(tasks.challenged("b GET", task: 3, challenge: 4), [])
    XCTAssertEqual(tasks.keep(only: ["a"]), [.refuse(challenge: 4), .cancel(task: 3)])
    XCTAssertEqual(tasks.challenged("b GET", task: 3, challenge: 5), [.refuse(challenge: 5)])
  }

  func testAChallengeOfATaskThatEndsIsAnswered() {
    _ = tasks.listed([task(1, "a GET")])
    XCTAssertEqual(tasks.challenged("a GET", task: 1, challenge: 1), [])
    XCTAssertEqual(tasks.ended("a GET", task: 1), [.refuse(challenge: 1)])
    XCTAssertEqual(tasks.asked("a GET"), [.give("a GET", task: 1)])
  }

  func testRequestsOfATransferHaveNamesOfTheirOwn() {
    var request = HTTPRequest(url: "https://homes.test/files/7?page=1")
    let whole = request.backgroundName(key: "k")
    request.headers.add("Range", "bytes=10-")
    let rest = request.backgroundName(key: "k")
    let others = ["https://homes.test/files/7?page=2", "https://other.test/files/7?page=1"].map {
      HTTPRequest(url: HTTPURL(stringLiteral: $0)).backgroundName(key: "k")
    }
    XCTAssertEqual(Set([whole, rest, request.backgroundName(key: "l")] + others).count, 5)
    XCTAssertTrue(rest.hasPrefix("k "))
  }

  func testANameIsTheSameInALaterLaunchWhoseSignatureIsAnother() {
    func name(_ query: String) -> String {
      HTTPRequest(url: HTTPURL(stringLiteral: "https://homes.test/files/7?\(query)"))
        .backgroundName(key: "k", without: ["timestamp"])
    }
    XCTAssertEqual(name("page=1&timestamp=1&X-Amz-Signature=a"), name("page=1&timestamp=2&X-Amz-Signature=b"))
    XCTAssertNotEqual(name("page=1&timestamp=1"), name("page=2&timestamp=1"))
  }
}

/// What errors mean that only the tasks of a background session have.
final class BackgroundFaultsTests: XCTestCase {
  func testWhatTheSystemEndsByItselfIsNoCancellationOfOurs() {
    for (reason, words) in [(0, "the user has quit"), (1, "in the background"), (2, "too little"), (9, "9")] {
      let error = BackgroundFaults.error(-999, because: reason)
      XCTAssertEqual(error?.reason, .connectionLost)
      XCTAssertTrue(error?.detail.contains(words) == true, error?.detail ?? "none")
      XCTAssertEqual(error?.isCancellation, false, "it would be made again at once, without end")
    }
  }

  func testTheLimitOfTheSessionIsNoTimeoutOfAConnection() {
    XCTAssertEqual(BackgroundFaults.error(-1001, because: nil)?.reason, .totalTimeout)
  }

  func testWhatTwoProcessesCannotHaveIsNamed() {
    XCTAssertTrue(
      BackgroundFaults.error(-995, because: nil)?.detail.contains("sharedContainerIdentifier") == true)
    XCTAssertTrue(BackgroundFaults.error(-996, because: nil)?.detail.contains("sessionIdentifier") == true)
    for code in [-999, -1004, -1202] {
      XCTAssertNil(BackgroundFaults.error(code, because: nil), "as in other sessions")
    }
  }
}
