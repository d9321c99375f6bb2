import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// Retry as an application meets it: a manager, a scripted wire, a clock that stands still.
@MainActor final class RetryRemedyTests: XCTestCase {
  private let stub = StubTransport(.json(someJSON))
  private let time = ManualTime()

  private func makeManager(
    _ stub: StubTransport? = nil, attempts: Int = 3, deadline: Duration? = nil, wait: Duration = .zero,
    signer: (any RequestSigner)? = nil
  ) -> TestManager {
    var service = TestService(stub ?? self.stub)
    service.retryPolicy = RetryPolicy(attempts: attempts, deadline: deadline)
    service.retryPolicy.backoff = .constant(wait)
    service.signer = signer
    let manager = TestManager(service)
    manager.time = time
    manager.sharedState = SharedState()
    return manager
  }

  private func lastRetryWords(_ error: APIError) -> String? {
    error.record?.events.lazy.compactMap { if case .gaveUp(let reason) = $0 { reason } else { nil } }.first
  }

  func testNothingIsRetriedUnlessAskedFor() async throws {
    stub.on("/api/list", .failure(.connectionRefused))
    let manager = TestManager(stub)
    let error = try await errorThrown { () throws(APIError) in try await manager.response() }
    XCTAssertEqual(error.reason, .connectionRefused)
    XCTAssertEqual(stub.requests.count, 1)
  }

  func testALoadSucceedsAfterTwoFailuresAndItsRecordSaysSo() async throws {
    stub.on("/api/list", .status(503), .dropped, .json(someJSON))
    let manager = makeManager()
    let response = try await manager.response(["city": "Suzhou", "token": "abc"])
    XCTAssertEqual(stub.requests.count, 3)
    let record = try XCTUnwrap(response.record)
    XCTAssertEqual(record.attempts, 3)
    XCTAssertEqual(record.landing, .succeeded(.network))
    let text = record.description
    for line in [
      "GET list (Homes), TestManager", "parameters: city=Suzhou, token=•••", "took off (concurrent)",
      "attempt 1 to homes.test", "status 503", "failed (response.unacceptable-status): status 503",
      "retry in 0 µs: status 503: the server is not available for a while",
      "failed (transport.connection-lost)", "attempt 3 to homes.test", "landed: success from the network",
    ] {
      XCTAssertTrue(text.contains(line), "\(line) is missing in\n\(text)")
    }
    XCTAssertFalse(text.contains("abc"))
  }

  func testTheLastFailureLandsWithItsAttempt() async throws {
    stub.on("/api/list", .status(503))
    let manager = makeManager()
    let error = try await errorThrown { () throws(APIError) in try await manager.response() }
    XCTAssertEqual(error.context.attempt, 3)
    XCTAssertEqual(error.context.attemptLimit, 3)
    XCTAssertTrue(error.description.hasSuffix("attempt 3 of 3"), error.description)
    XCTAssertEqual(lastRetryWords(error), "all 3 attempts are made")
  }

  func testTheManagersPolicyWinsOverTheServices() async throws {
    stub.on("/api/list", .status(503))
    let manager = makeManager()
    manager.retryPolicy = .never
    _ = try await errorThrown { () throws(APIError) in try await manager.response() }
    XCTAssertEqual(stub.requests.count, 1)
  }

  func testTheWaitIsTheServersAndEndsEarlyWhenTheLoadIsCancelled() async throws {
    stub.on("/api/list", .status(429, headers: ["Retry-After": "30"]), .json(someJSON))
    let manager = makeManager()
    async let response = manager.response()
    await time.advanceOnceAsleep(by: .seconds(29))
    XCTAssertEqual(stub.requests.count, 1)
    await time.advanceOnceAsleep(by: .seconds(1))
    _ = try await response
    XCTAssertEqual(stub.requests.count, 2)

    stub.on("/api/list", .status(429, headers: ["Retry-After": "30"]))
    manager.load()
    await time.advanceOnceAsleep(by: .seconds(1))
    manager.cancel()
    XCTAssertFalse(manager.isLoading)
    await landingsWorkedOff()
    XCTAssertEqual(stub.requests.count, 3)
  }

  /// RFC 9111, 4.2.3: the delay of a response is that of its own request.
  func testTheWaitBeforeAnotherAttemptDoesNotCountAsTheAgeOfItsResponse() async throws {
    stub.on(
      "/api/list", .status(503, headers: ["Retry-After": "50"]),
      .json(someJSON, headers: ["Cache-Control": "max-age=40"]))
    let manager = makeManager()
    manager.service.store = ResponseCache(time: time)
    manager.cachePolicy = .http
    async let first = manager.response()
    await time.advanceOnceAsleep(by: .seconds(50))
    _ = try await first
    _ = try await manager.response()
    XCTAssertEqual(stub.requests.count, 2)
  }

  func testAnHoursRetryAfterUnderADeadlineOfFiveSecondsFailsAtOnce() async throws {
    stub.on("/api/list", .status(503, headers: ["Retry-After": "3600"]))
    let manager = makeManager(deadline: .seconds(5))
    let error = try await errorThrown { () throws(APIError) in try await manager.response() }
    XCTAssertEqual(error.context.status, 503)
    XCTAssertEqual(stub.requests.count, 1)
    XCTAssertEqual(time.now, .zero, "nobody has waited")
    XCTAssertEqual(
      lastRetryWords(error),
      "status 503: the server asked for 1 h; a wait of 1 h ends after the deadline in 5 s")
  }

  func testTheDeadlineLowersTheLimitOfEveryAttempt() async throws {
    stub.on("/api/list", .status(503), .json(someJSON))
    let manager = makeManager(deadline: .seconds(10), wait: .seconds(4))
    async let response = manager.response()
    await time.advanceOnceAsleep(by: .seconds(4))
    _ = try await response
    XCTAssertEqual(stub.requests.map(\.timeouts.ceiling), [.seconds(10), .seconds(6)])
    XCTAssertEqual(
      stub.requests.map { $0.timeouts.filled(from: HTTPTimeouts(total: .seconds(8))).total },
      [.seconds(8), .seconds(6)], "the shorter of the two holds")
  }

  func testTheDeadlineLowersTheLimitOfARequestToAnotherOriginToo() async throws {
    stub.on("/api/list", .redirect(to: "https://elsewhere.test/list"))
    stub.on("/list", .json(someJSON))
    let manager = makeManager(deadline: .seconds(10))
    _ = try await manager.response()
    XCTAssertEqual(stub.requests.map(\.url.host), ["homes.test", "elsewhere.test"])
    XCTAssertEqual(stub.requests.map(\.timeouts.ceiling), [.seconds(10), .seconds(10)])
  }

  func testTheDeadlineBeginsAtTheTakeoffAndNotWhileTheLoadIsHeldBack() async throws {
    for policy in [TakeoffPolicy.queue, .debounce(.seconds(10))] {
      stub.reset()
      stub.on("/api/list", .json(someJSON))
      stub.hold()
      let manager = makeManager(deadline: .seconds(5))
      manager.takeoffPolicy = policy
      for number in 1...2 { manager.load(["page": number]) }
      if policy.rule.name == "queue" { try await stub.waitForRequests(1) }
      await time.advanceOnceAsleep(by: .seconds(10), sleepers: policy.rule.name == "queue" ? 0 : 1)
      stub.release()
      await waitUntil { !manager.isLoading }
      XCTAssertEqual(stub.requests.last?.url.query, "page=2")
      XCTAssertEqual(stub.requests.last?.timeouts.ceiling, .seconds(5))
    }
  }

  func testTheDeadlineEndsAnAttemptThatHangsWhereTheTransportHasNoLimitOfItsOwn() async throws {
    let stub = StubTransport(.silence, capabilities: [.idleTimeout])
    let manager = makeManager(stub, deadline: .seconds(5))
    manager.timeouts = HTTPTimeouts(idle: .zero)
    async let failed = errorThrown { () throws(APIError) in try await manager.response() }
    // The limit is watched before the transport has the request.
    try await stub.waitForRequests(1)
    await time.advanceOnceAsleep(by: .seconds(5))
    let error = try await failed
    XCTAssertEqual(error.reason, .deadlineExceeded)
    XCTAssertEqual(error.label, "transport.deadline-exceeded")
    XCTAssertEqual(stub.requests.count, 1)
    XCTAssertEqual(time.sleeperCount, 0)
  }

  func testTheDeadlineOnTheWireIsCalledSo() async throws {
    let stub = StubTransport(.silence)
    let manager = makeManager(stub, deadline: .milliseconds(5))
    manager.time = SystemTime()
    let error = try await errorThrown { () throws(APIError) in try await manager.response() }
    XCTAssertEqual(error.reason, .deadlineExceeded)
    XCTAssertEqual(error.detail, "not finished before its deadline of 5 ms")
  }

  func testAPostIsNotSentTwiceUnlessItCarriesAKey() async throws {
    stub.on("/api/list", .dropped, .json(someJSON))
    let manager = makeManager()
    manager.method = .post
    let error = try await errorThrown { () throws(APIError) in try await manager.response() }
    XCTAssertEqual(
      lastRetryWords(error), "the method is not idempotent and no idempotency key is sent")

    stub.reset()
    stub.on("/api/list", .dropped, .json(someJSON))
    manager.service.retryPolicy.idempotencyKeyField = "Idempotency-Key"
    _ = try await manager.response()
    let keys = stub.requests.map { $0.headers["Idempotency-Key"] }
    XCTAssertEqual(keys.count, 2)
    XCTAssertEqual(keys[0]?.utf8.count, 32)
    XCTAssertEqual(keys[0], keys[1], "one key for all attempts")
    _ = try await manager.response()
    XCTAssertNotEqual(stub.requests.last?.headers["Idempotency-Key"], keys[0], "another load, another key")
    manager.method = .get
    _ = try await manager.response()
    XCTAssertNil(stub.requests.last?.headers["Idempotency-Key"])
  }

  func testAPostWhoseRedirectIsRefusedIsNotSentTwice() async throws {
    let authenticator = Authenticator { _ in Credential(accessToken: "new", refreshToken: "r") }
    try authenticator.signIn(with: Credential(accessToken: "old", refreshToken: "r"))
    for status in [401, 429, 500] {
      stub.reset()
      stub.on(.post, "/api/list", .redirect(to: "/api/made", status: 303))
      stub.on(.get, "/api/made", .status(status))
      let manager = makeManager()
      manager.method = .post
      manager.service.authenticator = authenticator
      manager.service.onError = { _ in .replay }
      manager.retryPolicy.table[status: 429] = .retryAny("it has done nothing")
      let error = try await errorThrown { () throws(APIError) in try await manager.response() }
      XCTAssertEqual(error.context.status, status)
      XCTAssertEqual(stub.requests.map(\.method), [.post, .get])
    }
  }

  func testAPostThatARedirectTookAwayFromItsKeyIsNotSentTwice() async throws {
    stub.on(.post, "/api/list", .redirect(to: "https://other.test/orders", status: 307))
    stub.on(.post, "/orders", .dropped)
    let manager = makeManager()
    manager.method = .post
    manager.service.retryPolicy.idempotencyKeyField = "Idempotency-Key"
    var error = try await errorThrown { () throws(APIError) in try await manager.response() }
    XCTAssertEqual(error.reason, .connectionLost)
    XCTAssertEqual(stub.requests.filter { $0.url.path == "/orders" }.count, 1, "without the key")
    XCTAssertEqual(lastRetryWords(error), "the method is not idempotent and no idempotency key is sent")
    manager.service.client.redirects.publicHeaders.insert("Idempotency-Key")
    error = try await errorThrown { () throws(APIError) in try await manager.response() }
    XCTAssertEqual(stub.requests.filter { $0.url.path == "/orders" }.count, 4, "three more with the key")
    manager.service.client.redirects = .follow
    stub.reset()
    stub.on(.post, "/api/list", .redirect(to: "https://other.test/orders", status: 307))
    stub.on(.post, "/orders", .failure(.connectionRefused), .json(someJSON))
    _ = try await manager.response()
    XCTAssertEqual(stub.requests.count, 4, "what was not sent there goes again")
  }

  func testAManagersOwnIdempotencyKeyStands() async throws {
    let manager = makeManager()
    manager.service.retryPolicy.idempotencyKeyField = "Idempotency-Key"
    manager.method = .post
    manager.headers = ["Idempotency-Key": "order-7"]
    _ = try await manager.response()
    XCTAssertEqual(stub.requests.first?.headers.values("Idempotency-Key"), ["order-7"])
  }

  func testAStreamThatCannotBeOpenedAgainIsSentOnce() async throws {
    stub.on("/api/list", .status(503))
    let manager = makeManager()
    manager.method = .put
    manager.body = .stream(HTTPBodyStream { { nil } })
    let error = try await errorThrown { () throws(APIError) in try await manager.response() }
    XCTAssertEqual(stub.requests.count, 1)
    XCTAssertEqual(lastRetryWords(error), "the body cannot be sent a second time")
  }

  func testEveryAttemptIsSignedAfresh() async throws {
    stub.on("/api/list", .status(503), .json(someJSON))
    let manager = makeManager(signer: CountingSigner())
    _ = try await manager.response()
    XCTAssertEqual(stub.requests.map { $0.headers["X-Attempt"] }, ["1", "2"])
    XCTAssertNotEqual(stub.requests[0].headers["X-Nonce"], stub.requests[1].headers["X-Nonce"])
  }

  func testAStormOfFailuresDrawsOnOneBudgetPerHost() async throws {
    stub.on("/api/list", .status(503))
    let manager = makeManager(attempts: 5)
    let recorder = Recorder()
    manager.delegate = recorder
    for _ in 0..<200 { manager.load() }
    await recorder.waitForLandings(200)
    XCTAssertEqual(stub.requests.count, 220, "200 loads and a budget of 20 retries")
    XCTAssertEqual(recorder.errors.count, 200)
  }

  func testABudgetIsPaidBackBySuccess() async throws {
    stub.on("/api/list", .status(503), .json(someJSON))
    let manager = makeManager(attempts: 2)
    let host = HostKey("https://homes.test/api")
    for _ in 0..<20 { XCTAssertTrue(manager.sharedState.drawRetry(at: host, now: time.now)) }
    _ = try await errorThrown { () throws(APIError) in try await manager.response() }
    for _ in 0..<11 { _ = try await manager.response() }
    XCTAssertTrue(manager.sharedState.drawRetry(at: host, now: time.now))
    XCTAssertFalse(manager.sharedState.drawRetry(at: host, now: time.now))
  }
}

/// Writes what it is told into header fields.
struct CountingSigner: RequestSigner {

  func sign(_ request: inout HTTPRequest, _ subject: SigningSubject) throws(APIError) {
    request.headers["X-Attempt"] = String(subject.attempt)
    request.headers["X-Nonce"] = subject.nonce
    request.headers["X-Time"] = String(subject.secondsSince1970)
  }
}
