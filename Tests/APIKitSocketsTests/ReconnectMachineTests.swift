import XCTest

@testable import APIKit
@testable import APIKitSockets

/// Whether another connection follows, and when.
final class ReconnectMachineTests: XCTestCase {
  private let refused = APIError(.transport, .connectionRefused)

  private func policy(_ attempts: Int = 3) -> ReconnectPolicy {
    var policy = ReconnectPolicy(attempts: attempts)
    policy.backoff = Backoff(initial: .seconds(1), maximum: .seconds(4))
    return policy
  }

  private func status(_ status: Int) -> APIError {
    var error = APIError(.response, .unacceptableStatus)
    error.context.status = status
    return error
  }

  func testWaitsDoubleWithFullJitterAndEndAtTheLimit() {
    var machine = ReconnectMachine(policy(4))
    let waits = (0..<5).map { _ in
      machine.ended(.failed(refused, retryAfter: nil), now: .zero, jitter: 0.5)
    }
    XCTAssertEqual(waits, [.milliseconds(500), .seconds(1), .seconds(2), .seconds(2), nil])
  }

  /// As one that is missing, for which the cycle waits.
  func testANetworkThatTheGateRefusesCountsAsNoAttempt() {
    var machine = ReconnectMachine(policy(2))
    let gate = APIError(.takeoff, .noNetwork)
    let unreachable = APIError(.transport, .noNetwork)
    let errors = [gate, gate, gate, gate, refused, gate, unreachable, gate, refused]
    let waits = errors.map { machine.ended(.failed($0, retryAfter: nil), now: .zero, jitter: 1) }
    XCTAssertEqual(waits, [1, 2, 4, 4, 4, 4, 4, 4].map { .seconds($0) } + [nil])
    XCTAssertEqual(machine.failures, 8)
    var never = ReconnectMachine(.never)
    XCTAssertNil(never.ended(.failed(gate, retryAfter: nil), now: .zero, jitter: 0))
  }

  func testTheCountBeginsAgainOnlyAfterAMinuteOpen() {
    var machine = ReconnectMachine(policy(2))
    for _ in 0..<2 {
      XCTAssertNotNil(
        machine.ended(.lost(openSince: .zero, codes: [.abnormal]), now: .seconds(59), jitter: 1))
    }
    XCTAssertNil(machine.ended(.lost(openSince: .zero, codes: [.abnormal]), now: .seconds(59), jitter: 1))
    XCTAssertEqual(
      machine.ended(.lost(openSince: .zero, codes: [.goingAway]), now: .seconds(60), jitter: 1),
      .seconds(1))
  }

  func testWhatWouldBeTheSameAgainIsNotTried() {
    for code: UInt16 in [1002, 1003, 1007, 1008, 1009, 1010] {
      var machine = ReconnectMachine(policy())
      XCTAssertNil(
        machine.ended(
          .lost(openSince: .zero, codes: [.abnormal, SocketCloseCode(rawValue: code)]), now: .zero,
          jitter: 0),
        "\(code)")
    }
    for code: UInt16 in [1000, 1001, 1005, 1006, 1011, 1012, 1013, 1014, 3000, 4999] {
      var machine = ReconnectMachine(policy())
      XCTAssertNotNil(

        machine.ended(
          .lost(openSince: .zero, codes: [SocketCloseCode(rawValue: code)]), now: .zero, jitter: 0),
        "\(code)")
    }
    for error in [
      status(401), status(403), status(404), status(410), status(200), status(426),
      APIError(.transport, .pinMismatch), APIError(.transport, .certificateExpired),
      APIError(.transport, .certificateUntrusted), APIError(.transport, .socketHandshakeFailed),
      APIError(.assembly, .misconfigured),
    ] {
      var machine = ReconnectMachine(policy())
      XCTAssertNil(machine.ended(.failed(error, retryAfter: nil), now: .zero, jitter: 0), error.label)
    }
    for error in [
      status(429), status(503), status(502), status(500), refused, APIError(.transport, .connectTimeout),
      APIError(.transport, .noNetwork),
    ] {
      var machine = ReconnectMachine(policy())
      XCTAssertNotNil(
        machine.ended(.failed(error, retryAfter: nil), now: .zero, jitter: 0), error.label)
    }
    var never = ReconnectMachine(.never)
    XCTAssertNil(never.ended(.failed(refused, retryAfter: nil), now: .zero, jitter: 0))
  }

  func testAfterARenewalThatHasFailedItsCauseCounts() {
    func isTried(_ cause: APIError?, _ table: RetryTable? = nil) -> Bool {
      var policy = policy()
      if let table { policy.table = table }
      var machine = ReconnectMachine(policy)
      let error = APIError(.auth, .refreshFailed, underlying: cause)
      return machine.ended(.failed(error, retryAfter: nil), now: .zero, jitter: 0) != nil
    }
    func said(_ reason: APIError.Reason, _ status: Int) -> APIError {
      var error = APIError(.auth, reason)
      error.context.status = status
      return error
    }
    for cause in [
      nil, refused, status(503), said(.temporarilyUnavailable, 400), said(.authorizationServerFailed, 500),
      said(.malformedOAuthResponse, 502),
    ] { XCTAssertTrue(isTried(cause), "\(cause?.description ?? "no cause")") }
    for cause in [
      status(403), said(.invalidGrant, 400), said(.malformedOAuthResponse, 200),
      APIError(.transport, .pinMismatch),
    ] { XCTAssertFalse(isTried(cause), cause.description) }
    var table = RetryTable.standard
    table[.refreshFailed] = .leave("the application says so")
    XCTAssertFalse(isTried(refused, table))
  }

  func testTheServersWaitCountsUpToALimit() {
    var machine = ReconnectMachine(policy())
    XCTAssertEqual(
      machine.ended(.failed(status(503), retryAfter: .seconds(90)), now: .zero, jitter: 0), .seconds(90)
    )
    XCTAssertNil(machine.ended(.failed(status(503), retryAfter: .seconds(301)), now: .zero, jitter: 0))
    XCTAssertEqual(

      machine.ended(.lost(openSince: .zero, codes: []), now: .zero, floor: .seconds(7), jitter: 0),
      .seconds(7))
  }

  func testAServerThatAsksForNoWaitIsNotAskedWithoutAPause() {
    var machine = ReconnectMachine(policy(4))
    let waits = (0..<4).map { _ in
      machine.ended(.failed(status(503), retryAfter: .zero), now: .zero, jitter: 0.5)
    }
    XCTAssertEqual(waits, [.milliseconds(500), .seconds(1), .seconds(2), .seconds(2)])
  }

  func testClientsThatAreAskedAlikeDoNotComeTogether() {
    let waits = [0, 0.25, 1].map { jitter in
      var machine = ReconnectMachine(policy())
      return machine.ended(.failed(status(503), retryAfter: .seconds(30)), now: .zero, jitter: jitter)
    }
    XCTAssertEqual(waits, [.seconds(30), .milliseconds(30_250), .seconds(31)])
    var machine = ReconnectMachine(policy())
    XCTAssertEqual(
      machine.ended(.lost(openSince: .zero, codes: []), now: .zero, floor: .seconds(7), jitter: 0.5),
      .milliseconds(7500))
  }
}
