import XCTest

@testable import APIKit

/// The policies as a manager's user meets them: over a stub, with a clock that is moved by hand.
@MainActor final class CachePolicyTests: XCTestCase {
  private let stub = StubTransport()
  private let time = ManualTime()
  private lazy var cache = ResponseCache(time: time)
  private lazy var manager = makeManager()

  private func makeManager(_ policy: CachePolicy = .fresh()) -> TestManager {
    var service = TestService(stub)
    service.cache = cache
    let manager = TestManager(service)
    manager.cachePolicy = policy
    return manager
  }

  private func script(_ answers: StubAnswer...) {
    for answer in answers.reversed() where answers.count == 1 { stub.on("/api/list", answer) }
    switch answers.count {
    case 2: stub.on("/api/list", answers[0], answers[1])
    case 3: stub.on("/api/list", answers[0], answers[1], answers[2])
    default: break
    }
  }

  private var asked: Int { stub.requests.count }

  private func lands(_ parameters: Parameters = [:], cache use: CacheUse = .asPolicy) async throws
    -> APIResponse
  {
    try await manager.response(for: parameters, cache: use)
  }

  /// The error that a load fails with.
  private func fails(_ parameters: Parameters = [:], line: UInt = #line) async -> APIError? {
    do {
      let response = try await manager.response(for: parameters)
      XCTFail("it landed with \(response.provenance)", line: line)
      return nil
    } catch {
      return error
    }
  }

  // MARK: None and fresh

  func testWithoutAPolicyEveryLoadAsksTheServer() async throws {
    script(.json("[1]"))
    manager.cachePolicy = .none
    for _ in 0..<2 { XCTAssertEqualProvenance(try await lands(), .network) }
    XCTAssertEqual(asked, 2)
    XCTAssertEqual(cache.statistics.memory.stores, 0)
  }

  func testAFreshAnswerLandsFromMemoryWithItsAge() async throws {
    script(.json("[1]"), .json("[2]"))
    XCTAssertEqualProvenance(try await lands(), .network)
    time.advance(by: .seconds(179))
    let second = try await lands()
    XCTAssertEqualProvenance(second, .memory(age: .seconds(179)))
    XCTAssertEqual(second.raw[0].int, 1)
    XCTAssertEqual(second.status, 200)
    XCTAssertEqual(asked, 1)
  }

  func testTheRecordOfAFlightSaysWhatTheCacheDecided() async throws {
    script(.json("[1]"))
    func decisions(_ response: APIResponse) -> [String] {
      let record = response.flightID.flatMap { manager.record(of: $0) }
      return (record?.entries ?? []).compactMap {
        if case .cache(let decision) = $0.event { decision } else { nil }
      }
    }
    let (first, second) = (try await lands(), try await lands())
    XCTAssertEqual(decisions(first), ["has no answer"])
    XCTAssertEqual(decisions(second), ["lands with the stored answer"])
  }

  func testTheConditionOfTheNetworkHasAMeaningForTheCache() {
    XCTAssertEqual(CacheCondition(NetworkCondition.wifi), .unrestricted)
    XCTAssertEqual(CacheCondition(NetworkCondition.unknown), .unrestricted)
    XCTAssertEqual(CacheCondition(NetworkCondition.cellular), .expensive)
    XCTAssertEqual(CacheCondition(NetworkCondition.offline), .offline)
  }

  func testAfterThreeMinutesTheServerIsAskedAgain() async throws {
    script(.json("[1]"), .json("[2]"))
    _ = try await lands()
    time.advance(by: .seconds(181))
    let second = try await lands()
    XCTAssertEqualProvenance(second, .network)
    XCTAssertEqual(second.raw[0].int, 2)
    XCTAssertEqualProvenance(try await lands(), .memory(age: .zero))
  }

  func testTheServersFieldsDoNotChangeAFreshPolicy() async throws {
    script(.json("[1]", headers: ["Cache-Control": "no-store, max-age=0"]))
    _ = try await lands()
    XCTAssertEqualProvenance(try await lands(), .memory(age: .zero))
  }

  func testAStoredAnswerLandsOnTheDelegateAfterLoadReturned() async throws {
    script(.json("[1]"))
    _ = try await lands()
    let recorder = Recorder()
    manager.delegate = recorder
    manager.addInterceptor(recorder)
    let takeoff = manager.load()
    XCTAssertNotNil(takeoff.flightID)
    XCTAssertEqual(recorder.events, ["shouldLoad", "didLoad"])
    await recorder.waitForLandings()
    XCTAssertEqual(
      recorder.events,
      ["shouldLoad", "didLoad", "didReceive", "beforeSuccess", "delegate.success", "afterSuccess"])
    XCTAssertFalse(manager.isLoading)
  }

  func testACancelledLandingFromMemoryDoesNotLand() async throws {
    script(.json("[1]"))
    _ = try await lands()
    let recorder = Recorder()
    manager.delegate = recorder
    manager.load()
    manager.cancel()
    await landingsWorkedOff()
    XCTAssertEqual(recorder.events, ["delegate.cancel"])
  }

  // MARK: Keys

  func testTheOrderOfParametersDoesNotMatter() async throws {
    script(.json("[1]"))
    _ = try await lands(["city": "Suzhou", "beds": 2])
    XCTAssertEqualProvenance(try await lands(["beds": 2, "city": "Suzhou"]), .memory(age: .zero))
  }

  func testOtherParametersHaveOtherAnswers() async throws {
    script(.json("[1]"))
    _ = try await lands(["page": 1])
    for parameters: Parameters in [["page": 2], ["page": "1"], ["page": nil], [:], ["page": [1]]] {
      XCTAssertEqualProvenance(try await lands(parameters), .network)
    }
  }

  func testVolatileParametersDoNotTellAnswersApart() async throws {
    script(.json("[1]"))
    manager.cacheTraits.volatileParameters = ["request-id"]
    _ = try await lands(["page": 1, "timestamp": 1, "request-id": "a"])
    XCTAssertEqualProvenance(
      try await lands(["page": 1, "timestamp": 2, "request-id": "b"]), .memory(age: .zero))
  }

  func testHostEnvironmentUserVersionAndMethodTellAnswersApart() async throws {
    stub.when({ _ in true }, .json("[1]"))
    _ = try await lands()
    var other = manager.service
    other.cachePartition = "user 7"
    manager.service = other
    XCTAssertEqualProvenance(try await lands(), .network)
    other.cachePartition = ""
    other.environments = ServiceEnvironments("https://elsewhere.test/api")
    manager.service = other
    XCTAssertEqualProvenance(try await lands(), .network)
    other.environments = ServiceEnvironments(
      [.development: "https://homes.test/api"], current: .development)
    manager.service = other
    XCTAssertEqualProvenance(try await lands(), .network)
    other = makeManager().service
    other.apiVersion = "v2"
    manager.service = other
    XCTAssertEqualProvenance(try await lands(), .network)
    manager.service = makeManager().service
    manager.method = .head
    XCTAssertEqualProvenance(try await lands(), .network)
    manager.method = .get
    XCTAssertEqualProvenance(try await lands(), .memory(age: .zero))
  }

  func testAnotherVersionOfTheManagerDoesNotGetTheAnswer() async throws {
    script(.json("[1]"))
    _ = try await lands()
    manager.cacheTraits.version = 1
    XCTAssertEqualProvenance(try await lands(), .network)
  }

  // MARK: Only what validated

  func testAnAnswerThatDoesNotValidateIsNotStored() async throws {
    script(.json("[1]"))
    manager.onValidateResponse = { _ in throw ValidationError("never") }
    _ = await fails()
    manager.onValidateResponse = { _ in }
    XCTAssertEqualProvenance(try await lands(), .network)
  }

  func testABusinessErrorIsNotStored() async throws {
    script(.json("[1]"))
    manager.service.findBusinessError = { _ in BusinessError(code: "1", message: "no") }
    _ = await fails()
    XCTAssertEqual(cache.statistics.memory.stores, 0)
  }

  func testAStoredAnswerThatValidatesNoMoreIsDroppedAndTheServerAsked() async throws {
    script(.json("[1]"), .json("[2]"))
    _ = try await lands()
    manager.onValidateResponse = { response in
      if response.raw[0].int == 1 { throw ValidationError("one is no longer good") }
    }
    let second = try await lands()
    XCTAssertEqualProvenance(second, .network)
    XCTAssertEqual(second.raw[0].int, 2)
  }

  // MARK: One load

  func testIgnoringTheCacheAsksAndStillStores() async throws {
    script(.json("[1]", headers: ["ETag": "\"a\""]), .json("[2]"))
    _ = try await lands()
    XCTAssertEqualProvenance(try await lands(cache: .ignoring), .network)
    XCTAssertNil(stub.requests[1].headers["If-None-Match"])
    let third = try await lands()
    XCTAssertEqualProvenance(third, .memory(age: .zero))
    XCTAssertEqual(third.raw[0].int, 2)
  }

  func testRevalidatingAsksAboutAFreshAnswer() async throws {
    script(.json("[1]", headers: ["ETag": "\"a\""]), .status(304))
    _ = try await lands()
    let second = try await lands(cache: .revalidating)
    XCTAssertEqualProvenance(second, .revalidated)
    XCTAssertEqual(second.raw[0].int, 1)
    XCTAssertEqual(stub.requests[1].headers["If-None-Match"], "\"a\"")
  }

  // MARK: Cache then network

  func testCacheThenNetworkShowsAPreviewAndThenLandsOnce() async throws {
    script(.json("[1]"), .json("[2]"))
    manager.cachePolicy = .cacheThenNetwork
    _ = try await lands()
    time.advance(by: .seconds(3600))

    let viewer = PreviewViewer()
    let recorder = Recorder()
    manager.delegate = viewer
    manager.addInterceptor(recorder)
    viewer.onPreview = { [manager] in XCTAssertTrue(manager.isLoading) }
    manager.load([:])
    await viewer.waitForLanding()
    XCTAssertEqual(viewer.previews.map { $0.raw[0].int }, [1])
    XCTAssertEqual(viewer.previews.map(\.provenance), [.memory(age: .seconds(3600))])
    XCTAssertEqual(viewer.landings.map { $0.raw[0].int }, [2])
    XCTAssertEqual(viewer.landings.map(\.provenance), [.network])
    XCTAssertEqual(
      recorder.events, ["shouldLoad", "didLoad", "didReceive", "beforeSuccess", "afterSuccess"],
      "interceptors see one landing")
  }

  func testADelegateWithoutAPreviewMethodSeesTwoSuccesses() async throws {
    script(.json("[1]"), .json("[2]"))
    manager.cachePolicy = .cacheThenNetwork
    _ = try await lands()
    let recorder = Recorder()
    manager.delegate = recorder
    manager.load([:])
    await recorder.waitForLandings(2)
    XCTAssertEqual(recorder.responses.map(\.provenance), [.memory(age: .zero), .network])
  }

  func testAnInterceptorHidesAPreview() async throws {
    final class Hiding: APIManagerInterceptor {
      func manager(_ manager: BaseAPIManager, beforePreview response: APIResponse) -> Bool { false }
    }
    script(.json("[1]"), .json("[2]"))
    manager.cachePolicy = .cacheThenNetwork
    _ = try await lands()
    let viewer = PreviewViewer()
    let hiding = Hiding()
    manager.delegate = viewer
    manager.addInterceptor(hiding)
    manager.load([:])
    await viewer.waitForLanding()
    XCTAssertEqual(viewer.previews.count, 0)
  }

  func testAllLandingsOfALoadAreASequence() async throws {
    script(.json("[1]"), .json("[2]"))
    manager.cachePolicy = .cacheThenNetwork
    _ = try await lands()
    var seen: [Provenance] = []
    for try await response in manager.responses(for: [:]) { seen.append(response.provenance) }
    XCTAssertEqual(seen, [.memory(age: .zero), .network])
    stub.on("/api/list", .failure(.connectionLost))
    seen = []
    var error: APIError?
    do {
      for try await response in manager.responses(for: [:]) { seen.append(response.provenance) }
      XCTFail("the network's failure was not thrown")
    } catch let thrown {
      error = thrown
    }
    XCTAssertEqual(error?.reason, .connectionLost)
    XCTAssertEqual(seen, [.memory(age: .zero)])
  }

  // MARK: Network, else stale

  func testWhenTheNetworkFailsAStoredAnswerLandsAsStale() async throws {
    manager.cachePolicy = .networkElseStale(upTo: .seconds(60))
    for failing: StubAnswer in [.failure(.connectionRefused), .status(503)] {
      stub.on("/api/list", .json("[1]"), failing)
      XCTAssertEqualProvenance(try await lands(), .network)
      time.advance(by: .seconds(60))
      XCTAssertEqualProvenance(try await lands(), .stale(age: .seconds(60)))
      time.advance(by: .seconds(1))
      let error = await fails()
      XCTAssertNotNil(error, "older than the policy allows")
    }
  }

  func testARefusalOfTheServerIsNoReasonForOldData() async throws {
    script(.json("[1]"), .status(403))
    manager.cachePolicy = .networkElseStale()
    _ = try await lands()
    let error = await fails()
    XCTAssertEqual(error?.reason, .unacceptableStatus)
  }

  // MARK: Cache only

  func testCacheOnlyNeverAsks() async throws {
    script(.json("[1]"))
    manager.cachePolicy = .cacheOnly
    let error = await fails()
    XCTAssertEqual(error?.reason, .notCached)
    XCTAssertEqual(error?.place, .cache)
    XCTAssertEqual(asked, 0)
    manager.cachePolicy = .fresh()
    _ = try await lands()
    manager.cachePolicy = .cacheOnly
    time.advance(by: .seconds(1_000_000))
    XCTAssertEqualProvenance(try await lands(), .memory(age: .seconds(1_000_000)))
    XCTAssertEqual(asked, 1)
  }

  // MARK: Tags

  func testAMutatingManagerMakesTaggedAnswersStale() async throws {
    stub.on(.get, "/api/list", .json("[1]"), .json("[2]"))
    stub.on(.post, "/api/list", .json("{}"))
    manager.cacheTraits.tags = ["homes", "lists"]
    _ = try await lands()
    let editor = makeManager(.none)
    editor.method = .post
    editor.cacheTraits.expires = ["homes"]
    _ = try await editor.response(for: ["price": 1])
    let second = try await lands()
    XCTAssertEqualProvenance(second, .network)
    XCTAssertEqual(second.raw[0].int, 2)
  }

  func testAFailedMutationLeavesTaggedAnswersAlone() async throws {
    stub.on(.get, "/api/list", .json("[1]"))
    stub.on(.post, "/api/list", .status(500))
    manager.cacheTraits.tags = ["homes"]
    _ = try await lands()
    let editor = makeManager(.none)
    editor.method = .post
    editor.cacheTraits.expires = ["homes"]
    _ = try await errorThrown { () async throws(APIError) in try await editor.response(for: [:]) }
    XCTAssertEqualProvenance(try await lands(), .memory(age: .zero))
  }

  func testAnAnswerAskedForBeforeTheChangeIsNotStoredAfterIt() async throws {
    let gate = StubGate()
    stub.on("/api/list", .held(by: gate, .json("[1]")), .json("[2]"))
    manager.cacheTraits.tags = ["homes"]
    let early = Task { try await lands() }
    await gate.waitForArrivals(1)
    cache.expire(tags: ["homes"])
    gate.open()
    _ = try await early.value
    let second = try await lands()
    XCTAssertEqual(second.raw[0].int, 2)
  }

  // MARK: The network's condition

  func testOnCellularAStoredAnswerIsPreferred() async throws {
    script(.json("[1]"))
    _ = try await lands()
    time.advance(by: .seconds(1000))
    cache.followCondition { .expensive }
    XCTAssertEqualProvenance(try await lands(), .stale(age: .seconds(1000)))
    XCTAssertEqualProvenance(try await lands(["page": 2]), .network)
  }

  func testOfflineOnlyStoredAnswersLand() async throws {
    script(.json("[1]"))
    _ = try await lands()
    time.advance(by: .seconds(1000))
    cache.followCondition { .offline }
    XCTAssertEqualProvenance(try await lands(), .stale(age: .seconds(1000)))
    let error = await fails(["page": 2])
    XCTAssertEqual(error?.reason, .notCached)
    XCTAssertEqual(asked, 1)
  }

  func testTheTableOfConditionsMayBeReplaced() async throws {
    script(.json("[1]"))
    _ = try await lands()
    time.advance(by: .seconds(1000))
    cache.conditionTable = CacheConditionTable()
    cache.followCondition { .offline }
    XCTAssertEqualProvenance(try await lands(), .network)
  }

  // MARK: Clocks

  func testAWallClockSetBackOrForwardDoesNotChangeAnAge() async throws {
    script(.json("[1]"))
    _ = try await lands()
    time.advance(by: .seconds(100))
    time.wallClock -= 1_000_000
    XCTAssertEqualProvenance(try await lands(), .memory(age: .seconds(100)))
    time.wallClock += 9_000_000
    XCTAssertEqualProvenance(try await lands(), .memory(age: .seconds(100)))
    time.advance(by: .seconds(100))
    XCTAssertEqualProvenance(try await lands(), .network)
  }
}

func XCTAssertEqualProvenance(
  _ response: APIResponse, _ provenance: Provenance, file: StaticString = #filePath, line: UInt = #line
) {
  XCTAssertEqual(response.provenance, provenance, file: file, line: line)
}

/// A delegate that tells previews from landings.
@MainActor final class PreviewViewer: APIManagerDelegate {
  private(set) var previews: [APIResponse] = []
  private(set) var landings: [APIResponse] = []
  private(set) var errors: [APIError] = []
  var onPreview: () -> Void = {}
  private var waiter: CheckedContinuation<Void, Never>?

  func waitForLanding() async {
    if landings.isEmpty, errors.isEmpty { await withCheckedContinuation { waiter = $0 } }
  }

  func manager(_ manager: BaseAPIManager, didPreviewWith response: APIResponse) {
    previews.append(response)
    onPreview()
  }

  func manager(_ manager: BaseAPIManager, didSucceedWith response: APIResponse) {
    landings.append(response)
    waiter?.resume()
  }

  func manager(_ manager: BaseAPIManager, didFailWith error: APIError) {
    errors.append(error)
    waiter?.resume()
  }
}
