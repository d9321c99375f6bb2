import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// What joined loads and batches have in common: one wire call, and a landing of its own for each load.
@MainActor final class SharingTests: XCTestCase {
  private let stub = StubTransport(.json(someJSON))
  private let sharedState = SharedState()
  private let time = ManualTime()

  private func makeManager() -> TestManager {
    let manager = TestManager(stub)
    manager.joinsIdenticalFlights = true
    manager.sharedState = sharedState
    manager.time = time
    return manager
  }

  private func waitUntilWaiting(_ count: Int) async {
    await waitUntil { self.sharedState.joins.waiterCount == count }
  }

  func testALoadThatSharesNothingMakesItsOwnCall() async throws {
    let manager = makeManager()
    manager.joinsIdenticalFlights = false
    stub.hold()
    let recorder = Recorder()
    manager.delegate = recorder
    for _ in 0..<2 { manager.load() }
    try await stub.waitForRequests(2)
    XCTAssertEqual(sharedState.joins.count, 0)
    stub.release()
    await recorder.waitForLandings(2)
  }

  func testALoadThatChangesSomethingIsNeitherJoinedNorGathered() async throws {
    let manager = makeManager()
    manager.method = .post
    manager.service.onBatchPlan = { _ in .byID("id", list: "homes", as: "ids", items: "items") }
    stub.hold()
    let recorder = Recorder()
    manager.delegate = recorder
    for _ in 0..<2 { manager.load(["id": 1]) }
    try await stub.waitForRequests(2)
    XCTAssertEqual(Set(stub.requests.map(\.url.path)), ["/api/list"])
    stub.release()
    await recorder.waitForLandings(2)
    XCTAssertEqual(time.sleeperCount, 0)
  }

  func testALoadThatCouldDoBothIsGathered() async throws {
    stub.on("/api/homes", .json(#"{"items": [{"id": 1}, {"id": 2}]}"#))
    let manager = makeManager()
    manager.service.onBatchPlan = { call in
      guard call.apiName == "list" else { return nil }
      var plan = BatchPlan.byID("id", list: "homes", as: "ids", items: "items")
      plan.maximumCount = 2
      return plan
    }
    let recorder = Recorder()
    manager.delegate = recorder
    for id in 1...2 { manager.load(["id": id]) }
    await recorder.waitForLandings(2)
    XCTAssertEqual(recorder.responses.compactMap { $0.raw["id"].int }.sorted(), [1, 2])
    XCTAssertEqual(stub.requests.map(\.url.path), ["/api/homes"])
  }

  func testASharedResponseIsJudgedByEachManagerAlone() async throws {
    stub.hold()
    let (strict, easy) = (makeManager(), makeManager())
    strict.onValidateResponse = { _ in throw ValidationError("no") }
    let (refused, landed) = (Recorder(), Recorder())
    strict.delegate = refused
    easy.delegate = landed
    strict.load()
    easy.load()
    await waitUntilWaiting(2)
    stub.release()
    await refused.waitForLandings()
    await landed.waitForLandings()
    XCTAssertEqual(refused.errors.map(\.reason), [.invalidResponse])
    XCTAssertEqual(landed.responses.count, 1)
    XCTAssertEqual(stub.requests.count, 1)
  }

  func testTheResponseIsStoredAsAJoinedLoadSaysWhereTheOneThatLeadsStoresNone() async throws {
    let cache = ResponseCache()
    stub.hold()
    let (first, second) = (makeManager(), makeManager())
    for manager in [first, second] { manager.service.store = cache }
    second.cachePolicy = .fresh()
    async let one = first.response()
    await waitUntilWaiting(1)
    async let other = second.response()
    await waitUntilWaiting(2)
    stub.release()
    _ = try await (one, other)
    _ = try await second.response()
    XCTAssertEqual(stub.requests.count, 1)
  }

  func testAllLoadsOfACallAreSuspendedWhileItWaitsForASignIn() async throws {
    let managers = (0..<3).map { _ in makeManager() }
    try await assertSuspended(managers) { index in
      // The last one comes when the call waits already.
      if index == 2 { await waitUntil { managers[0].isSuspended } }
      managers[index].load()
    }
  }

  func testAllLoadsOfABatchAreSuspendedWhileItWaitsForASignIn() async throws {
    stub.on("/api/homes", .json(#"{"items": [{"id": 1}, {"id": 2}]}"#))
    let managers = (0..<2).map { _ in makeManager() }
    try await assertSuspended(managers) { index in
      managers[index].service.onBatchPlan = { call in
        var plan = BatchPlan.byID("id", list: "homes", as: "ids", items: "items")
        plan.maximumCount = 2
        return call.apiName == "list" ? plan : nil
      }
      managers[index].load(["id": index + 1])
    }
  }

  /// The managers' loads share one request, and are suspended until there is a sign-in.
  private func assertSuspended(
    _ managers: [TestManager], load: @MainActor (_ index: Int) async -> Void
  ) async throws {
    let authenticator = Authenticator()
    let changes = managers.map { $0.stateChanges() }
    for (index, manager) in managers.enumerated() {
      manager.service.authenticator = authenticator
      manager.signIn = .required
      await load(index)
    }
    await waitUntil { managers.allSatisfy(\.isSuspended) }
    try authenticator.signIn(with: Credential(accessToken: "fresh"))
    for change in changes {
      let states = await change.untilTheEnd()
      XCTAssertEqual(states, [.waiting, .flying, .suspended, .flying, .succeeded])
    }
    XCTAssertEqual(stub.requests.count, 1)
  }

  func testADeadlineEndsTheWaitOfItsLoadAlone() async throws {
    stub.hold()
    let (patient, hasty) = (makeManager(), makeManager())
    let recorder = Recorder()
    patient.delegate = recorder
    patient.load()
    await waitUntilWaiting(1)
    hasty.retryPolicy = RetryPolicy(attempts: 1, deadline: .seconds(5))
    async let failed = errorThrown { () throws(APIError) in try await hasty.response() }
    await waitUntilWaiting(2)
    await time.advanceOnceAsleep(by: .seconds(5))
    let error = try await failed
    XCTAssertEqual(error.reason, .deadlineExceeded)
    await waitUntilWaiting(1)
    stub.release()
    await recorder.waitForLandings()
    XCTAssertEqual(recorder.responses.count, 1)
    XCTAssertEqual(stub.requests.count, 1)
  }
}

extension TestManager {
  fileprivate var isSuspended: Bool { flightStore.flights.contains { $0.state == .suspended } }
}

extension AsyncStream<FlightStateChange> {
  /// The states of one load.
  fileprivate func untilTheEnd() async -> [FlightState] {
    var states: [FlightState] = []
    for await change in self {
      states.append(change.to)
      if change.to.isFinal { break }
    }
    return states
  }
}
