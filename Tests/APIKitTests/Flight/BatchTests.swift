import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// Batches as an application meets them: managers of one id each, and a service with a list.
@MainActor final class BatchTests: BatchCase {
  func testLoadsOfOneIdEachBecomeOneListCallAndAreSplitBack() async throws {
    let recorder = Recorder()
    let managers = (0..<5).map { _ in makeManager() }
    for (index, manager) in managers.enumerated() {
      manager.delegate = recorder
      manager.load(["id": index + 1, "lang": "en"])
    }
    await waitUntilGathered(5)
    await time.advanceOnceAsleep(by: .milliseconds(10))
    await recorder.waitForLandings(5)
    XCTAssertEqual(stub.requests.count, 1)
    XCTAssertEqual(stub.requests[0].url.path, "/api/homes")
    for (index, manager) in managers.enumerated() {
      XCTAssertEqual(manager.rawData["name"].string, "home \(index + 1)")
    }
    let text = managers[4].lastResponse?.record?.description ?? ""
    XCTAssertTrue(text.contains("one of 5 loads in the call of flight"), text)
    XCTAssertEqual(sharedState.batches.waitingCount, 0)
  }

  func testTheServiceIsAskedForItsPlanAndItsCommonParametersOncePerLoad() async throws {
    let (plans, commons) = (Counter(), Counter())
    func makeCounted(_ policy: CachePolicy) -> TestManager {
      let manager = makeManager(most: 2)
      let plan = manager.service.onBatchPlan
      manager.service.onBatchPlan = { call in
        plans.increment()
        return plan(call)
      }
      manager.service.onCommonParameters = {
        commons.increment()
        return ["app": "homes"]
      }
      manager.service.store = ResponseCache()
      manager.cachePolicy = policy
      return manager
    }
    for policy in [CachePolicy.none, .fresh()] {
      let before = (plans.value, commons.value)
      let counted = makeCounted(policy)
      async let alone = counted.response(["id": 1])
      await time.advanceOnceAsleep(by: .milliseconds(10))
      _ = try await alone
      XCTAssertEqual(plans.value - before.0, 1)
      XCTAssertEqual(commons.value - before.1, 1)
    }
    let before = (plans.value, commons.value)
    let manager = makeCounted(.none)
    async let first = manager.response(["id": 1])
    async let second = manager.response(["id": 2])
    _ = try await (first, second)
    XCTAssertEqual(plans.value - before.0, 2, "once for each load")
    XCTAssertEqual(commons.value - before.1, 1, "for the list call")
    XCTAssertEqual(stub.requests.last?.url.path, "/api/homes")
    XCTAssertEqual(stub.requests.last?.url.query?.contains("app=homes"), true)

    let plain = makeCounted(.fresh())
    plain.apiName = "plain"
    stub.on("/api/plain", .json(someJSON))
    let now = commons.value
    _ = try await plain.response()
    XCTAssertEqual(commons.value - now, 1, "for the key and the request")
  }

  func testALoadThatStaysAloneMakesItsOwnCall() async throws {
    let manager = makeManager()
    async let response = manager.response(["id": 1])
    await time.advanceOnceAsleep(by: .milliseconds(10))
    let name = try await response.raw["name"].string
    XCTAssertEqual(name, "alone")
    XCTAssertEqual(stub.requests.map(\.url.path), ["/api/home"])
  }

  func testAFullBatchDoesNotWaitForItsWindow() async throws {
    let manager = makeManager(most: 2)
    async let first = manager.response(["id": 1])
    async let second = manager.response(["id": 2])
    let names = try await [first.raw["name"].string, second.raw["name"].string]
    XCTAssertEqual(names, ["home 1", "home 2"])
    XCTAssertEqual(time.now, .zero)
    XCTAssertEqual(stub.requests.count, 1)
  }

  func testTheCallIgnoresCachesOnTheWayWhenOneOfItsLoadsDoes() async throws {
    let manager = makeManager(most: 2)
    async let first = manager.response(["id": 1])
    async let second = manager.response(["id": 2], cache: .ignoringAllCaches)
    _ = try await (first, second)
    XCTAssertEqual(stub.requests.map { $0.headers["Cache-Control"] }, ["no-cache"])
  }

  func testTheCallHasTheLongestDeadlineOfItsLoads() async throws {
    for (deadlines, limit) in [([1, 100], Duration.seconds(100)), ([1, nil], nil)] as [([Int?], Duration?)] {
      stub.reset()
      stub.on("*", .json(#"{"items": [{"id": 1}, {"id": 2}]}"#))
      let managers = deadlines.map { deadline in
        let manager = makeManager(most: 2)
        manager.retryPolicy = RetryPolicy(attempts: 1, deadline: deadline.map { .seconds($0) })
        return manager
      }
      for (index, manager) in managers.enumerated() { manager.load(["id": index + 1]) }
      await waitUntil { managers.allSatisfy { !$0.isLoading } }
      XCTAssertEqual(stub.requests.map(\.timeouts.ceiling), [limit])
    }
  }

  func testALoadWhoseDeadlineEndsWhileItGathersFailsAtIt() async throws {
    let manager = makeManager()
    manager.retryPolicy = RetryPolicy(attempts: 1, deadline: .milliseconds(5))
    async let failed = errorThrown { () throws(APIError) in try await manager.response(["id": 1]) }
    await waitUntilGathered(1)
    // The window of the batch, and the deadline.
    try await time.advance(by: .milliseconds(5), whenAsleep: 2)
    let error = try await failed
    XCTAssertEqual(error.reason, .deadlineExceeded, "\(error)")
    XCTAssertEqual(stub.requests.count, 0)
  }

  func testLoadsWithOtherExpectationsOrTimeoutsGatherApart() async throws {
    stub.reset()
    stub.on("*", .json(#"{"items": [{"id": 1}, {"id": 2}]}"#, status: 404))
    let (strict, lenient) = (makeManager(most: 2), makeManager(most: 2))
    lenient.expectation.statuses = 200..<500
    async let refused = errorThrown { () throws(APIError) in try await strict.response(["id": 1]) }
    async let taken = lenient.response(["id": 2])
    await waitUntilGathered(2)
    await time.advanceOnceAsleep(by: .milliseconds(10), sleepers: 2)
    let (error, response) = try await (refused, taken)
    XCTAssertEqual(error.context.status, 404)
    XCTAssertEqual(response.http.status, 404)

    stub.reset()
    stub.on("*", .json(#"{"items": [{"id": 1}, {"id": 2}]}"#))
    let (quick, patient) = (makeManager(most: 2), makeManager(most: 2))
    quick.ownTimeouts = HTTPTimeouts(total: .seconds(1))
    quick.load(["id": 1])
    patient.load(["id": 2])
    await waitUntilGathered(2)
    await time.advanceOnceAsleep(by: .milliseconds(10), sleepers: 2)
    await waitUntil { !quick.isLoading && !patient.isLoading }
    XCTAssertEqual(Set(stub.requests.map(\.timeouts.total)), [.seconds(1), nil])
  }

  func testWhatTheResponseLacksFailsItsLoadAlone() async throws {
    let manager = makeManager(most: 2)
    async let lacking = errorThrown { () throws(APIError) in try await manager.response(["id": 13]) }
    async let other = manager.response(["id": 2])
    let (error, response) = try await (lacking, other)
    XCTAssertEqual(error.label, "response.missing-from-batch")
    XCTAssertEqual(error.context.apiName, "home")
    XCTAssertEqual(response.raw["id"].int, 2)
  }

  func testAFailureOfTheCallIsEveryonesAndThoseThatDifferStayApart() async throws {
    stub.on("/api/homes", .status(500))
    let manager = makeManager(most: 2)
    let recorder = Recorder()
    manager.delegate = recorder
    manager.load(["id": 1, "lang": "en"])
    await waitUntilGathered(1)
    manager.load(["id": 2, "lang": "de"])
    await waitUntilGathered(2)
    XCTAssertEqual(stub.requests.count, 0, "they gather in two batches")
    manager.load(["id": 3, "lang": "en"])
    await recorder.waitForLandings(2)
    XCTAssertEqual(recorder.errors.map(\.context.status), [500, 500])
    manager.cancel()
  }

  func testACancelledLoadLeavesTheOthersAndTheLastOneEndsTheCall() async throws {
    let gate = StubGate()
    stub.on("/api/homes", .held(by: gate, .json("{}")))
    let manager = makeManager()
    let flights = (1...3).compactMap { manager.load(["id": $0]).flightID }
    await waitUntilGathered(3)
    manager.cancel(flights[0])
    await waitUntilGathered(2)
    await time.advanceOnceAsleep(by: .milliseconds(10))
    try await gate.waitForArrivals(1)
    XCTAssertEqual(stub.requests[0].url.query?.contains("1"), false, "who has left is not asked for")
    manager.cancel(flights[1])
    await waitUntilGathered(1)
    XCTAssertEqual(gate.waiting, 1)
    manager.cancel(flights[2])
    await waitUntil { gate.waiting == 0 }
  }

  func testLoadsOfTwoUsersGatherApartAndAnExemptCallStaysExempt() async throws {
    let authenticator = Authenticator()
    let manager = makeManager(most: 2)
    manager.service.authenticator = authenticator
    let recorder = Recorder()
    manager.delegate = recorder
    try authenticator.signIn(with: Credential(accessToken: "ann"))
    manager.load(["id": 1])
    await waitUntilGathered(1)
    try authenticator.signOut()
    try authenticator.signIn(with: Credential(accessToken: "bob"))
    manager.load(["id": 2])
    await recorder.waitForLandings(1)
    XCTAssertEqual(recorder.errors.map(\.reason), [.signedOut])
    await waitUntilGathered(1)
    XCTAssertEqual(stub.requests.count, 0)
    manager.load(["id": 3])
    await recorder.waitForLandings(3)
    XCTAssertEqual(stub.requests.map { $0.headers["Authorization"] }, ["Bearer bob"])
    manager.cancel()

    manager.signIn = .exempt
    for id in 4...5 { manager.load(["id": id]) }
    await recorder.waitForLandings(5)
    XCTAssertEqual(stub.requests.count, 2)
    XCTAssertNil(stub.requests[1].headers["Authorization"])
  }

  func testThePartIsHeldToTheManagersShape() async throws {
    let manager = makeManager(most: 2)
    manager.expectation.shape = ["name": .string, "price": .number]
    async let first = errorThrown { () throws(APIError) in try await manager.response(["id": 1]) }
    async let second = errorThrown { () throws(APIError) in try await manager.response(["id": 2]) }
    let reasons = try await [first.reason, second.reason]
    XCTAssertEqual(reasons, [.unexpectedShape, .unexpectedShape])
  }

  func testUnsafeMethodsAreCombinedOnlyWhereTheServiceSaysSo() async throws {
    stub.on(
      .post, "/api/homes",
      .computed { request in
        guard case .bytes(let bytes) = request.body, let raw = try? RawData(parsing: bytes) else {
          return .status(400)
        }
        let ids = raw["ids"].elements.compactMap(\.int)
        return .json(
          "{\"items\": [" + ids.map { "{\"id\": \($0), \"name\": \"saved \($0)\"}" }.joined(separator: ", ")
            + "]}")
      })
    stub.on(.post, "/api/home", .json(#"{"id": 1, "name": "alone"}"#))
    for includes in [false, true] {
      let before = stub.requests.count
      let managers = (1...3).map { id in
        let manager = makeManager()
        manager.method = .post
        manager.service.onBatchPlan = { _ in
          var plan = BatchPlan.byID("id", list: "homes", as: "ids", items: "items")
          plan.includesUnsafeMethods = includes
          plan.maximumCount = 3
          return plan
        }
        manager.load(["id": id])
        return manager
      }
      await waitUntil { managers.allSatisfy { !$0.isLoading } }
      XCTAssertEqual(stub.requests.count - before, includes ? 1 : 3)
      XCTAssertEqual(
        managers.map { $0.rawData["name"].string },
        includes ? ["saved 1", "saved 2", "saved 3"] : ["alone", "alone", "alone"])
    }
  }

  func testLoadsWithAnotherMethodGatherApart() async throws {
    let managers = [HTTPMethod.post, .get].map { method in
      let manager = makeManager()
      manager.method = method
      manager.service.onBatchPlan = { _ in
        var plan = BatchPlan.byID("id", list: "homes", as: "ids", items: "items")
        plan.includesUnsafeMethods = true
        return plan
      }
      return manager
    }
    for manager in managers { manager.load(["id": 1]) }
    await waitUntilGathered(2)
    await time.advanceOnceAsleep(by: .milliseconds(10))
    await waitUntil { managers.allSatisfy { !$0.isLoading } }
    XCTAssertEqual(stub.requests.count, 2)
  }
}
