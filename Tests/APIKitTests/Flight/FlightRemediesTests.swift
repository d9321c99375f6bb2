import APIKitTesting
@testable import TestSupport
import XCTest

@testable import APIKit

/// What may mend a failure, one after another.
@MainActor final class FlightRemediesTests: XCTestCase {
  private let stub = StubTransport()
  private let renewals = Counter()

  private func makeManager(_ change: (inout TestService) -> Void) throws -> TestManager {
    var service = TestService(stub)
    let renewals = renewals
    let authenticator = Authenticator { _ in
      renewals.increment()
      return Credential(accessToken: "new \(renewals.value)", refreshToken: "r")
    }
    try authenticator.signIn(with: Credential(accessToken: "old", refreshToken: "r"))
    service.authenticator = authenticator
    change(&service)
    let manager = TestManager(service)
    manager.sharedState = SharedState()
    return manager
  }

  func testACredentialIsRenewedAgainOnceARetryHasIntervened() async throws {
    stub.on("/api/list", .status(401), .status(503), .status(401), .json(someJSON))
    let manager = try makeManager {
      $0.retryPolicy = RetryPolicy(attempts: 2)
      $0.retryPolicy.backoff = .constant(.zero)
    }
    _ = try await manager.response()
    XCTAssertEqual(
      stub.requests.map { $0.headers["Authorization"] },
      ["Bearer old", "Bearer new 1", "Bearer new 1", "Bearer new 2"])
    XCTAssertEqual(renewals.value, 2)
  }

  func testTheAttemptsOfTheRetryPolicyAreMadeAgainAfterAReplay() async throws {
    stub.on("/api/list", .status(503), .status(503), .status(503), .json(someJSON))
    let hooks = Counter()
    let manager = try makeManager {
      $0.signer = CountingSigner()
      $0.retryPolicy = RetryPolicy(attempts: 2)
      $0.retryPolicy.backoff = .constant(.zero)
      $0.onError = { _ in
        hooks.increment()
        return .replay
      }
    }
    _ = try await manager.response()
    XCTAssertEqual(stub.requests.map { $0.headers["X-Attempt"] }, ["1", "2", "1", "2"])
    XCTAssertEqual(hooks.value, 1)
  }

  func testTheClockIsSetRightBeforeACredentialIsGivenUp() async throws {
    let time = ManualTime()
    let date: HTTPHeaders = ["Date": HTTPDate.text(secondsSince1970: time.wallClock + 3600)]
    stub.on("/api/list", .status(401, headers: date), .status(401, headers: date), .json(someJSON))
    let manager = try makeManager {
      $0.signer = CountingSigner()
      $0.clock = ServerClock { time.wallClock }
    }
    manager.time = time
    _ = try await manager.response()
    XCTAssertEqual(
      stub.requests.map { $0.headers["Authorization"] }, ["Bearer old", "Bearer old", "Bearer new 1"])
  }

  func testWhatARemedyFailsWithIsWhatTheNextIsAskedAbout() async throws {
    stub.on("/api/list", .status(401))
    let asked = Record<APIError.Reason>()
    let authenticator = Authenticator { _ in throw APIError(.transport, .connectionLost) }
    try authenticator.signIn(with: Credential(accessToken: "old", refreshToken: "r"))
    let manager = try makeManager {
      $0.authenticator = authenticator
      $0.onError = { error in
        asked.add(error.reason)
        return .letThrough
      }
    }
    let error = try await errorThrown { () throws(APIError) in try await manager.response() }
    XCTAssertEqual(asked.all, [.refreshFailed])
    XCTAssertEqual(error.reason, .refreshFailed)
  }
}
