import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// The service's common-error hook: it suspends a flight, runs another manager, replays or swallows.
@MainActor final class ServiceHookRemedyTests: XCTestCase {
  private let stub = StubTransport()
  private let asked = Counter()

  /// Responds to `list` with 401 until somebody has signed in.
  private func scriptSignIn() {
    let isSignedIn = Counter()
    stub.on("/api/list", .computed { _ in isSignedIn.value > 0 ? .json(someJSON) : .status(401) })
    stub.on(
      "/api/sign-in",
      .computed { _ in
        isSignedIn.increment()
        return .json("{}")
      })
  }

  private func makeManager(
    _ name: String = "list", _ hook: @escaping @Sendable (APIError) async -> ErrorResolution
  ) -> TestManager {
    var service = TestService(stub)
    service.onError = { [asked] error in
      asked.increment()
      return await hook(error)
    }
    let manager = TestManager(service)
    manager.apiName = name
    return manager
  }

  func testAFlightIsSuspendedWhileAnotherManagerSignsInAndIsThenSentAgain() async throws {
    scriptSignIn()
    let service = TestService(stub)
    let gate = StubGate()
    stub.on("/api/captcha", .held(by: gate, .json("{}")))
    let manager = makeManager { _ in
      .suspend(for: "sign-in") {
        do {
          let captcha = await SignInManager(service, "captcha")
          _ = try await captcha.response()
          let signIn = await SignInManager(service, "sign-in")
          _ = try await signIn.response()
          return .replay
        } catch {
          return .letThrough
        }
      }
    }
    let recorder = Recorder()
    manager.delegate = recorder
    let flight = try XCTUnwrap(manager.load().flightID)
    try await gate.waitForArrivals(1)
    await waitUntil { manager.state(of: flight) == .suspended }
    gate.open()
    await recorder.waitForLandings()
    XCTAssertEqual(recorder.responses.count, 1)
    XCTAssertEqual(
      stub.requests.map(\.url.path), ["/api/list", "/api/captcha", "/api/sign-in", "/api/list"])
    let text = recorder.responses[0].record?.description ?? ""
    XCTAssertTrue(text.contains("suspended: sign-in"), text)
    XCTAssertTrue(text.contains("hook: sent again after response.unacceptable-status"), text)
  }

  func testFiftyRefusalsAskTheHookOnceAndShareWhatItSays() async throws {
    scriptSignIn()
    let (early, gate) = (StubGate(), StubGate())
    let isSignedIn = Counter()
    let refusal = StubResponse.computed { _ in isSignedIn.value > 0 ? .json(someJSON) : .status(401) }
    stub.on("/api/list", refusal)
    // Sent before the hook is done, and refused after.
    stub.on("/api/late", .held(by: early, .status(401)), refusal)
    let manager = makeManager { _ in
      .suspend(for: "sign-in") {
        _ = await gate.arrive()
        isSignedIn.increment()
        return .replay
      }
    }
    manager.sharedState = SharedState()
    let recorder = Recorder()
    manager.delegate = recorder
    manager.apiName = "late"
    manager.load()
    try await early.waitForArrivals(1)
    manager.apiName = "list"
    for number in 0..<49 { manager.load(["n": number]) }
    try await gate.waitForArrivals(1)
    await waitUntil { manager.flights.count { manager.state(of: $0) == .suspended } == 49 }
    gate.open()
    await recorder.waitForLandings(49)
    early.open()
    await recorder.waitForLandings(50)
    XCTAssertEqual(recorder.responses.count, 50, "\(recorder.errors.first.map { "\($0)" } ?? "")")
    XCTAssertEqual(asked.value, 1)
    // A refusal of what was sent since is another matter.
    stub.on("/api/list", .status(401))
    let error = await failure { try await manager.response() }
    XCTAssertEqual(error?.context.status, 401)
    XCTAssertEqual(asked.value, 2)
  }

  func testALoadThatLeavesASharedResolutionLeavesItToTheOthers() async throws {
    stub.on("/api/list", .status(401))
    let gate = StubGate()
    let manager = makeManager { error in
      _ = await gate.arrive()
      return .replace(APIError(.auth, .signInFailed, "the hook has had enough"))
    }
    manager.sharedState = SharedState()
    let recorder = Recorder()
    manager.delegate = recorder
    let first = try XCTUnwrap(manager.load(["n": 0]).flightID)
    try await gate.waitForArrivals(1)
    manager.load(["n": 1])
    await waitUntil { manager.sharedState.resolutions.waiterCount == 2 }
    manager.cancel(first)
    await recorder.waitForLandings(1)
    gate.open()
    await recorder.waitForLandings(2)
    XCTAssertEqual(recorder.errors.map(\.reason), [.signInFailed])
    XCTAssertEqual(asked.value, 1)
  }

  func testAFailureThatIsItsLoadsOwnIsNotShared() async throws {
    stub.on("/api/list", .status(500))
    let manager = makeManager { _ in .letThrough }
    manager.sharedState = SharedState()
    let recorder = Recorder()
    manager.delegate = recorder
    for number in 0..<3 { manager.load(["n": number]) }
    await recorder.waitForLandings(3)
    XCTAssertEqual(asked.value, 3)
  }

  func testASuspendedFlightCanBeCancelled() async throws {
    let gate = StubGate()
    stub.on("/api/list", .status(401))
    stub.on("/api/captcha", .held(by: gate, .json("{}")))
    let service = TestService(stub)
    let manager = makeManager { _ in
      .suspend(for: "captcha") {
        let captcha = await SignInManager(service, "captcha")
        _ = try? await captcha.response()
        return .replay
      }
    }
    let recorder = Recorder()
    manager.delegate = recorder
    manager.load()
    try await gate.waitForArrivals(1)
    manager.cancel()
    XCTAssertEqual(recorder.cancellations.count, 1)
    await waitUntil { gate.waiting == 0 }
    await landingsWorkedOff()
    XCTAssertEqual(stub.requests.map(\.url.path), ["/api/list", "/api/captcha"], "it is not sent again")
  }

  func testTheDeadlineEndsTheWaitForTheHook() async throws {
    for status in [500, 401] {
      stub.on("/api/list", .status(status))
      let (time, asked) = (ManualTime(), Counter())
      let manager = makeManager { _ in
        .suspend(for: "captcha") {
          asked.increment()
          try? await Task.sleep(for: .seconds(60))
          return .letThrough
        }
      }
      manager.time = time
      manager.sharedState = SharedState()
      manager.retryPolicy = RetryPolicy(attempts: 1, deadline: .seconds(5))
      async let failed = errorThrown { () throws(APIError) in try await manager.response() }
      await waitUntil { asked.value == 1 }
      await time.advanceOnceAsleep(by: .seconds(5))
      let error = try await failed
      XCTAssertEqual(error.context.status, status)
    }
  }

  func testTheDeadlineEndsTheWaitForAHookThatIgnoresItsCancellation() async throws {
    for status in [500, 401] {
      stub.on("/api/list", .status(status))
      let (time, asked, gate) = (ManualTime(), Counter(), StubGate())
      let manager = makeManager { _ in
        asked.increment()
        await Task { try? await gate.waitForArrivals(1, within: .seconds(30)) }.value
        return .letThrough
      }
      manager.time = time
      manager.sharedState = SharedState()
      manager.retryPolicy = RetryPolicy(attempts: 1, deadline: .seconds(5))
      let begin = ContinuousClock.now
      async let failed = errorThrown { () throws(APIError) in try await manager.response() }
      await waitUntil { asked.value == 1 }
      await time.advanceOnceAsleep(by: .seconds(5))
      let error = try await failed
      XCTAssertEqual(error.context.status, status)
      XCTAssertLessThan(ContinuousClock.now - begin, .seconds(20))
    }
  }

  func testAReplayThatFailsInTheSameWayIsNotReplayedAgain() async throws {
    stub.on("/api/list", .status(401))
    let manager = makeManager { _ in .replay }
    let error = try await errorThrown { () throws(APIError) in try await manager.response() }
    XCTAssertEqual(error.context.status, 401)
    XCTAssertEqual(stub.requests.count, 2)
    XCTAssertEqual(asked.value, 1)
    let text = error.record?.description ?? ""
    XCTAssertTrue(text.contains("hook: response.unacceptable-status came again after a replay"), text)
  }

  func testReplaysOfEverDifferentFailuresEndToo() async throws {
    stub.on(
      "/api/list", .status(401), .dropped, .failure(.idleTimeout), .failure(.unknownHost),
      .failure(.connectionRefused))
    let manager = makeManager { _ in .replay }
    let error = try await errorThrown { () throws(APIError) in try await manager.response() }
    XCTAssertEqual(error.reason, .unknownHost)
    XCTAssertEqual(stub.requests.count, 1 + ReplayGuard.most)
    XCTAssertEqual(asked.value, ReplayGuard.most)
  }

  func testASignInThatFailsIntoTheSameHookIsACircleAndNamed() async throws {
    stub.on("/api/*", .status(401))
    let manager = makeManager("list") { _ in .letThrough }
    let stub = stub
    manager.service.onError = { [asked] _ in
      asked.increment()
      return await SignInCircle(stub, asked).resolve()
    }
    let error = try await errorThrown { () throws(APIError) in try await manager.response() }
    XCTAssertEqual(error.context.status, 401, "the list's own failure lands")
    XCTAssertEqual(asked.value, 2, "for the list and for the first sign-in")
    let circle = FlightLog.shared.records.compactMap { record -> String? in
      guard case .failed("response.resolution-cycle", let detail)? = record.landing else { return nil }
      return detail
    }.last
    XCTAssertEqual(
      circle, "the error hook of Homes goes in a circle: TestManager → SignInManager → SignInManager")
  }

  func testAHookMayLoadWhatItsOwnLoadWouldHoldUp() async throws {
    for joins in [true, false] {
      stub.on("/api/list", .status(500))
      var isOver = false
      let manager = makeManager { _ in .letThrough }
      manager.service.onError = { [stub, weak manager] _ in
        guard let inner = await Self.inner(joins, stub, manager) else { return .letThrough }
        let error = await Self.error(of: inner)
        return error.map { .replace($0) } ?? .letThrough
      }
      manager.joinsIdenticalFlights = joins
      manager.takeoffPolicy = joins ? .concurrent : .queue
      let task = Task {
        let error = await Self.error(of: manager)
        isOver = true
        return error
      }
      await waitUntil { isOver }
      task.cancel()
      let error = await task.value
      XCTAssertEqual(error?.reason, .resolutionCycle)
      XCTAssertFalse(manager.isLoading)
    }
  }

  private static func inner(_ joins: Bool, _ stub: StubTransport, _ known: TestManager?) -> TestManager? {
    guard joins else { return known }
    let manager = TestManager(stub)
    manager.joinsIdenticalFlights = true
    return manager
  }

  private static func error(of manager: TestManager) async -> APIError? {
    do throws(APIError) { _ = try await manager.response() } catch { return error }
    return nil
  }

  func testAReplayIsAssembledAnew() async throws {
    stub.on("/api/list", .status(401), .json(someJSON))
    let token = Counter()
    var service = TestService(stub)
    service.onHeaders = { ["X-Token": "t\(token.value)"] }
    service.onCommonParameters = { ["session": token.value] }
    service.retryPolicy.idempotencyKeyField = "Idempotency-Key"
    service.onError = { _ in
      token.increment()
      return .replay
    }
    let manager = TestManager(service)
    manager.method = .post
    manager.parameterEncoding = .query
    _ = try await manager.response()
    XCTAssertEqual(stub.requests.map { $0.headers["X-Token"] }, ["t0", "t1"])
    XCTAssertEqual(stub.requests.map(\.url.query), ["session=0", "session=1"])
    let keys = stub.requests.compactMap { $0.headers["Idempotency-Key"] }
    XCTAssertEqual(keys.count, 2)
    XCTAssertEqual(Set(keys).count, 1, "it is the same load")
  }

  func testAReplayOfAStoredListIsAssembledAnewToo() async throws {
    stub.on("/api/list", .status(401), .json(someJSON))
    let token = Counter()
    var service = TestService(stub)
    service.store = ResponseCache()
    service.onCommonParameters = { ["nonce": token.value] }
    service.onError = { _ in
      token.increment()
      return .replay
    }
    let manager = TestManager(service)
    manager.cachePolicy = .fresh()
    _ = try await manager.response()
    XCTAssertEqual(stub.requests.map(\.url.query), ["nonce=0", "nonce=1"])
  }

  func testASwallowedFailureLandsAsHandled() async throws {
    stub.on("/api/list", .status(451))
    let manager = makeManager { _ in .suspend(for: "notice") { .swallow } }
    let recorder = Recorder()
    manager.delegate = recorder
    manager.load()
    await recorder.waitForLandings()
    XCTAssertEqual(recorder.cancellations.map(\.reason), [.handledByService])
  }
}

/// A manager that a hook runs.
private final class SignInManager: BaseAPIManager, APIManager {
  let service: TestService
  let apiName: String

  init(_ service: TestService, _ name: String) {
    self.service = service
    apiName = name
    super.init()
  }
}

/// A hook that signs in through a service with the same hook.
private struct SignInCircle: Sendable {
  let stub: StubTransport
  let asked: Counter

  init(_ stub: StubTransport, _ asked: Counter) {
    self.stub = stub
    self.asked = asked
  }

  func resolve() async -> ErrorResolution {
    var service = TestService(stub)
    service.onError = { _ in
      asked.increment()
      return await resolve()
    }
    let manager = await SignInManager(service, "sign-in")
    do {
      _ = try await manager.response()
      return .replay
    } catch {
      return .letThrough
    }
  }
}
