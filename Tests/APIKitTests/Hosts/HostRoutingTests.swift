import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit
import APIKitSigning

/// What a pool does to a load, over a transport that opens no connections ahead.
@MainActor final class HostRoutingTests: XCTestCase {
  private let stub = StubTransport(.json(someJSON))
  private let sharedState = SharedState()
  private let time = ManualTime()
  private let one: PooledHost = "10.0.0.1"
  private let two: PooledHost = "10.0.0.2"

  private func makeManager(_ pool: HostPool?, _ transport: (any HTTPTransport)? = nil) -> TestManager {
    let manager = TestManager(stub)
    if let transport { manager.service.client = HTTPClient(transport: transport) }
    manager.service.environments = ServiceEnvironments("https://named.test/api")
    manager.service.hosts = pool
    manager.sharedState = sharedState
    manager.time = time
    return manager
  }

  private func script(_ address: String, _ responses: StubResponse...) {
    for response in responses { stub.when({ $0.options.connectTo == address }, response) }
  }

  private var asked: [String] { stub.requests.map { $0.options.connectTo ?? $0.url.host } }

  func testALoadGoesToAnAddressOfThePoolUnderItsOwnName() async throws {
    let manager = makeManager(.still(["10.0.0.1", "10.0.0.2:8443"]))
    let response = try await manager.response()
    XCTAssertEqual(asked, ["10.0.0.1"])
    XCTAssertEqual(stub.requests.first?.url, "https://named.test/api/list")
    let record = try XCTUnwrap(response.record)
    XCTAssertTrue(
      record.description.contains("server 10.0.0.1: the first of the list; none is measured yet"),
      record.description)
  }

  func testALoadToAnotherHostOrWithAnAddressOfItsOwnIsLeftAlone() async throws {
    _ = try await makeManager(.still(["10.0.0.1"], name: "other.test")).response()
    _ = try await makeManager(.still(["10.0.0.1"])).response(options: LoadOptions(connectTo: "10.9.9.9"))
    _ = try await makeManager(nil).response()
    XCTAssertEqual(asked, ["named.test", "10.9.9.9", "named.test"])
  }

  func testAPoolWhoseNameIsNoHostIsRefused() async throws {
    let transport = ConnectingStub(stub) { _ in .milliseconds(1) }
    for name in ["*.test", "https://named.test", "named.test:443", "named.test/api", "named..test", ""] {
      let manager = makeManager(.still(["10.0.0.1"], name: name), transport)
      let refused = await failure { try await manager.response() }
      XCTAssertEqual(refused?.reason, .misconfigured, name)
      XCTAssertEqual(refused?.detail.contains(name.debugDescription), true, refused?.detail ?? name)
      let unmeasured = await failure { try await manager.service.measureHosts() }
      XCTAssertEqual(unmeasured?.reason, .misconfigured, name)
    }
    XCTAssertEqual(asked, [])
    _ = try await makeManager(.still(["10.0.0.1"], name: "NAMED.test.")).response()
    XCTAssertEqual(asked, ["10.0.0.1"])
  }

  func testTheNextServerIsAskedWithinTheAttemptWhateverTheMethod() async throws {
    for reason in [APIError.Reason.connectionRefused, .connectTimeout, .tlsHandshakeFailed] {
      stub.reset()
      script("10.0.0.1", .failure(reason))
      script("10.0.0.2", .json(someJSON))
      let manager = makeManager(.still(["10.0.0.1", "10.0.0.2"]))
      manager.method = .post
      let response = try await manager.response(["a": 1])
      XCTAssertEqual(asked, ["10.0.0.1", "10.0.0.2"], reason.name)
      XCTAssertEqual(response.record?.attempts, 1, "it is one attempt")
      let text = try XCTUnwrap(response.record?.description)
      XCTAssertTrue(text.contains("server 10.0.0.1 failed (transport.\(reason.name))"), text)
      XCTAssertTrue(text.contains("server 10.0.0.2: the next after one that failed"), text)
    }
  }

  func testAPostThatMayHaveBeenSentIsNotSentToAnother() async throws {
    script("10.0.0.1", .failure(.connectionLost))
    let manager = makeManager(.still(["10.0.0.1", "10.0.0.2"]))
    manager.method = .post
    manager.retryPolicy = .standard
    let error = await failure { try await manager.response() }
    XCTAssertEqual(error?.reason, .connectionLost)
    XCTAssertEqual(asked, ["10.0.0.1"])
  }

  func testAReadThatWasSentIsRetriedAtAnotherServerByTheRetryPolicy() async throws {
    script("10.0.0.1", .failure(.connectionLost))
    script("10.0.0.2", .json(someJSON))
    let manager = makeManager(.still(["10.0.0.1", "10.0.0.2"]))
    let alone = await failure { try await manager.response() }
    XCTAssertEqual(alone?.reason, .connectionLost, "without a policy there is no retry")
    stub.reset()
    script("10.0.0.1", .failure(.connectionLost))
    script("10.0.0.2", .json(someJSON))
    let other = makeManager(.still(["10.0.0.1", "10.0.0.2"]))
    other.retryPolicy = RetryPolicy(attempts: 2)
    other.retryPolicy.backoff = .constant(.zero)
    _ = try await other.response()
    XCTAssertEqual(asked, ["10.0.0.1", "10.0.0.2"])
  }

  func testABodyThatOpensOnceIsNotSentToAnother() async throws {
    script("10.0.0.1", .failure(.connectionRefused))
    let manager = makeManager(.still(["10.0.0.1", "10.0.0.2"]))
    manager.method = .post
    manager.body = .stream(HTTPBodyStream(length: 1) { { nil } })
    let error = await failure { try await manager.response() }
    XCTAssertEqual(error?.reason, .connectionRefused)
    XCTAssertEqual(asked.count, 1)
  }

  func testWhenEveryServerIsDownTheLastFailureIsTold() async throws {
    script("10.0.0.1", .failure(.connectTimeout))
    script("10.0.0.2", .failure(.connectionRefused))
    let manager = makeManager(.still(["10.0.0.1", "10.0.0.2"]))
    let error = await failure { try await manager.response() }
    XCTAssertEqual(error?.reason, .connectionRefused)
    XCTAssertEqual(asked, ["10.0.0.1", "10.0.0.2"])
  }

  func testAWrongCertificatePutsAServerAsideAndIsToldWhenAllFail() async throws {
    script("10.0.0.1", .failure(.certificateHostMismatch))
    script("10.0.0.2", .failure(.connectionRefused))
    let pool = HostPool.still(["10.0.0.1", "10.0.0.2"])
    let manager = makeManager(pool)
    let error = await failure { try await manager.response() }
    XCTAssertEqual(
      error?.reason, .certificateHostMismatch, "somebody may be in the middle: that is what is told")
    XCTAssertEqual(pool.status(of: one, time.now)?.health, .aside(.seconds(30)))
    XCTAssertEqual(pool.status(of: two, time.now)?.health, .doubtful(failures: 1))
  }

  func testAnAddressThatServesAnotherNameIsPutAside() async throws {
    script("10.0.0.1", .status(421))
    script("10.0.0.2", .json(someJSON))
    let pool = HostPool.still(["10.0.0.1", "10.0.0.2"])
    let manager = makeManager(pool)
    manager.method = .post
    _ = try await manager.response(["a": 1])
    XCTAssertEqual(
      asked, ["10.0.0.1", "10.0.0.2"], "421 says that nothing was done, so any method may be sent again")
    XCTAssertEqual(pool.status(of: one, time.now)?.health, .aside(.seconds(30)))
    stub.reset()
    stub.on("/api/list", .status(421))
    let lonely = makeManager(.still(["10.0.0.1"]))
    let error = await failure { try await lonely.response() }
    XCTAssertEqual(error?.context.status, 421, "with no other it lands")
  }

  func testA421ThatIsNotVerifiedMovesNoRequestToAnotherServer() async throws {
    script("10.0.0.1", .status(421))
    script("10.0.0.2", .json(someJSON))
    let pool = HostPool.still(["10.0.0.1", "10.0.0.2"])
    let manager = makeManager(pool)
    manager.service.verifier = GoodStatusVerifier()
    manager.method = .post
    let error = await failure { try await manager.response(["a": 1]) }
    XCTAssertEqual(error?.reason, .unverifiedResponse)
    XCTAssertEqual(asked, ["10.0.0.1"])
    XCTAssertEqual(pool.status(of: one, time.now)?.health, .good)
  }

  func testFiveOutagesInARowPutAServerAside() async throws {
    stub.on("/api/list", .status(503))
    let pool = HostPool.still(["10.0.0.1"])
    let manager = makeManager(pool)
    for _ in 0..<4 { _ = await failure { try await manager.response() } }
    XCTAssertEqual(pool.status(of: one, time.now)?.health, .doubtful(failures: 4))
    _ = await failure { try await manager.response() }
    XCTAssertEqual(pool.status(of: one, time.now)?.health, .aside(.seconds(30)))
    stub.on("/api/list", .status(404))
    _ = await failure { try await manager.response() }
    XCTAssertEqual(pool.status(of: one, time.now)?.health, .good, "a 404 shows a server at work")
  }

  func testACancelledLoadSaysNothingAboutItsServer() async throws {
    let pool = HostPool.still(["10.0.0.1", "10.0.0.2"])
    let manager = makeManager(pool)
    stub.hold()
    manager.load()
    try await stub.waitForRequests(1)
    manager.cancel()
    await waitUntil { self.stub.heldCount == 0 }
    XCTAssertEqual(pool.status(of: one, time.now)?.health, .good)
    XCTAssertEqual(asked.count, 1, "no other server is asked")
  }

  func testOneBadServerDoesNotOpenTheBreaker() async throws {
    script("10.0.0.1", .failure(.connectionLost))
    let manager = makeManager(.still(["10.0.0.1", "10.0.0.2"]))
    var policy = BreakerPolicy()
    policy.minimumAttempts = 1
    policy.failureRatio = 0.4
    manager.service.breaker = policy
    manager.retryPolicy = RetryPolicy(attempts: 2)
    manager.retryPolicy.backoff = .constant(.zero)
    _ = try await manager.response()
    XCTAssertEqual(asked, ["10.0.0.1", "10.0.0.2"])
    XCTAssertEqual(sharedState.openBreakers, [], "the load has succeeded")
  }

  func testLoadsThatEndBadlyOpenTheBreakerOnceEach() async throws {
    stub.on("/api/list", .failure(.connectionLost))
    let manager = makeManager(.still(["10.0.0.1", "10.0.0.2", "10.0.0.3"]))
    var policy = BreakerPolicy()
    policy.minimumAttempts = 2
    manager.service.breaker = policy
    manager.retryPolicy = RetryPolicy(attempts: 3)
    manager.retryPolicy.backoff = .constant(.zero)
    _ = await failure { try await manager.response() }
    XCTAssertEqual(asked.count, 3)
    XCTAssertEqual(sharedState.openBreakers, [], "three attempts, and one load")
    _ = await failure { try await manager.response() }
    XCTAssertEqual(sharedState.openBreakers, ["named.test:443"])
  }

  func testAnOutageThatAFallbackMendsIsStillOneForTheBreaker() async throws {
    stub.on("/api/list", .failure(.connectionRefused))
    let manager = makeManager(.still(["10.0.0.1", "10.0.0.2"]))
    var policy = BreakerPolicy()
    policy.minimumAttempts = 1
    manager.service.breaker = policy
    manager.service.onError = { _ in .swallow }
    _ = await failure { try await manager.response() }
    XCTAssertEqual(sharedState.openBreakers, ["named.test:443"])
  }

  func testIdenticalLoadsAreStillJoined() async throws {
    let manager = makeManager(.still(["10.0.0.1", "10.0.0.2"]))
    manager.joinsIdenticalFlights = true
    script("10.0.0.1", .failure(.connectionRefused))
    script("10.0.0.2", .json(someJSON))
    stub.hold()
    let recorder = Recorder()
    manager.delegate = recorder
    for _ in 0..<10 { manager.load() }
    await waitUntil { self.sharedState.joins.waiterCount == 10 }
    stub.release()
    await recorder.waitForLandings(10)
    XCTAssertEqual(recorder.responses.count, 10)
    XCTAssertEqual(asked, ["10.0.0.1", "10.0.0.2"])
  }

  func testABatchGoesPastAServerThatFails() async throws {
    script("10.0.0.1", .failure(.connectionRefused))
    script("10.0.0.2", .json(#"{"items": [{"id": 1}, {"id": 2}]}"#))
    let pool = HostPool.still(["10.0.0.1", "10.0.0.2"])
    let recorder = Recorder()
    let managers = (1...2).map { _ in
      let manager = makeManager(pool)
      manager.service.onBatchPlan = { _ in BatchPlan.byID("id", list: "homes", as: "ids", items: "items") }
      manager.delegate = recorder
      return manager
    }
    for (index, manager) in managers.enumerated() { manager.load(["id": index + 1]) }
    await waitUntil { self.sharedState.batches.waitingCount == 2 }
    await time.advanceOnceAsleep(by: .milliseconds(10))
    await recorder.waitForLandings(2)
    XCTAssertEqual(recorder.responses.count, 2)
    XCTAssertEqual(asked, ["10.0.0.1", "10.0.0.2"])
    XCTAssertEqual(Set(stub.requests.map(\.url.path)), ["/api/homes"])
  }

  func testTheAttemptsOfALoadAreSignedForEachServer() async throws {
    script("10.0.0.1", .failure(.connectionRefused))
    let manager = makeManager(.still(["10.0.0.1", "10.0.0.2"]))
    manager.service.signer = HMACSigner(key: SecretKey("secret"))
    _ = try await manager.response()
    let signatures = Set(stub.requests.map { $0.headers.fields.map(\.value) })
    XCTAssertEqual(signatures.count, 2, "a nonce is used once")
  }

  func testAnOriginGetsTheRequestAndTheCacheHasOneOrigin() async throws {
    let pool = HostPool.still([], origins: ["https://one.test", "https://two.test:8443"])
    let manager = makeManager(pool)
    manager.cachePolicy = .fresh()
    manager.service.store = ResponseCache()
    manager.headers = ["Authorization": "Bearer a"]
    stub.when({ $0.url.host == "one.test" }, .failure(.unknownHost))
    _ = try await manager.response()
    XCTAssertEqual(
      stub.requests.map(\.url.string), ["https://one.test/api/list", "https://two.test:8443/api/list"])
    XCTAssertEqual(stub.requests.last?.headers["Authorization"], "Bearer a")
    let again = try await manager.response()
    XCTAssertEqual(stub.requests.count, 2, "stored under the service's own origin")
    XCTAssertNotEqual(again.provenance, .network)
  }

  func testARedirectIsFollowedAtTheSameServerAndNotBegunAnewAtAnother() async throws {
    stub.on("/api/list", .redirect(to: "/api/other", status: 307))
    stub.on("/api/other", .failure(.connectionRefused))
    let manager = makeManager(.still(["10.0.0.1", "10.0.0.2"]))
    manager.method = .post
    let error = await failure { try await manager.response(["a": 1]) }
    XCTAssertEqual(error?.reason, .connectionRefused)
    XCTAssertEqual(asked, ["10.0.0.1", "10.0.0.1"], "the first request was sent: it is not sent again")
  }

  func testARedirectAwayLeavesTheServerAndOneBackReturnsToIt() async throws {
    stub.on("/api/list", .redirect(to: "https://other.test/away", status: 307))
    stub.on("/away", .redirect(to: "https://named.test/api/back", status: 307))
    _ = try await makeManager(.still(["10.0.0.1", "10.0.0.2"])).response()
    XCTAssertEqual(asked, ["10.0.0.1", "other.test", "10.0.0.1"])
    XCTAssertEqual(stub.requests.last?.url, "https://named.test/api/back")
  }

  func testATransportThatCannotChooseAddressesRefusesTheLoadByName() async throws {
    let weak = StubTransport(
      .json(someJSON), capabilities: TransportCapabilities.all.subtracting(.connectTo))
    let manager = makeManager(.still(["10.0.0.1"]), weak)
    let error = await failure { try await manager.response() }
    XCTAssertEqual(error?.reason, .unsupportedCapability)
    XCTAssertTrue(error?.detail.contains("connectTo") == true, error?.detail ?? "")
    let other = makeManager(.still([], origins: ["https://one.test"]), weak)
    _ = try await other.response()
    XCTAssertEqual(weak.requests.map(\.url.host), ["one.test"], "origins need no capability")
  }

  func testTheDeadlineIsOneForAllServers() async throws {
    script("10.0.0.1", .failure(.connectionRefused))
    let manager = makeManager(.still(["10.0.0.1", "10.0.0.2"]))
    manager.retryPolicy = RetryPolicy(attempts: 1, deadline: .seconds(5))
    stub.hold()
    async let failed = errorThrown { () throws(APIError) in try await manager.response() }
    try await stub.waitForRequests(1)
    time.advance(by: .seconds(6))
    stub.release()
    let error = try await failed
    XCTAssertEqual(asked, ["10.0.0.1"])
    XCTAssertTrue([.connectionRefused, .deadlineExceeded].contains(error.reason), error.description)
  }
}

/// Takes responses of 200 for genuine, and no others.
private struct GoodStatusVerifier: ResponseVerifier {
  func verify(
    _ response: HTTPResponse, to request: HTTPRequest, secondsSince1970: Int
  ) throws(SignatureFault) {
    guard response.status == 200 else { throw .missing("Signature") }
  }
}
