import XCTest

@testable import APIKit

/// The retry machine alone: failures in, verdicts out.
final class RetryMachineTests: XCTestCase {
  private func makeMachine(
    _ change: (inout RetryPolicy) -> Void = { _ in }, due: Duration? = nil
  ) -> RetryMachine {
    var policy = RetryPolicy(attempts: 3)
    policy.backoff = .constant(.seconds(1))
    change(&policy)
    return RetryMachine(policy: policy, due: due)
  }

  private func failure(_ status: Int, retryAfter: Duration? = nil) -> RetryMachine.Failure {
    .init(row: RetryTable.standard[status: status], name: "status \(status)", retryAfter: retryAfter)
  }

  private func failure(_ reason: APIError.Reason) -> RetryMachine.Failure {
    .init(row: RetryTable.standard[reason], name: reason.name, retryAfter: nil)
  }

  private func reason(_ verdict: RetryMachine.Verdict) -> String? {
    if case .giveUp(let reason) = verdict { reason } else { nil }
  }

  func testAnOverloadedServerIsAskedAgainUntilTheAttemptsAreUsedUp() {
    var machine = makeMachine()
    for attempt in 2...3 {
      let verdict = machine.failed(with: failure(503), now: .zero, jitter: 1) { true }
      XCTAssertEqual(
        verdict,
        .retry(after: .seconds(1), because: "status 503: the server is not available for a while"))
      XCTAssertEqual(machine.attempt, attempt)
    }
    let last = machine.failed(with: failure(503), now: .zero, jitter: 1) { true }
    XCTAssertEqual(last, .giveUp(because: "all 3 attempts are made"))
  }

  func testWhatIsNotInTheTableOrOffIsNotRetried() {
    var machine = makeMachine()
    XCTAssertEqual(
      reason(machine.failed(with: failure(404), now: .zero, jitter: 1) { true }),
      "status 404 is not in the retry table")
    XCTAssertEqual(
      reason(machine.failed(with: failure(501), now: .zero, jitter: 1) { true }),
      "status 501: the server does not know the method, and will not next time")
    XCTAssertEqual(machine.attempt, 1)
  }

  func testARequestThatMayNotGoAgainIsNotRetriedAndTheReasonIsTold() {
    var machine = makeMachine()
    for objection in [ResendObjection.mayHaveActed, .bodyIsUsedUp] {
      var failure = failure(.connectionRefused)
      failure.objection = objection
      let verdict = machine.failed(with: failure, now: .zero, jitter: 1) {
        XCTFail("drawn for a load that is not retried")
        return true
      }
      XCTAssertEqual(reason(verdict), objection.text)
    }
    XCTAssertEqual(
      ResendObjection.mayHaveActed.text, "the method is not idempotent and no idempotency key is sent")
  }

  func testRetryAfterTakesThePlaceOfTheBackoffUnlessSwitchedOff() {
    var machine = makeMachine()
    XCTAssertEqual(
      machine.failed(with: failure(429, retryAfter: .seconds(7)), now: .zero, jitter: 1) { true },
      .retry(after: .seconds(7), because: "status 429: the server asked for 7 s"))
    var deaf = makeMachine { $0.honoursRetryAfter = false }
    XCTAssertEqual(
      deaf.failed(with: failure(429, retryAfter: .seconds(7)), now: .zero, jitter: 1) { true },
      .retry(after: .seconds(1), because: "status 429: too many requests for now"))
  }

  func testAWaitThatEndsAfterTheDeadlineIsNotBegun() {
    var machine = makeMachine(due: .seconds(5))
    let hour = machine.failed(with: failure(503, retryAfter: .seconds(3600)), now: .seconds(1), jitter: 1) {
      true
    }
    XCTAssertEqual(
      reason(hour),
      "status 503: the server asked for 1 h; a wait of 1 h ends after the deadline in 4 s")
    guard case .retry = machine.failed(with: failure(503), now: .seconds(3), jitter: 1, draw: { true }) else {
      return XCTFail("a second is left")
    }
    XCTAssertNotNil(reason(machine.failed(with: failure(503), now: .seconds(4), jitter: 1) { true }))
  }

  func testAServerThatAsksForMoreThanTheLongestWaitIsNotWaitedFor() {
    var machine = makeMachine()
    XCTAssertEqual(
      reason(machine.failed(with: failure(503, retryAfter: .seconds(3600)), now: .zero, jitter: 1) { true }),
      "status 503: the server asked for 1 h; the policy's longest wait is 60 s")
    guard
      case .retry(.seconds(60), _) = machine.failed(
        with: failure(503, retryAfter: .seconds(60)), now: .zero, jitter: 1, draw: { true })
    else { return XCTFail("a minute is not too long") }
  }

  func testAnEmptyBudgetEndsItAndIsDrawnLast() {
    var machine = makeMachine()
    XCTAssertEqual(
      reason(machine.failed(with: failure(503), now: .zero, jitter: 1) { false }),
      "status 503: the host's budget for retries is used up")
    var rich = makeMachine { $0.drawsOnBudget = false }
    guard case .retry = rich.failed(with: failure(503), now: .zero, jitter: 1, draw: { false }) else {
      return XCTFail("it does not draw")
    }
  }

  func testEveryRowOfTheStandardTableHasItsReason() {
    let table = RetryTable.standard
    let rows = (100..<600).compactMap { table[status: $0] }
    XCTAssertEqual(rows.filter(\.isOn).count, 7)
    XCTAssertTrue(rows.allSatisfy { !$0.why.isEmpty && !$0.provesNothingSent })
    XCTAssertEqual(table[.pinMismatch]?.isOn, false)
    XCTAssertEqual(table[.connectTimeout]?.isOn, true)
  }
}

final class RetryBudgetTests: XCTestCase {
  func testAStormIsCutOffAndTheBudgetComesBackWithTimeAndSuccess() {
    var budget = RetryBudget(now: .zero)
    let granted = (0..<1000).filter { _ in budget.draw(now: .zero) }.count
    XCTAssertEqual(granted, 20)
    XCTAssertFalse(budget.draw(now: .milliseconds(900)))
    XCTAssertTrue(budget.draw(now: .milliseconds(1900)))
    for _ in 0..<11 { budget.deposit(now: .milliseconds(1900)) }
    XCTAssertTrue(budget.draw(now: .milliseconds(1900)))
    XCTAssertFalse(budget.isFull(now: .seconds(2)))
    XCTAssertTrue(budget.isFull(now: .seconds(60)))
  }

  func testAClockThatGoesBackTakesNothingAway() {
    var budget = RetryBudget(now: .seconds(100))
    XCTAssertTrue(budget.draw(now: .seconds(50)))
    XCTAssertTrue(budget.draw(now: .seconds(100)))
    XCTAssertTrue(budget.isFull(now: .seconds(102)))
  }
}

final class RetryAfterTests: XCTestCase {
  private let now = 1_767_225_600.0

  private func wait(_ value: String, date: String? = nil) -> Duration? {
    var headers: HTTPHeaders = ["Retry-After": value]
    if let date { headers["Date"] = date }
    return RetryAfter.wait(in: headers, now: now)
  }

  func testSecondsAndDatesAreRead() {
    XCTAssertEqual(wait("120"), .seconds(120))
    XCTAssertEqual(wait(" 0 "), .zero)
    XCTAssertEqual(wait("Thu, 01 Jan 2026 00:01:00 GMT"), .seconds(60))
    XCTAssertEqual(wait("Wed, 31 Dec 2025 23:00:00 GMT"), .zero)
  }

  func testADateIsCountedFromTheServersOwnClock() {
    XCTAssertEqual(
      wait("Thu, 01 Jan 2032 00:01:00 GMT", date: "Thu, 01 Jan 2032 00:00:30 GMT"), .seconds(30))
  }

  func testWhatIsLeftOfASecondIsWaitedForToo() {
    let headers: HTTPHeaders = ["Retry-After": "Thu, 01 Jan 2026 00:01:00 GMT"]
    XCTAssertEqual(RetryAfter.wait(in: headers, now: now + 59.25), .seconds(1))
    XCTAssertEqual(RetryAfter.wait(in: headers, now: now + 60), .zero)
    XCTAssertEqual(RetryAfter.wait(in: headers, now: now + 60.5), .zero)
  }

  func testNonsenseIsNoWait() {
    for value in ["", "-5", "1.5", "soon", "12 s"] { XCTAssertNil(wait(value), value) }
    XCTAssertEqual(wait("99999999999999999999999999"), .seconds(315_360_000))
    XCTAssertNil(RetryAfter.wait(in: [:], now: now))
  }
}
