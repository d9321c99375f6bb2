import APIKitTesting
import APIKitXML
@testable import TestSupport
import XCTest

@testable import APIKit

/// Joining as an application meets it.
@MainActor final class JoiningTests: XCTestCase {
  private let stub = StubTransport(.json(someJSON))
  private let sharedState = SharedState()
  private let time = ManualTime()

  private func makeManager(_ headers: HTTPHeaders = [:]) -> TestManager {
    let manager = TestManager(stub)
    manager.joinsIdenticalFlights = true
    manager.sharedState = sharedState
    manager.headers = headers
    return manager
  }

  /// Returns when so many flights wait for shared calls.
  private func waitUntilWaiting(_ count: Int) async {
    await waitUntil { self.sharedState.joins.waiterCount == count }
  }

  func testAThousandIdenticalLoadsMakeOneRequestAndAllLand() async throws {
    let manager = makeManager()
    let recorder = Recorder()
    manager.delegate = recorder
    stub.hold()
    let flights = (0..<1000).compactMap { _ in manager.load(["city": "Suzhou"]).flightID }
    await waitUntilWaiting(1000)
    stub.release()
    await recorder.waitForLandings(1000)
    XCTAssertEqual(stub.requests.count, 1)
    XCTAssertEqual(recorder.responses.count, 1000)
    XCTAssertEqual(Set(recorder.responses.compactMap(\.flightID)), Set(flights), "each lands as itself")
    XCTAssertEqual(sharedState.joins.count, 0)
  }

  func testALoadAfterAnAcknowledgedChangeJoinsNoCallFromBefore() async throws {
    for (expires, path) in [(Set(["homes"]), "favourites"), ([], "list")] {
      stub.reset()
      stub.on(.post, "*", .json(someJSON))
      stub.on(.get, "*", .json(#"{"state": "new"}"#))
      let reader = makeManager()
      reader.cacheTraits = CacheTraits(tags: ["homes"])
      let gate = StubGate()
      stub.on(.get, "/api/list", .held(by: gate, .json(#"{"state": "old"}"#)), .json(#"{"state": "new"}"#))
      async let before = reader.response()
      await waitUntilWaiting(1)
      try await gate.waitForArrivals(1)
      let writer = makeManager()
      (writer.method, writer.apiName) = (.post, path)
      writer.cacheTraits = CacheTraits(expires: expires)
      _ = try await writer.response(["a": 1])
      let landed = Record<String?>()
      let after = Task { landed.add(try await reader.response().raw["state"].string) }
      await waitUntil { !landed.all.isEmpty }
      XCTAssertEqual(landed.all, ["new"], path)
      gate.open()
      try await after.value
      let old = try await before
      XCTAssertEqual(old.raw["state"].string, "old")
    }
  }

  func testEachLoadIsJudgedByItsOwnExpectationAndItsOwnLimits() async throws {
    stub.reset()
    stub.on("*", .status(404), .status(404))
    stub.hold()
    let (strict, lenient) = (makeManager(), makeManager())
    lenient.expectation.statuses = 200..<500
    async let refused = errorThrown { () throws(APIError) in try await strict.response() }
    async let accepted = lenient.response()
    await waitUntilWaiting(2)
    stub.release()
    let (error, response) = try await (refused, accepted)
    XCTAssertEqual(error.context.status, 404)
    XCTAssertEqual(response.status, 404)

    stub.reset()
    stub.on("*", .json(someJSON))
    stub.hold()
    let (patient, hasty) = (makeManager(), makeManager())
    hasty.timeouts = HTTPTimeouts(total: .milliseconds(50))
    async let landed = patient.response()
    await waitUntilWaiting(1)
    async let late = hasty.response()
    await waitUntilWaiting(2)
    try await stub.waitForRequests(2)
    XCTAssertEqual(stub.requests.map(\.timeouts.total), [nil, .milliseconds(50)])
    stub.release()
    _ = try await landed
    _ = try? await late
  }

  func testExpectationsOfTheSameMakingAreEqualAndOthersAreNot() {
    func expectation(_ change: (inout ResponseExpectation) -> Void) -> ResponseExpectation.Identity? {
      var expectation = ResponseExpectation()
      change(&expectation)
      return expectation.identity
    }
    let plain = expectation { _ in }
    XCTAssertEqual(plain, expectation { $0.format = .automatic })
    let decoder = expectation { $0.format = .decoder(XMLBodyDecoder()) }
    XCTAssertEqual(decoder, expectation { $0.format = .decoder(XMLBodyDecoder()) })
    let others = [
      plain, decoder, expectation { $0.format = .bytes },
      expectation { $0.format = .decoder(JSONBodyDecoder()) },
      expectation { $0.format = .firstOf([BodyChoice(JSONBodyDecoder())]) },
      expectation { $0.shape = ["items": .array] }, expectation { $0.requiresBody = true },
      expectation { $0.contentTypes = ["text/plain"] }, expectation { $0.statuses = 200..<500 },
    ]
    XCTAssertEqual(Set(others).count, others.count)
  }

  func testLoadsThatAreAlikeOnTheSurfaceAreNotJoined() async throws {
    stub.hold()
    let post = makeManager()
    post.method = .post
    let plain = makeManager()
    plain.joinsIdenticalFlights = false
    let watched = makeManager()
    watched.reportsProgress = true
    let managers = [
      makeManager(), makeManager(["Authorization": "Bearer a"]), makeManager(["Authorization": "Bearer b"]),
      makeManager(["Accept-Language": "de"]), post, plain, watched,
    ]
    for manager in managers { manager.load() }
    let twins = [makeManager(), makeManager()]
    for twin in twins { twin.load(["page": 2]) }
    try await stub.waitForRequests(8)
    stub.release()
    await waitUntil { (managers + twins).allSatisfy { !$0.isLoading } }
    XCTAssertEqual(stub.requests.count, 8)
  }

  func testAJoinedLoadIsReformedByItsOwnParameters() async throws {
    stub.hold()
    let (first, second) = (makeManager(), makeManager())
    async let one = first.response(["page": 1])
    async let other = second.response(["page": "1"])
    await waitUntilWaiting(2)
    stub.release()
    let responses = try await [one, other]
    XCTAssertEqual(stub.requests.count, 1)
    XCTAssertEqual(
      try responses.map { try $0.data(with: PageReformer()) }, ["integer(1)", "string(\"1\")"])
  }

  func testLoadsWhoseFieldsAreOneTextOfOtherBytesAreNotJoined() async throws {
    stub.hold()
    let managers = ["Caf\u{E9}", "Cafe\u{301}"].map { makeManager(["X-Account": $0]) }
    for manager in managers { manager.load() }
    try await stub.waitForRequests(2)
    stub.release()
    await waitUntil { managers.allSatisfy { !$0.isLoading } }
    XCTAssertEqual(stub.requests.count, 2)
  }

  func testAManagerOfAnotherTypeMakesItsOwnCall() async throws {
    final class OtherManager: BaseAPIManager, APIManager {
      let service: TestService
      let apiName = "list"
      let joinsIdenticalFlights = true
      init(_ stub: StubTransport) {
        service = TestService(stub)
        super.init()
      }
    }
    stub.hold()
    let one = makeManager()
    let other = OtherManager(stub)
    other.sharedState = sharedState
    one.load()
    other.load()
    try await stub.waitForRequests(2)
    stub.release()
  }

  func testTheLeaderMayLeaveAndTheOthersStillLand() async throws {
    stub.hold()
    let (leader, follower) = (makeManager(), makeManager())
    let recorder = Recorder()
    follower.delegate = recorder
    let lead = try XCTUnwrap(leader.load().flightID)
    await waitUntilWaiting(1)
    let follow = try XCTUnwrap(follower.load().flightID)
    await waitUntilWaiting(2)
    leader.cancel()
    await waitUntilWaiting(1)
    stub.release()
    await recorder.waitForLandings()
    XCTAssertEqual(recorder.responses.count, 1)
    XCTAssertEqual(stub.requests.count, 1)
    let events = follower.record(of: follow)?.events.map(\.description) ?? []
    XCTAssertTrue(events.contains("joined the wire call of flight \(lead)"), "\(events)")
  }

  func testTheResponseIsStoredAlthoughTheLeaderHasLeft() async throws {
    let cache = ResponseCache()
    let managers = (0..<3).map { _ in
      let manager = makeManager()
      manager.service.store = cache
      manager.cachePolicy = .fresh()
      return manager
    }
    stub.hold()
    for manager in managers { manager.load() }
    await waitUntilWaiting(3)
    managers[0].cancel()
    stub.release()
    await waitUntil { managers.allSatisfy { !$0.isLoading } }
    _ = try await managers[0].response()
    XCTAssertEqual(stub.requests.count, 1)
  }

  func testTheWireCallEndsWhenTheLastWaiterHasLeft() async throws {
    stub.hold()
    var managers = [makeManager(), makeManager(), makeManager()]
    for manager in managers { manager.load() }
    await waitUntilWaiting(3)
    await waitUntil { self.stub.heldCount == 1 }
    managers.removeLast()
    managers[1].cancel()
    await waitUntilWaiting(1)
    XCTAssertEqual(stub.heldCount, 1)
    managers.removeAll()
    await waitUntil { self.stub.heldCount == 0 }
    XCTAssertEqual(sharedState.joins.count, 0)
    XCTAssertEqual(sharedState.joins.waiterCount, 0)
  }

  func testAFailureIsEveryonesAndIsTakenToTheHookOnce() async throws {
    let asked = Counter()
    stub.on("/api/list", .status(500))
    stub.hold()
    let manager = makeManager()
    manager.service.onError = { _ in
      asked.increment()
      return .letThrough
    }
    let recorder = Recorder()
    manager.delegate = recorder
    for _ in 0..<10 { manager.load() }
    await waitUntilWaiting(10)
    stub.release()
    await recorder.waitForLandings(10)
    XCTAssertEqual(recorder.errors.count, 10)
    XCTAssertEqual(Set(recorder.errors.compactMap(\.context.flightID)).count, 10)
    XCTAssertEqual(asked.value, 1)
  }

  func testEachWaiterHasItsOwnDeadline() async throws {
    stub.hold()
    let patient = makeManager()
    let hasty = makeManager()
    for (manager, deadline) in [(patient, 60), (hasty, 5)] {
      manager.time = time
      manager.retryPolicy = RetryPolicy(attempts: 1, deadline: .seconds(deadline))
    }
    async let landed = patient.response()
    await waitUntilWaiting(1)
    async let failed = errorThrown { () throws(APIError) in try await hasty.response() }
    await waitUntilWaiting(2)
    await time.advanceOnceAsleep(by: .seconds(5), sleepers: 1)
    let error = try await failed
    XCTAssertEqual(error.reason, .deadlineExceeded)
    XCTAssertEqual(sharedState.joins.waiterCount, 1)
    stub.release()
    let response = try await landed
    XCTAssertEqual(response.status, 200)
    XCTAssertEqual(stub.requests.count, 1)
  }

  func testAWaiterWithTimeLeftGoesOnWhenTheSharedCallEndsAtItsMakersDeadline() async throws {
    let stub = StubTransport(.failure(APIError(.transport, .deadlineExceeded)), .json(someJSON))
    let manager = TestManager(stub)
    manager.joinsIdenticalFlights = true
    manager.sharedState = sharedState
    manager.time = time
    manager.retryPolicy = RetryPolicy(attempts: 1, deadline: .seconds(60))
    let response = try await manager.response()
    XCTAssertEqual(response.status, 200)
    XCTAssertEqual(stub.requests.count, 2)
  }

  func testAWaiterWithoutADeadlineGoesOnWhenTheSharedCallEndsAtItsMakersDeadline() async throws {
    let gate = StubGate()
    stub.reset()
    stub.on("*", .held(by: gate, .failure(APIError(.transport, .deadlineExceeded))), .json(someJSON))
    let (hasty, patient) = (makeManager(), makeManager())
    hasty.retryPolicy = RetryPolicy(attempts: 1, deadline: .seconds(1))
    (hasty.time, patient.time) = (time, time)
    hasty.load()
    await waitUntilWaiting(1)
    async let landed = patient.response()
    await waitUntilWaiting(2)
    time.advance(by: .seconds(2))
    gate.open()
    let response = try await landed
    XCTAssertEqual(response.status, 200)
    XCTAssertEqual(stub.requests.count, 2)
  }

  func testALoadThatRequiresASignInJoinsNoneThatGoesWithoutOne() async throws {
    let authenticator = Authenticator()
    stub.hold()
    func load(_ rule: SignInRule) -> TestManager {
      let manager = makeManager()
      manager.service.authenticator = authenticator
      manager.signIn = rule
      manager.load()
      return manager
    }
    let bound = load(.required)
    await waitUntil { authenticator.isSignInNeeded }
    let free = load(.asAvailable)
    try await stub.waitForRequests(1)
    let other = load(.required)
    await waitUntilWaiting(3)
    stub.release()
    await waitUntil { !free.isLoading }
    XCTAssertTrue(bound.isLoading && other.isLoading, "they wait for a sign-in")
    try authenticator.signIn(with: Credential(accessToken: "ann"))
    await waitUntil { !bound.isLoading && !other.isLoading }
    XCTAssertEqual(stub.requests.map { $0.headers["Authorization"] }, [nil, "Bearer ann"])
  }

  func testUsersAndPartitionsNeverShareACall() async throws {
    let authenticator = Authenticator()
    stub.hold()
    var managers: [TestManager] = []
    func load(partition: String = "") {
      let manager = makeManager()
      manager.service.authenticator = authenticator
      manager.service.cachePartition = partition
      manager.load()
      managers.append(manager)
    }
    try authenticator.signIn(with: Credential(accessToken: "ann"))
    load()
    load()
    try await stub.waitForRequests(1)
    await waitUntil { self.sharedState.joins.waiterCount == 2 }
    // The second and the third are equal to Swift.
    load(partition: "caf\u{E9}")
    load(partition: "cafe\u{301}")
    try await stub.waitForRequests(3)
    try authenticator.signOut()
    try authenticator.signIn(with: Credential(accessToken: "bob"))
    load()
    try await stub.waitForRequests(4)
    stub.release()
    await waitUntil { managers.allSatisfy { !$0.isLoading } }
    XCTAssertEqual(
      stub.requests.map { $0.headers["Authorization"] },
      ["Bearer ann", "Bearer ann", "Bearer ann", "Bearer bob"])
  }

  func testLoadsAfterTheResponseMakeANewCall() async throws {
    let manager = makeManager()
    for _ in 0..<3 { _ = try await manager.response() }
    XCTAssertEqual(stub.requests.count, 3)
  }
}

private struct PageReformer: Reformer, Hashable {
  func reform(_ raw: RawData, from source: ReformSource) throws -> String {
    source.parameters["page"].map { "\($0)" } ?? "none"
  }
}
