import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// The takeoff policies as an application meets them: what is sent, what lands, what is refused.
@MainActor final class TakeoffPolicyTests: XCTestCase {
  private let stub = StubTransport(.json(someJSON))
  private let recorder = Recorder()
  private let time = ManualTime()

  private func makeManager(_ policy: TakeoffPolicy) -> TestManager {
    let manager = TestManager(stub)
    manager.takeoffPolicy = policy
    manager.delegate = recorder
    manager.time = time
    return manager
  }

  func testIgnoreNewRefusesWithAReasonAndTheDelegateHearsOfTheFirstOnly() async throws {
    let manager = makeManager(.ignoreNew)
    manager.load()
    let refusal = manager.load().refusal
    XCTAssertEqual(refusal?.reason, .alreadyLoading)
    XCTAssertEqual(refusal?.stage, .takeoff)
    await recorder.waitForLandings()
    await landingsWorkedOff()
    XCTAssertEqual(recorder.events, ["delegate.success"])
  }

  func testCancelPreviousNeverLetsALateResponseLand() async throws {
    let manager = makeManager(.cancelPrevious)
    stub.hold()
    let first = manager.load(["price": 1]).flightID
    try await stub.waitForRequests(1)
    let second = manager.load(["price": 2]).flightID
    XCTAssertEqual(recorder.cancellations.map(\.flight), [first])
    XCTAssertEqual(recorder.cancellations.map(\.reason), [.superseded])
    XCTAssertEqual(manager.flights, [second])
    stub.release()
    await recorder.waitForLandings(2)
    await landingsWorkedOff()
    XCTAssertEqual(recorder.events, ["delegate.cancel", "delegate.success"])
  }

  func testALoadFromTheDelegateOfOneThatWasReplacedIsRefusedAndTheNewerLands() async throws {
    for policy in [TakeoffPolicy.cancelPrevious, TakeoffPolicy(.debounce(.seconds(1)))] {
      let manager = makeManager(policy)
      let reloader = Reloader()
      manager.delegate = reloader
      manager.load(["price": 1])
      let second = manager.load(["price": 2]).flightID
      XCTAssertEqual(reloader.refusals, [.alreadyLoading])
      XCTAssertEqual(manager.flights, [second].compactMap { $0 })
      let third = manager.load(["price": 3]).flightID
      XCTAssertEqual(reloader.refusals.count, 2, "who was told before may be replaced")
      XCTAssertEqual(manager.flights, [third].compactMap { $0 })
      manager.cancel()
      XCTAssertNotNil(reloader.last?.flightID, "a cancelled load may be loaded again")
      manager.delegate = nil
      manager.cancel()
    }
  }

  func testADelegateMayLoadOtherLanesWhenItsLoadWasReplaced() async throws {
    let manager = makeManager(TakeoffPolicy(.cancelPrevious, key: .parameters(["city"])))
    let reloader = Reloader()
    reloader.parameters = ["city": "Ames"]
    manager.delegate = reloader
    manager.load(["city": "Suzhou", "price": 1])
    manager.load(["city": "Suzhou", "price": 2])
    XCTAssertEqual(reloader.refusals, [])
    XCTAssertEqual(manager.flights.count, 2)
    manager.delegate = nil
    manager.cancel()
  }

  func testQueuedLoadsAreSentOneAfterTheOther() async throws {
    let manager = makeManager(.queue)
    stub.hold()
    for page in 1...3 { manager.load(["page": page]) }
    try await stub.waitForRequests(1)
    XCTAssertEqual(stub.requests.count, 1)
    stub.release()
    await recorder.waitForLandings(3)
    XCTAssertEqual(stub.requests.map(\.url.query), ["page=1", "page=2", "page=3"])
  }

  func testALoadOverTheLimitOfAQueueIsRefusedWithoutADelivery() async throws {
    let manager = makeManager(.queue(limit: 1))
    stub.hold()
    for page in 1...2 { manager.load(["page": page]) }
    guard case .refused(let error) = manager.load(["page": 3]) else { return XCTFail("it was not refused") }
    XCTAssertEqual(error.label, "takeoff.queue-full")
    stub.release()
    await recorder.waitForLandings(2)
    await landingsWorkedOff()
    XCTAssertEqual(stub.requests.map(\.url.query), ["page=1", "page=2"])
    XCTAssertEqual(recorder.errors.count, 0)
  }

  func testAQueueThatCancelsTheOldestSendsTheNewest() async throws {
    let manager = makeManager(.queue(limit: 1, overflow: .cancelOldest))
    stub.hold()
    for page in 1...3 { manager.load(["page": page]) }
    XCTAssertEqual(recorder.cancellations.map(\.reason), [.superseded])
    stub.release()
    await recorder.waitForLandings(3)
    XCTAssertEqual(stub.requests.map(\.url.query), ["page=1", "page=3"])
  }

  func testCancellingAQueueSendsNothingMore() async throws {
    let manager = makeManager(.queue)
    stub.hold()
    for page in 1...3 { manager.load(["page": page]) }
    try await stub.waitForRequests(1)
    manager.cancel()
    XCTAssertEqual(recorder.cancellations.count, 3)
    stub.release()
    await landingsWorkedOff()
    XCTAssertEqual(stub.requests.count, 1)
    XCTAssertTrue(manager.control.isIdle)
  }

  func testDebounceSendsOnlyTheLastOfABurst() async throws {
    let manager = makeManager(.debounce(.milliseconds(300)))
    for text in ["s", "su", "suz"] {
      guard case .waiting = manager.load(["q": text]) else { return XCTFail("it did not wait") }
    }
    XCTAssertEqual(recorder.cancellations.map(\.reason), [.superseded, .superseded])
    await waitUntil { self.time.sleeperCount == 1 }
    time.advance(by: .milliseconds(299))
    await landingsWorkedOff()
    XCTAssertEqual(stub.requests.count, 0)
    time.advance(by: .milliseconds(1))
    await recorder.waitForLandings(3)
    XCTAssertEqual(stub.requests.map(\.url.query), ["q=suz"])
  }

  func testThrottleSaysHowLongToWait() async throws {
    let manager = makeManager(.throttle(.seconds(5)))
    manager.load()
    await recorder.waitForLandings()
    time.advance(by: .seconds(2))
    let refusal = manager.load().refusal
    XCTAssertEqual(refusal?.reason, .throttled)
    XCTAssertTrue(refusal?.detail.contains("3.0 seconds") ?? false, refusal?.detail ?? "not refused")
    time.advance(by: .seconds(3))
    XCTAssertNil(manager.load().refusal)
    await recorder.waitForLandings(2)
  }

  func testAThrottleSendsTheNewestValueWhereItsEdgeSaysSo() async throws {
    for (edge, sent) in [
      (TakeoffPolicy.ThrottleEdge.leading, ["at=1"]), (.trailing, ["at=3"]), (.both, ["at=1", "at=3"]),
    ] {
      let stub = StubTransport(.json(someJSON))
      let (time, recorder) = (ManualTime(), Recorder())
      let manager = TestManager(stub)
      manager.takeoffPolicy = .throttle(.seconds(5), edge)
      manager.delegate = recorder
      manager.time = time
      let takeoffs = (1...3).map { manager.load(["at": $0]) }
      if edge == .leading {
        XCTAssertEqual(takeoffs.compactMap(\.refusal?.reason), [.throttled, .throttled])
      } else {
        XCTAssertTrue(takeoffs.allSatisfy { $0.refusal == nil })
        await time.advanceOnceAsleep(by: .seconds(5))
      }
      await recorder.waitForLandings(edge == .leading ? 1 : 3)
      XCTAssertEqual(stub.requests.compactMap(\.url.query), sent)
      XCTAssertEqual(
        recorder.cancellations.map(\.reason),
        edge == .leading ? [] : edge == .both ? [.superseded] : [.superseded, .superseded])
    }
  }

  func testAKeyedPolicyCancelsTheSameItemOnly() async throws {
    let manager = makeManager(.cancelPrevious.keyed(by: "id"))
    stub.hold()
    let one = manager.load(["id": 1]).flightID
    manager.load(["id": 2])
    manager.load(["id": 1])
    XCTAssertEqual(recorder.cancellations.map(\.flight), [one])
    stub.release()
    await recorder.waitForLandings(3)
    XCTAssertEqual(recorder.responses.count, 2)
  }
}

/// Loads again whenever a load of it is cancelled.
@MainActor private final class Reloader: APIManagerDelegate {
  var parameters: Parameters = [:]
  private(set) var last: Takeoff?
  private(set) var refusals: [APIError.Reason] = []

  func manager(_ manager: BaseAPIManager, didSucceedWith response: APIResponse) {}
  func manager(_ manager: BaseAPIManager, didFailWith error: APIError) {}

  func manager(_ manager: BaseAPIManager, didCancel flight: FlightID, because reason: CancellationReason) {
    let takeoff = (manager as? TestManager)?.load(parameters)
    last = takeoff
    if let reason = takeoff?.refusal?.reason { refusals.append(reason) }
  }
}
