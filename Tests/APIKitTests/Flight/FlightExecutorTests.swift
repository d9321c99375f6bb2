import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// An attempt's slot at its host is left once, however the attempt or the load ends.
@MainActor final class FlightExecutorTests: XCTestCase {
  private let stub = StubTransport()
  private let sharedState = SharedState()
  private let time = ManualTime()
  private let host = HostKey("https://homes.test/api")

  private func makeManager(
    _ transport: (any HTTPTransport)? = nil, _ change: (inout TestService) -> Void = { _ in }
  ) -> TestManager {
    var service = TestService(stub)
    if let transport { service.client = HTTPClient(transport: transport) }
    service.hostLimits = HostLimits(attemptsPerHost: 1)
    change(&service)
    let manager = TestManager(service)
    manager.sharedState = sharedState
    manager.time = time
    return manager
  }

  /// Of two further loads one flies, and the other has to wait: the place was left, and not twice.
  private func assertHostIsIdle(file: StaticString = #filePath, line: UInt = #line) async {
    let transport = HandTransport()
    let manager = makeManager(transport)
    manager.load()
    await waitUntil(file: file, line: line) { transport.starts.count == 1 }
    manager.load()
    await waitUntil(file: file, line: line) { self.sharedState.hostLimiter.waitingCount(at: self.host) == 1 }
    XCTAssertEqual(transport.starts.count, 1, "the place was left twice", file: file, line: line)
    manager.cancel()
    await waitUntil(file: file, line: line) { self.sharedState.hostLimiter.waitingCount(at: self.host) == 0 }
    transport.starts.first?.completion(.failure(APIError(.transport, .cancelled)))
  }

  func testItIsLeftByASuccessAndByEveryKindOfFailure() async throws {
    let responses: [StubResponse] = [
      .json(someJSON), .status(404), .status(503), .dropped, .failure(.totalTimeout), .json("{"),
      .bytes([1], contentType: "text/html"), .redirect(to: "ftp://homes.test/"),
    ]
    for response in responses {
      stub.reset()
      stub.on("/api/list", response)
      let landing = await Result.landing(of: makeManager())
      XCTAssertEqual(stub.requests.count, 1, "\(landing)")
      await assertHostIsIdle()
    }
  }

  func testItIsLeftWhereTheManagerRefusesTheResponse() async throws {
    stub.on("/api/list", .json(someJSON))
    let manager = makeManager()
    manager.onValidateResponse = { _ in throw ValidationError("no") }
    _ = try await errorThrown { () throws(APIError) in try await manager.response() }
    await assertHostIsIdle()
  }

  func testItIsLeftWhereTheCircuitBreakerOrTheSignerRefusesTheAttempt() async throws {
    struct Refusal: RequestSigner {
      func sign(_ request: inout HTTPRequest, _ subject: SigningSubject) throws(APIError) {
        throw APIError(.signing, .misconfigured)
      }
    }
    let unsigned = makeManager { $0.signer = Refusal() }
    let error = try await errorThrown { () throws(APIError) in try await unsigned.response() }
    XCTAssertEqual(error.stage, .signing)
    await assertHostIsIdle()

    stub.on("/api/list", .status(503))
    let broken = makeManager {
      $0.breaker = BreakerPolicy()
      $0.breaker?.minimumAttempts = 1
    }
    _ = try await errorThrown { () throws(APIError) in try await broken.response() }
    let refused = try await errorThrown { () throws(APIError) in try await broken.response() }
    XCTAssertEqual(refused.reason, .circuitOpen)
    await assertHostIsIdle()
  }

  func testItIsLeftByALoadThatIsCancelledWhileItWaitsForIt() async throws {
    let transport = HandTransport()
    let holder = makeManager(transport)
    let recorder = Recorder()
    holder.delegate = recorder
    holder.load()
    let waiting = makeManager()
    waiting.load()
    await waitUntil { self.sharedState.hostLimiter.waitingCount(at: self.host) == 1 }
    waiting.cancel()
    await waitUntil { self.sharedState.hostLimiter.waitingCount(at: self.host) == 0 }
    let complete = try XCTUnwrap(transport.starts.first).completion
    await Site.onTransport { complete(.success(.json())) }
    await recorder.waitForLandings()
    XCTAssertEqual(stub.requests.count, 0)
    await assertHostIsIdle()
  }

  func testItIsLeftByALoadThatIsCancelledInTheAirOnceItsExchangeHasEnded() async throws {
    let transport = HandTransport()
    let manager = makeManager(transport)
    manager.load()
    manager.cancel()
    let next = makeManager(transport)
    next.load()
    await waitUntil { self.sharedState.hostLimiter.waitingCount(at: self.host) == 1 }
    XCTAssertEqual(transport.starts.count, 1, "the exchange of the first is still on the wire")
    let first = try XCTUnwrap(transport.starts.first).completion
    await Site.onTransport { first(.failure(APIError(.transport, .cancelled))) }
    await waitUntil { transport.starts.count == 2 }
    next.cancel()
    let second = transport.starts[1].completion
    await Site.onTransport { second(.failure(APIError(.transport, .cancelled))) }
    await assertHostIsIdle()
  }

  func testItIsFreeWhileALoadWaitsForItsRetryAndAfterACancellationThen() async throws {
    stub.on("/api/list", .status(503))
    let manager = makeManager {
      $0.retryPolicy = RetryPolicy(attempts: 2)
      $0.retryPolicy.backoff = .constant(.seconds(10))
    }
    manager.load()
    await waitUntil { self.time.sleeperCount == 1 }
    await assertHostIsIdle()
    manager.cancel()
    await waitUntil { self.time.sleeperCount == 0 }
    await assertHostIsIdle()
  }

  func testItIsFreeWhileACredentialIsRenewedAndAfterACancellationThen() async throws {
    stub.on("/api/list", .status(401))
    let gate = StubGate()
    let authenticator = Authenticator { _ in
      _ = await gate.arrive()
      return Credential(accessToken: "new")
    }
    try authenticator.signIn(with: Credential(accessToken: "old", refreshToken: "r"))
    let manager = makeManager { $0.authenticator = authenticator }
    manager.load()
    await waitUntil { authenticator.waiterCount == 1 }
    await assertHostIsIdle()
    manager.cancel()
    await waitUntil { authenticator.waiterCount == 0 }
    await assertHostIsIdle()
    gate.open()
  }

  func testItIsFreeWhileTheErrorHookRunsAndAfterACancellationThen() async throws {
    stub.on("/api/list", .status(500))
    let gate = StubGate()
    let manager = makeManager {
      $0.onError = { _ in
        .suspend(for: "captcha") {
          _ = await gate.arrive()
          return .replay
        }
      }
    }
    manager.load()
    try await gate.waitForArrivals(1)
    await assertHostIsIdle()
    manager.cancel()
    await waitUntil { gate.waiting == 0 }
    await assertHostIsIdle()
    XCTAssertEqual(stub.requests.count, 1)
  }
}

extension Result<APIResponse, APIError> {
  /// How a load of the manager lands.
  @MainActor fileprivate static func landing(of manager: TestManager) async -> Self {
    do throws(APIError) { return .success(try await manager.response()) } catch { return .failure(error) }
  }
}
