import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// Batches that gather while the call before them is in the air.
@MainActor final class GatheringBatchTests: BatchCase {
  private func makeGatherer(
    _ ids: [Int], most: Int = 50, signedInBy authenticator: Authenticator? = nil
  ) -> [TestManager] {
    ids.map { id in
      let manager = makeManager()
      manager.service.authenticator = authenticator
      manager.service.onBatchPlan = { _ in
        var plan = BatchPlan.byID("id", list: "homes", as: "ids", items: "items")
        plan.gathersWhileFlying = true
        plan.maximumCount = most
        return plan
      }
      manager.load(["id": id])
      return manager
    }
  }

  /// The ids that a request to the list asked for, in order: loads come to a batch in any.
  private func ids(_ request: HTTPRequest) -> [String] {
    (request.url.query ?? "").split(separator: "&").filter { $0.hasPrefix("ids") }
      .compactMap { $0.split(separator: "=").last.map(String.init) }.sorted()
  }

  func testLoadsThatComeWhileACallIsInTheAirAreSentAsOneWhenItLands() async throws {
    stub.hold()
    let first = makeGatherer([1, 2])
    await waitUntilGathered(2)
    await time.advanceOnceAsleep(by: .milliseconds(10))
    try await stub.waitForRequests(1)
    let later = makeGatherer([3, 4, 5])
    await waitUntilGathered(5)
    // No time passes: they wait for the call, not for a window.
    XCTAssertEqual(stub.requests.count, 1)
    stub.release(1)
    await waitUntil { first.allSatisfy { !$0.isLoading } }
    try await stub.waitForRequests(2)
    XCTAssertEqual(ids(stub.requests[1]), ["3", "4", "5"])
    stub.release()
    await waitUntil { later.allSatisfy { !$0.isLoading } }
    XCTAssertEqual(later.map { $0.rawData["name"].string }, ["home 3", "home 4", "home 5"])
    XCTAssertEqual(stub.requests.count, 2)
    let again = makeGatherer([6, 7])
    await waitUntilGathered(2)
    await time.advanceOnceAsleep(by: .milliseconds(10))
    await waitUntil { again.allSatisfy { !$0.isLoading } }
    XCTAssertEqual(stub.requests.count, 3, "after a quiet time the window counts")
  }

  func testLoadsThatWaitForACallInTheAirEndWhenTheirUserLeaves() async throws {
    let authenticator = Authenticator()
    try authenticator.signIn(with: Credential(accessToken: "ann"))
    stub.hold()
    let first = makeGatherer([1], signedInBy: authenticator)
    await waitUntilGathered(1)
    await time.advanceOnceAsleep(by: .milliseconds(10))
    try await stub.waitForRequests(1)
    let recorder = Recorder()
    let later = makeGatherer([2, 3], signedInBy: authenticator)
    for manager in later { manager.delegate = recorder }
    await waitUntilGathered(3)
    try authenticator.signOut()
    try authenticator.signIn(with: Credential(accessToken: "bob"))
    await recorder.waitForLandings(2)
    XCTAssertEqual(recorder.errors.map(\.reason), [.signedOut, .signedOut])
    XCTAssertEqual(stub.requests.count, 1)
    let next = makeGatherer([4], signedInBy: authenticator)
    await waitUntilGathered(2)
    await time.advanceOnceAsleep(by: .milliseconds(10))
    try await stub.waitForRequests(2)
    stub.release()
    await waitUntil { (first + next).allSatisfy { !$0.isLoading } }
    XCTAssertEqual(stub.requests.map { $0.headers["Authorization"] }, ["Bearer ann", "Bearer bob"])
  }

  func testAFullBatchDoesNotWaitForTheOneInTheAirAndLaterLoadsWaitForTheLatest() async throws {
    stub.hold()
    let first = makeGatherer([1, 2], most: 2)
    try await stub.waitForRequests(1)
    // Held in the order of their calls.
    await waitUntil { self.stub.heldCount == 1 }
    let second = makeGatherer([3, 4], most: 2)
    try await stub.waitForRequests(2)
    await waitUntil { self.stub.heldCount == 2 }
    XCTAssertEqual(ids(stub.requests[1]), ["3", "4"])
    let third = makeGatherer([5], most: 2)
    await waitUntilGathered(5)
    stub.release(1)
    await waitUntil { first.allSatisfy { !$0.isLoading } }
    XCTAssertEqual(stub.requests.count, 2)
    stub.release(1)
    await waitUntil { second.allSatisfy { !$0.isLoading } }
    try await stub.waitForRequests(3)
    stub.release()
    await waitUntil { third.allSatisfy { !$0.isLoading } }
    XCTAssertEqual(third[0].rawData["name"].string, "alone")
  }

  func testNobodyJoinsABatchThatAllItsLoadsHaveLeft() async throws {
    let left = makeGatherer([1, 2])
    await waitUntilGathered(2)
    for manager in left { manager.cancel() }
    await waitUntilGathered(0)
    let next = makeGatherer([3, 4])
    await waitUntilGathered(2)
    await time.advanceOnceAsleep(by: .milliseconds(10))
    await waitUntil { next.allSatisfy { !$0.isLoading } }
    XCTAssertEqual(stub.requests.map(ids), [["3", "4"]])
  }

  func testTheNextCallIsMadeHoweverTheOneInTheAirEnds() async throws {
    let sent = Counter()
    stub.when({ $0.url.path == "/api/homes" && sent.next() == 0 }, .failure(.connectionLost))
    stub.hold()
    let failing = makeGatherer([1, 2])
    await waitUntilGathered(2)
    await time.advanceOnceAsleep(by: .milliseconds(10))
    try await stub.waitForRequests(1)
    let second = makeGatherer([3, 4])
    await waitUntilGathered(4)
    stub.release(1)
    try await stub.waitForRequests(2)
    await waitUntil { failing.allSatisfy { !$0.isLoading } }
    XCTAssertEqual(failing.map { $0.lastError?.reason }, [.connectionLost, .connectionLost])
    // The second is given up by all of its loads while a third gathers.
    let third = makeGatherer([5, 6])
    await waitUntilGathered(4)
    for manager in second { manager.cancel() }
    try await stub.waitForRequests(3)
    XCTAssertEqual(ids(stub.requests[2]), ["5", "6"])
    stub.release()
    await waitUntil { third.allSatisfy { !$0.isLoading } }
    XCTAssertEqual(third.map { $0.rawData["name"].string }, ["home 5", "home 6"])
    XCTAssertEqual(sharedState.batches.waitingCount, 0)
  }
}
