import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// The landings of a manager as a subscriber of Combine gets them.
@MainActor final class LandingSubscriptionTests: XCTestCase {
  /// A subscriber that wants as many more as a test says.
  @MainActor private final class Subscriber {
    private(set) var statuses: [Int?] = []
    private(set) var ends = 0
    /// What ``LandingSubscription/Receiver/receive`` returns.
    var more: Int? = 0
    var onLanding: () -> Void = {}

    func makeSubscription() -> LandingSubscription {
      LandingSubscription(
        LandingSubscription.Receiver(
          receive: { [weak self] landing in
            guard let self else { return 0 }
            statuses.append(try? landing.get().status)
            onLanding()
            return more
          }, finish: { [weak self] in self?.ends += 1 }))
    }
  }

  private let stub = StubTransport(.json(someJSON))
  private let subscriber = Subscriber()

  /// Lets everything happen that is about to.
  private func settle() async { for _ in 0..<20 { await Task.yield() } }

  func testASubscriberThatWantsAllGetsEachLandingInOrder() async throws {
    let stub = StubTransport(.json(someJSON), .json("{}", status: 500), .json(someJSON))
    let manager = TestManager(stub)
    let subscription = subscriber.makeSubscription()
    subscription.request(nil)
    subscription.follow(manager)
    for _ in 0..<3 { _ = try? await manager.response() }
    await waitUntil { self.subscriber.statuses.count == 3 }
    XCTAssertEqual(subscriber.statuses, [200, nil, 200])
    XCTAssertEqual(subscriber.ends, 0)
  }

  func testNoMoreIsGivenThanWasAskedForAndTheRestWaits() async throws {
    let manager = TestManager(stub)
    let subscription = subscriber.makeSubscription()
    subscription.follow(manager)
    for _ in 0..<4 { _ = try await manager.response() }
    await settle()
    XCTAssertEqual(subscriber.statuses.count, 0)
    subscription.request(2)
    await waitUntil { self.subscriber.statuses.count == 2 }
    await settle()
    XCTAssertEqual(subscriber.statuses.count, 2)
    // What the subscriber returns adds to it.
    subscriber.more = 1
    subscription.request(1)
    await waitUntil { self.subscriber.statuses.count == 4 }
  }

  func testOfWhatNobodyAsksForTheLastAreKept() async throws {
    let manager = TestManager(stub)
    let subscription = subscriber.makeSubscription()
    subscription.follow(manager)
    for _ in 0..<80 { _ = try await manager.response() }
    subscription.request(nil)
    await waitUntil { self.subscriber.statuses.count >= 64 }
    await settle()
    XCTAssertLessThanOrEqual(subscriber.statuses.count, 65)
  }

  func testItEndsWithTheManagerWhichItDoesNotKeepAlsoWithoutDemand() async throws {
    var manager: TestManager? = TestManager(stub)
    weak var released: TestManager?
    released = manager
    let subscription = subscriber.makeSubscription()
    subscription.follow(manager)
    subscription.request(1)
    _ = try await manager?.response()
    await waitUntil { self.subscriber.statuses.count == 1 }
    manager = nil
    XCTAssertNil(released)
    await waitUntil { self.subscriber.ends == 1 }
    // Of one that is gone there is nothing.
    subscriber.makeSubscription().follow(manager)
    XCTAssertEqual(subscriber.ends, 2)
  }

  func testACancelledSubscriptionIsToldNothingMore() async throws {
    var manager: TestManager? = TestManager(stub)
    let subscription = subscriber.makeSubscription()
    subscription.request(nil)
    subscription.follow(manager)
    // From the callback itself, which then wants more.
    subscriber.more = nil
    subscriber.onLanding = { subscription.cancel() }
    for _ in 0..<3 { _ = try await manager?.response() }
    await settle()
    XCTAssertEqual(subscriber.statuses.count, 1)
    subscription.request(5)
    subscription.cancel()
    manager = nil
    await settle()
    XCTAssertEqual(subscriber.ends, 0)
  }

  func testCancellingEndsTheWaitForDemandAndReleasesTheSubscriber() async throws {
    let manager = TestManager(stub)
    weak var held: Counter?
    let subscription: LandingSubscription
    do {
      let counter = Counter()
      held = counter
      subscription = LandingSubscription(
        LandingSubscription.Receiver(
          receive: { _ in
            counter.increment()
            return 0
          }, finish: {}))
    }
    subscription.follow(manager)
    _ = try await manager.response()
    await settle()
    XCTAssertNotNil(held)
    subscription.cancel()
    await waitUntil { held == nil }
  }

  func testASubscriptionOfAnotherThreadBeginsOnTheMainActor() async throws {
    let manager = TestManager(stub)
    let subscription = subscriber.makeSubscription()
    await Task.detached {
      subscription.request(nil)
      subscription.follow(manager)
    }.value
    await settle()
    _ = try await manager.response()
    await waitUntil { self.subscriber.statuses.count == 1 }
  }
}
