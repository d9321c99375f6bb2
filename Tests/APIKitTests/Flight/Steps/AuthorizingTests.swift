import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// The credential that an attempt goes with.
@MainActor final class AuthorizingTests: XCTestCase {
  private let stub = StubTransport(.json(someJSON))
  private let time = ManualTime()
  private let authenticator = Authenticator()

  private func makeManager(_ rule: SignInRule = .asAvailable) -> TestManager {
    let manager = TestManager(stub)
    manager.service.authenticator = authenticator
    manager.signIn = rule
    manager.sharedState = SharedState()
    manager.time = time
    return manager
  }

  func testALoadCarriesTheCredentialUnlessItIsExempt() async throws {
    try authenticator.signIn(with: Credential(accessToken: "ann"))
    for rule in [SignInRule.asAvailable, .required, .exempt] { _ = try await makeManager(rule).response() }
    XCTAssertEqual(stub.requests.map { $0.headers["Authorization"] }, ["Bearer ann", "Bearer ann", nil])
  }

  func testWithoutAUserALoadThatNeedsNoneGoesAsItIs() async throws {
    _ = try await makeManager().response()
    XCTAssertEqual(stub.requests.map { $0.headers["Authorization"] }, [nil])
  }

  func testALoadThatWaitsForASignInTakesNoPlaceAtTheHost() async throws {
    let waiting = makeManager(.required)
    waiting.service.hostLimits = HostLimits(attemptsPerHost: 1)
    let recorder = Recorder()
    waiting.delegate = recorder
    waiting.load()
    await waitUntil { self.authenticator.waiterCount == 1 }
    let other = makeManager(.exempt)
    other.service.hostLimits = HostLimits(attemptsPerHost: 1)
    other.sharedState = waiting.sharedState
    _ = try await other.response()
    XCTAssertEqual(stub.requests.count, 1)
    try authenticator.signIn(with: Credential(accessToken: "ann"))
    await recorder.waitForLandings()
    XCTAssertEqual(stub.requests.map { $0.headers["Authorization"] }, [nil, "Bearer ann"])
  }

  func testARetryGoesWithTheCredentialOfItsOwnTime() async throws {
    stub.on("/api/list", .status(503), .json(someJSON))
    try authenticator.signIn(with: Credential(accessToken: "ann", notes: ["user": "7"]))
    let manager = makeManager()
    manager.retryPolicy = RetryPolicy(attempts: 2)
    manager.retryPolicy.backoff = .constant(.seconds(10))
    async let response = manager.response()
    await waitUntil { self.time.sleeperCount == 1 }
    try authenticator.signIn(with: Credential(accessToken: "ann, later", notes: ["user": "7"]))
    await time.advanceOnceAsleep(by: .seconds(10))
    _ = try await response
    XCTAssertEqual(stub.requests.map { $0.headers["Authorization"] }, ["Bearer ann", "Bearer ann, later"])
  }

  func testALoadThatIsCancelledBeforeItWaitsLeavesTheRenewalToTheOthers() async throws {
    stub.on("/api/list", .status(500), .json(someJSON))
    let authenticator = Authenticator(
      store: MemoryCredentialStore(), rules: .init(),
      renewal: { _ in Credential(accessToken: "new", refreshToken: "r") }, signIn: nil, time: time)
    try authenticator.signIn(
      with: Credential(accessToken: "old", refreshToken: "r", expiresAt: time.wallClock + 100))
    let (asked, isCancelled, hasAnswered) = (Counter(), Counter(), Counter())
    let manager = makeManager()
    manager.service.authenticator = authenticator
    // A hook that does not look for a cancellation.
    manager.service.onError = { _ in
      asked.increment()
      await waitUntil { isCancelled.value > 0 }
      hasAnswered.increment()
      return .replay
    }
    manager.load()
    await waitUntil { asked.value == 1 }
    time.advance(by: .seconds(200))
    manager.cancel()
    isCancelled.increment()
    await waitUntil { hasAnswered.value == 1 }
    // It goes on up to where it would wait, and ends there.
    try await Task.sleep(for: .milliseconds(20))
    let other = makeManager()
    other.service.authenticator = authenticator
    let recorder = Recorder()
    other.delegate = recorder
    other.load()
    await waitUntil { recorder.landingCount == 1 }
    other.cancel()
    XCTAssertEqual(stub.requests.map { $0.headers["Authorization"] }, ["Bearer old", "Bearer new"])
  }
}
