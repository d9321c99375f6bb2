import XCTest

@testable import APIKit

/// The takeoff policies as a state machine: no time passes, nothing flies.
final class TakeoffControlTests: XCTestCase {
  private var control = TakeoffControl()
  private var lastID: UInt64 = 0

  private func ask(
    _ policy: TakeoffPolicy, _ parameters: Parameters = [:], at now: Duration = .zero
  ) -> (id: FlightID, decision: TakeoffControl.Decision) {
    lastID += 1
    let id = FlightID(rawValue: lastID)
    return (id, control.request(id, policy: policy, parameters: parameters, now: now))
  }

  func testConcurrentLoadsAllFly() {
    for _ in 0..<3 { XCTAssertEqual(ask(.concurrent).decision, .init(verdict: .fly)) }
  }

  func testIgnoreNewRefusesWhileOneIsInTheAir() {
    let first = ask(.ignoreNew)
    XCTAssertEqual(first.decision.verdict, .fly)
    XCTAssertEqual(ask(.ignoreNew).decision, .init(verdict: .alreadyLoading))
    XCTAssertNil(control.retire(first.id))
    XCTAssertEqual(ask(.ignoreNew).decision.verdict, .fly)
  }

  func testCancelPreviousSupersedesWhatIsInTheAir() {
    let first = ask(.cancelPrevious)
    let second = ask(.cancelPrevious)
    XCTAssertEqual(second.decision, .init(verdict: .fly, superseded: [first.id]))
    let third = ask(.cancelPrevious)
    XCTAssertEqual(third.decision.superseded, [second.id], "the first gave way already")
  }

  func testQueueLetsOneFlyAtATimeInOrder() {
    let first = ask(.queue)
    let second = ask(.queue)
    let third = ask(.queue)
    XCTAssertEqual([first, second, third].map(\.decision.verdict), [.fly, .wait, .wait])
    XCTAssertEqual(control.retire(first.id), second.id)
    XCTAssertEqual(control.retire(second.id), third.id)
    XCTAssertNil(control.retire(third.id))
    XCTAssertTrue(control.isIdle)
  }

  func testAFullQueueRefusesTheNewest() {
    let policy = TakeoffPolicy.queue(limit: 2)
    let first = ask(policy)
    XCTAssertEqual((0..<2).map { _ in ask(policy).decision.verdict }, [.wait, .wait])
    XCTAssertEqual(ask(policy).decision, .init(verdict: .queueFull(limit: 2)))
    XCTAssertNotNil(control.retire(first.id))
    XCTAssertEqual(ask(policy).decision.verdict, .wait, "one has left")
    XCTAssertEqual(ask(.queue).decision.verdict, .wait, "a queue without a limit takes any number")
  }

  func testAQueueForLessThanNobodyRefuses() {
    let policy = TakeoffPolicy(.queue(limit: .min, overflow: .cancelOldest))
    XCTAssertEqual(ask(policy).decision.verdict, .fly)
    XCTAssertEqual(ask(policy).decision, .init(verdict: .queueFull(limit: .min)))
  }

  func testAFullQueueCancelsTheOldestThatWaits() {
    let policy = TakeoffPolicy.queue(limit: 2, overflow: .cancelOldest)
    let first = ask(policy)
    let (second, third) = (ask(policy), ask(policy))
    let fourth = ask(policy)
    XCTAssertEqual(fourth.decision, .init(verdict: .wait, superseded: [second.id]))
    control.setReplacing(true, fourth.decision)
    XCTAssertEqual(ask(policy).decision.verdict, .alreadyLoading, "the oldest, asked for again in return")
    control.setReplacing(false, fourth.decision)
    XCTAssertEqual(control.retire(first.id), third.id)
    XCTAssertEqual(control.retire(third.id), fourth.id)
    XCTAssertNil(control.retire(fourth.id))
    XCTAssertTrue(control.isIdle)
  }

  func testAQueueWithoutPlacesIsAnIgnoredLoad() {
    let policy = TakeoffPolicy.queue(limit: -1, overflow: .cancelOldest)
    XCTAssertEqual(ask(policy).decision.verdict, .fly)
    XCTAssertEqual(ask(policy).decision, .init(verdict: .queueFull(limit: 0)))
  }

  func testAQueuedLoadThatIsCancelledIsSkipped() {
    let first = ask(.queue)
    let second = ask(.queue)
    let third = ask(.queue)
    XCTAssertNil(control.retire(second.id), "one is still in the air")
    XCTAssertEqual(control.retire(first.id), third.id)
  }

  func testDebounceKeepsOnlyTheLastAndSupersedesTheFlightBefore() {
    let policy = TakeoffPolicy.debounce(.milliseconds(300))
    let first = ask(policy)
    XCTAssertEqual(first.decision, .init(verdict: .waitFor(.milliseconds(300))))
    let second = ask(policy)
    XCTAssertEqual(second.decision.superseded, [first.id])
    XCTAssertNil(control.timerFired(for: first.id, now: .zero))
    XCTAssertEqual(control.timerFired(for: second.id, now: .zero), .init(verdict: .fly))
    let third = ask(policy)
    XCTAssertEqual(third.decision.superseded, [], "the second flies and is good until the third does")
    XCTAssertEqual(control.timerFired(for: third.id, now: .zero)?.superseded, [second.id])
  }

  func testThrottleRefusesUntilTheIntervalHasPassed() {
    let policy = TakeoffPolicy.throttle(.seconds(10))
    let first = ask(policy, at: .seconds(100))
    XCTAssertEqual(first.decision.verdict, .fly)
    _ = control.retire(first.id)
    XCTAssertEqual(
      ask(policy, at: .seconds(104)).decision.verdict, .throttled(remaining: .seconds(6)))
    XCTAssertEqual(ask(policy, at: .seconds(110)).decision.verdict, .fly)
  }

  func testAThrottleOfBothEdgesSendsTheFirstAtOnceAndTheLastWhenTheIntervalIsOver() {
    let policy = TakeoffPolicy.throttle(.seconds(10), .both)
    let first = ask(policy, at: .seconds(100))
    XCTAssertEqual(first.decision, .init(verdict: .fly))
    let second = ask(policy, at: .seconds(103))
    XCTAssertEqual(second.decision, .init(verdict: .waitFor(.seconds(7))), "the flight of the first goes on")
    let third = ask(policy, at: .seconds(109))
    XCTAssertEqual(third.decision, .init(verdict: .waitFor(.seconds(1)), superseded: [second.id]))
    XCTAssertNil(control.timerFired(for: second.id, now: .seconds(110)))
    XCTAssertEqual(control.timerFired(for: third.id, now: .seconds(110)), .init(verdict: .fly))
    XCTAssertEqual(
      ask(policy, at: .seconds(112)).decision.verdict, .waitFor(.seconds(8)),
      "the last begins another interval")
  }

  func testAThrottleOfTheTrailingEdgeSendsTheLastWhenTheIntervalOfTheFirstIsOver() {
    let policy = TakeoffPolicy.throttle(.seconds(10), .trailing)
    let first = ask(policy, at: .seconds(100))
    XCTAssertEqual(first.decision, .init(verdict: .waitFor(.seconds(10))))
    let second = ask(policy, at: .seconds(104))
    XCTAssertEqual(second.decision, .init(verdict: .waitFor(.seconds(6)), superseded: [first.id]))
    XCTAssertEqual(control.timerFired(for: second.id, now: .seconds(110)), .init(verdict: .fly))
    let third = ask(policy, at: .seconds(111))
    XCTAssertEqual(third.decision, .init(verdict: .waitFor(.seconds(10))), "it begins an interval of its own")
    XCTAssertNil(control.retire(third.id))
    XCTAssertEqual(
      ask(policy, at: .seconds(113)).decision.verdict, .waitFor(.seconds(8)),
      "a load that was cancelled makes no other one earlier")
  }

  func testALoadThatComesWhenTheIntervalIsOverDoesNotWaitForALateTimer() {
    for edge in [TakeoffPolicy.ThrottleEdge.both, .trailing] {
      control = TakeoffControl()
      let policy = TakeoffPolicy.throttle(.seconds(10), edge)
      _ = ask(policy, at: .seconds(0))
      let waiting = ask(policy, at: .seconds(2))
      let late = ask(policy, at: .seconds(11))
      XCTAssertEqual(late.decision, .init(verdict: .fly, superseded: [waiting.id]))
      XCTAssertNil(control.timerFired(for: waiting.id, now: .seconds(11)))
    }
  }

  func testKeyedPoliciesDoNotShadowOtherItems() {
    let policy = TakeoffPolicy.cancelPrevious.keyed(by: "id")
    let one = ask(policy, ["id": 1, "size": "s"])
    let two = ask(policy, ["id": 2])
    XCTAssertEqual(two.decision.superseded, [])
    XCTAssertEqual(ask(policy, ["id": 1, "size": "l"]).decision.superseded, [one.id])
    XCTAssertEqual(TakeoffPolicy.queue.keyed().key, .allParameters)
  }

  func testAKeyedThrottleForgetsLanesWhoseTimeHasPassed() {
    let policy = TakeoffPolicy.throttle(.seconds(1)).keyed(by: "id")
    for index in 0..<1_000 {
      let asked = ask(policy, ["id": index], at: .seconds(index * 10))
      XCTAssertEqual(asked.decision.verdict, .fly)
      _ = control.retire(asked.id)
    }
    XCTAssertLessThanOrEqual(control.keyCount, 66)
  }

  func testALoadOfALongQueueLeavesAsFastAsOneOfAShortQueue() {
    let start = ContinuousClock.now
    let ids = (0..<100_000).map { _ in ask(.queue).id }
    // From the end on, as `cancel()` does, then in order, as they land.
    for id in ids[50_000...].reversed() { XCTAssertNil(control.retire(id)) }
    for position in 0..<49_999 { XCTAssertEqual(control.retire(ids[position]), ids[position + 1]) }
    XCTAssertNil(control.retire(ids[49_999]))
    XCTAssertTrue(control.isIdle)
    // It took minutes where each was looked for among all.
    XCTAssertLessThan(ContinuousClock.now - start, .seconds(20))
  }

  func testAThrottleOfManyKeysIsNotSearchedForEach() {
    let start = ContinuousClock.now
    for number in 0..<20_000 {
      let load = ask(TakeoffPolicy.throttle(.seconds(60)).keyed(by: "id"), ["id": number])
      XCTAssertEqual(load.decision.verdict, .fly)
      XCTAssertNil(control.retire(load.id))
    }
    XCTAssertEqual(control.keyCount, 20_000)
    XCTAssertLessThan(ContinuousClock.now - start, .seconds(20))
  }
}
