import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// A load belongs to the user for whom it was called, and never goes, is stored or lands as another's.
@MainActor final class LoadUserTests: LoadUserCase {
  // MARK: In the air

  func testALoadThatIsRefusedAfterAnotherHasSignedInEndsAsSignedOut() async throws {
    for method in [HTTPMethod.get, .put, .post, .delete, .patch] {
      for renews in [false, true] {
        stub.reset()
        acceptBert()
        stub.hold()
        let renewal: Authenticator.Renewal = { _ in Credential(accessToken: "anna, renewed") }
        let authenticator = Authenticator(renewal: renews ? renewal : nil)
        try authenticator.signIn(
          with: Credential(accessToken: "anna", refreshToken: renews ? "r" : nil))
        let manager = makeManager(authenticator)
        manager.method = method
        async let failed = errorThrown { () throws(APIError) in try await manager.response() }
        try await stub.waitForRequests(1)
        try become("bert", authenticator)
        stub.release()
        let error = try await failed
        XCTAssertEqual(error.reason, .signedOut, "\(method): \(error)")
        XCTAssertEqual(tokens, ["Bearer anna"], "\(method)")
      }
    }
  }

  func testAResponseThatComesAfterASignOutIsNotDelivered() async throws {
    stub.on("*", .json(someJSON))
    for next in ["bert", nil] {
      stub.hold()
      let authenticator = try signedIn()
      let manager = makeManager(authenticator)
      let recorder = Recorder()
      manager.delegate = recorder
      manager.load()
      try await stub.waitForRequests(next == nil ? 2 : 1)
      if let next { try become(next, authenticator) } else { try authenticator.signOut() }
      stub.release()
      await recorder.waitForLandings()
      XCTAssertEqual(recorder.errors.map(\.reason), [.signedOut])
      XCTAssertTrue(recorder.responses.isEmpty)
    }
  }

  func testAnInterceptorThatSignsOutBeforeTheDeliveryKeepsItFromTheDelegate() async throws {
    final class Leaver: APIManagerInterceptor {
      let authenticator: Authenticator
      init(_ authenticator: Authenticator) { self.authenticator = authenticator }
      func manager(_ manager: BaseAPIManager, beforeSuccess response: APIResponse) -> Bool {
        try? authenticator.signOut()
        return true
      }
    }
    stub.on("*", .json(someJSON))
    let authenticator = try signedIn()
    let (manager, recorder, leaver) = (makeManager(authenticator), Recorder(), Leaver(authenticator))
    manager.delegate = recorder
    manager.addInterceptor(leaver)
    manager.load()
    await recorder.waitForLandings()
    XCTAssertEqual(recorder.errors.map(\.reason), [.signedOut])
    XCTAssertTrue(recorder.responses.isEmpty)
  }

  func testTenJoinedLoadsAllEndAsSignedOut() async throws {
    acceptBert()
    stub.hold()
    let authenticator = try signedIn()
    let manager = makeManager(authenticator)
    manager.joinsIdenticalFlights = true
    let recorder = Recorder()
    manager.delegate = recorder
    for _ in 0..<10 { manager.load() }
    try await stub.waitForRequests(1)
    try become("bert", authenticator)
    stub.release()
    await recorder.waitForLandings(10)
    XCTAssertEqual(recorder.errors.filter { $0.reason == .signedOut }.count, 10)
    XCTAssertEqual(tokens, ["Bearer anna"])
  }

  func testTheSecondAttemptAtAnotherServerIsNotMadeForAUserWhoHasLeft() async throws {
    stub.on("*", .json(someJSON))
    let authenticator = try signedIn()
    let manager = makeManager(authenticator)
    manager.service.environments = ServiceEnvironments("https://named.test/api")
    manager.service.hosts = .still(["10.0.0.1", "10.0.0.2"])
    manager.retryPolicy.hedgesSlowReads = true
    for _ in 0..<120 { _ = try await manager.response() }
    stub.hold()
    async let failed = errorThrown { () throws(APIError) in try await manager.response() }
    try await stub.waitForRequests(121)
    await waitUntil { self.time.sleeperCount > 0 }
    try become("bert", authenticator)
    time.advance(by: .seconds(5))
    stub.release()
    let error = try await failed
    XCTAssertEqual(error.reason, .signedOut)
    XCTAssertEqual(stub.requests.count, 121)
  }

  // MARK: Waiting

  /// As Anna, a load begins to wait; Bert signs in; the wait ends. Nothing is sent.
  private func assertNothingIsSent(
    _ manager: TestManager, _ authenticator: Authenticator, sent: Int = 0,
    file: StaticString = #filePath, line: UInt = #line,
    begin: () async throws -> Void = {}, end: () async throws -> Void
  ) async throws {
    let recorder = Recorder()
    manager.delegate = recorder
    manager.load(["id": 1])
    try await begin()
    try become("bert", authenticator)
    try await end()
    await recorder.waitForLandings()
    XCTAssertEqual(recorder.errors.map(\.reason), [.signedOut], file: file, line: line)
    XCTAssertEqual(stub.requests.count, sent, file: file, line: line)
    XCTAssertFalse(tokens.contains("Bearer bert"), file: file, line: line)
  }

  func testALoadThatWaitsForTheNetworkIsNotSentAsTheNextUser() async throws {
    stub.on("*", .json(someJSON))
    let authenticator = try signedIn()
    let manager = makeManager(authenticator)
    let network = NetworkMonitor(watchesSystem: false)
    network.force(.offline)
    manager.service.network = network
    manager.networkGate = .wait(upTo: .seconds(60))
    try await assertNothingIsSent(manager, authenticator) {
      await waitUntil { self.time.sleeperCount > 0 }
    } end: {
      network.force(.wifi)
    }
  }

  func testALoadThatIsQueuedOrDebouncedIsNotSentAsTheNextUser() async throws {
    stub.on("*", .json(someJSON))
    let debouncing = try signedIn()
    let debounced = makeManager(debouncing)
    debounced.takeoffPolicy = .debounce(.seconds(1))
    try await assertNothingIsSent(debounced, debouncing) {
      await waitUntil { self.time.sleeperCount > 0 }
    } end: {
      time.advance(by: .seconds(1))
    }
    let authenticator = try signedIn()
    let queued = makeManager(authenticator, .exempt)
    queued.takeoffPolicy = .queue
    stub.hold()
    queued.load()
    try await stub.waitForRequests(1)
    queued.signIn = .asAvailable
    let recorder = Recorder()
    queued.delegate = recorder
    queued.load()
    try become("bert", authenticator)
    stub.release()
    await recorder.waitForLandings(2)
    XCTAssertEqual(recorder.errors.map(\.reason), [.signedOut])
    XCTAssertEqual(stub.requests.count, 1)
  }

  func testALoadWhoseTokenWasRefusedAndThatWaitsForASignInIsNotSentAsAnother() async throws {
    acceptBert()
    let authenticator = try signedIn()
    let manager = makeManager(authenticator, .required)
    try await assertNothingIsSent(manager, authenticator, sent: 1) {
      await waitUntil { authenticator.isSignInNeeded }
    } end: {
    }
  }

  func testALoadThatWaitsForItsNextAttemptIsNotSentAsTheNextUser() async throws {
    stub.on("*", .status(503), .json(someJSON))
    let authenticator = try signedIn()
    let manager = makeManager(authenticator)
    manager.retryPolicy = RetryPolicy(attempts: 3)
    manager.retryPolicy.backoff = .constant(.seconds(10))
    try await assertNothingIsSent(manager, authenticator, sent: 1) {
      await waitUntil { self.time.sleeperCount > 0 }
    } end: {
      time.advance(by: .seconds(10))
    }
  }

  func testASignOutEndsALoadThatWaitsForItsNextAttemptANetworkOrItsRateAtOnce() async throws {
    stub.on("*", .status(503))
    for wait in ["attempt", "network", "rate"] {
      let authenticator = try signedIn()
      let manager = makeManager(authenticator)
      manager.retryPolicy = RetryPolicy(attempts: 3)
      manager.retryPolicy.backoff = .constant(.seconds(10))
      switch wait {
      case "network":
        manager.service.network.force(.offline)
        manager.networkGate = .wait(upTo: .seconds(60))
      case "rate":
        manager.service.requestRate = RequestRate(1, per: .seconds(60))
        manager.retryPolicy.backoff = .constant(.zero)
      default: break
      }
      async let failed = errorThrown { () throws(APIError) in try await manager.response() }
      await waitUntil { self.time.sleeperCount == 1 }
      try authenticator.signOut()
      await waitUntil { !manager.isLoading }
      time.advance(by: .seconds(60))
      let error = try await failed
      XCTAssertEqual(error.reason, .signedOut)
    }
  }

  /// Asserts it for a load that gathers with its batch for a second.
  private func assertNothingIsSentOfABatch(end: () async throws -> Void) async throws -> TestManager {
    let authenticator = try signedIn()
    let manager = makeManager(authenticator)
    manager.service.onBatchPlan = { _ in
      var plan = BatchPlan(apiName: "all", merge: { $0[0] }, split: { raw, all in all.map { _ in raw } })
      plan.window = .seconds(1)
      return plan
    }
    try await assertNothingIsSent(
      manager, authenticator, begin: { await waitUntil { self.time.sleeperCount > 0 } }, end: end)
    return manager
  }

  func testALoadThatGathersWithItsBatchIsNotSentAsTheNextUser() async throws {
    stub.on("*", .json(someJSON))
    _ = try await assertNothingIsSentOfABatch { self.time.advance(by: .seconds(1)) }
  }

  func testALoadThatGathersWithItsBatchEndsWithTheSignOut() async throws {
    // The window is not over.
    let manager = try await assertNothingIsSentOfABatch {}
    XCTAssertEqual(manager.sharedState.batches.waitingCount, 0)
  }

  func testAPartOfABatchIsNotDeliveredToTheNextUserOfALoadThatTookItsUserOnTheWay() async throws {
    stub.on("*", .json(#"{"items": [{"id": 1, "name": "anna"}, {"id": 2, "name": "anna"}]}"#))
    let (authenticator, recorder) = (Authenticator(), Recorder())
    let managers = (0..<2).map { _ in
      let manager = makeManager(authenticator, .required)
      manager.apiName = "home"
      manager.service.onBatchPlan = { call in
        call.apiName == "home" ? .byID("id", list: "homes", as: "ids", items: "items") : nil
      }
      manager.delegate = recorder
      return manager
    }
    let held = try XCTUnwrap(managers[0].load(["id": 1]).flightID)
    managers[1].load(["id": 2])
    await waitUntil { self.sharedState.batches.waitingCount == 2 }
    await time.advanceOnceAsleep(by: .milliseconds(10))
    await waitUntil { authenticator.isSignInNeeded }
    // Only its landing waits.
    try managers[0].suspend(held)
    try authenticator.signIn(with: credential("anna"))
    await recorder.waitForLandings(1)
    await waitUntil { self.sharedState.batches.waitingCount == 0 }
    try become("bert", authenticator)
    managers[0].resume(held)
    await recorder.waitForLandings(2)
    XCTAssertEqual(tokens, ["Bearer anna"])
    XCTAssertEqual(recorder.errors.map(\.reason), [.signedOut])
    XCTAssertFalse(managers[0].rawData.exists)
  }

  // MARK: Storing

  func testAResponseOfTheUserInBetweenIsNotStoredForTheFirst() async throws {
    stub.when({ $0.headers["Authorization"] == "Bearer bert" }, .json(#"{"of": "bert"}"#))
    stub.when({ $0.headers["Authorization"] == "Bearer anna" }, .json(#"{"of": "anna"}"#))
    let authenticator = try signedIn()
    let manager = makeManager(authenticator)
    manager.service.store = ResponseCache(disk: nil)
    manager.service.cachePartition = nil
    manager.cachePolicy = .fresh(for: .seconds(600))
    stub.hold()
    async let failed = errorThrown { () throws(APIError) in try await manager.response() }
    try await stub.waitForRequests(1)
    try become("bert", authenticator)
    try become("anna", authenticator)
    stub.release()
    let error = try await failed
    XCTAssertEqual(error.reason, .signedOut)
    let next = try await manager.response()
    XCTAssertEqual(next.provenance, .network, "nothing was stored")
    XCTAssertEqual(next.raw["of"].string, "anna")
  }

  func testTheResponseOfAUserWhomALoadHasTakenOnItsWayIsNotStored() async throws {
    stub.on("*", .json(someJSON))
    let authenticator = Authenticator()
    let manager = makeManager(authenticator, .required)
    manager.service.store = ResponseCache(disk: nil)
    manager.service.cachePartition = ""
    manager.cachePolicy = .fresh(for: .seconds(600))
    async let first = manager.response()
    await waitUntil { authenticator.isSignInNeeded }
    try authenticator.signIn(with: credential("anna"))
    _ = try await first
    let second = try await manager.response()
    XCTAssertEqual(second.provenance, .network)
  }

  // MARK: Cookies

  private func makeCookieManager(_ jar: CookieJar) -> TestManager {
    let manager = makeManager(nil)
    manager.service.client = HTTPClient(transport: stub, cookies: jar)
    return manager
  }

  private func cookie(_ value: String, host: String = "homes.test") throws -> HTTPHeaders {
    ["Set-Cookie": "session=\(value); Path=/"]
  }

  func testALoadOfOneCookieSessionIsNotSentWithTheCookiesOfTheNext() async throws {
    stub.on("*", .status(503), .json(someJSON))
    let jar = CookieJar()
    let url: HTTPURL = "https://homes.test/"
    jar.store(try cookie("anna"), from: url)
    let manager = makeCookieManager(jar)
    manager.retryPolicy = RetryPolicy(attempts: 3)
    manager.retryPolicy.backoff = .constant(.seconds(10))
    async let failed = errorThrown { () throws(APIError) in try await manager.response() }
    await waitUntil { self.time.sleeperCount > 0 }
    jar.removeAll()
    jar.store(try cookie("bert"), from: url)
    time.advance(by: .seconds(10))
    let error = try await failed
    XCTAssertEqual(error.reason, .signedOut)
    XCTAssertEqual(stub.requests.map { $0.headers["Cookie"] }, ["session=anna"])
  }

  func testACookieOfALoadOfTheUserBeforeIsNotKeptForTheNext() async throws {
    stub.on("*", .json(someJSON, headers: ["Set-Cookie": "session=anna, later; Path=/"]))
    let jar = CookieJar()
    let url: HTTPURL = "https://homes.test/"
    jar.store(try cookie("anna"), from: url)
    let manager = makeCookieManager(jar)
    stub.hold()
    async let failed = errorThrown { () throws(APIError) in try await manager.response() }
    try await stub.waitForRequests(1)
    jar.removeAll()
    jar.store(try cookie("bert"), from: url)
    stub.release()
    let error = try await failed
    XCTAssertEqual(error.reason, .signedOut)
    XCTAssertEqual(jar.header(for: url), "session=bert")
  }

  func testACookieThatTheServerReplacesMakesNoOtherUser() async throws {
    stub.on("*", .status(503, headers: ["Set-Cookie": "session=anna2; Path=/"]), .json(someJSON))
    let jar = CookieJar()
    jar.store(try cookie("anna"), from: "https://homes.test/")
    let manager = makeCookieManager(jar)
    manager.retryPolicy = RetryPolicy(attempts: 3)
    manager.retryPolicy.backoff = .constant(.zero)
    _ = try await manager.response()
    XCTAssertEqual(stub.requests.map { $0.headers["Cookie"] }, ["session=anna", "session=anna2"])
  }

  func testALoadWithoutCookiesIsNotConcernedWhenThoseOfOthersAreRemoved() async throws {
    stub.on("*", .json(someJSON))
    for (host, usesCookies) in [("elsewhere.test", true), ("homes.test", false)] {
      let jar = CookieJar()
      jar.store(try cookie("anna"), from: try HTTPURL("https://\(host)/"))
      let manager = makeCookieManager(jar)
      manager.loadOptions = usesCookies ? .none : LoadOptions(usesCookies: false)
      stub.hold()
      async let response = manager.response()
      await waitUntil { self.stub.heldCount == 1 }
      jar.removeAll()
      stub.release()
      _ = try await response
    }
    XCTAssertEqual(stub.requests.map { $0.headers["Cookie"] }, [nil, nil])
  }
}
