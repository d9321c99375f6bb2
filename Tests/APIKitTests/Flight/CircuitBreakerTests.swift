import XCTest

@testable import APIKit

/// The circuit breaker alone: attempts ask, ends are reported, time comes with the events.
final class CircuitBreakerTests: XCTestCase {
  private var breaker = CircuitBreaker(policy: .standard, now: .zero)

  private func makeBreaker(_ change: (inout BreakerPolicy) -> Void = { _ in }) -> CircuitBreaker {
    var policy = BreakerPolicy()
    policy.minimumAttempts = 4
    policy.openInterval = .seconds(5)
    policy.maximumOpenInterval = .seconds(60)
    change(&policy)
    return CircuitBreaker(policy: policy, now: .zero)
  }

  /// Admits one attempt and ends it.
  @discardableResult
  private func fly(
    _ end: CircuitBreaker.Outcome, at now: Duration, file: StaticString = #filePath, line: UInt = #line
  ) -> CircuitBreaker.Change? {
    guard case .permit(let pass) = breaker.admit(now: now) else {
      XCTFail("it was not let through", file: file, line: line)
      return nil
    }
    return breaker.report(end, of: pass, now: now)
  }

  func testItOpensWhenHalfOfEnoughAttemptsFail() {
    breaker = makeBreaker()
    fly(.good, at: .seconds(1))
    fly(.bad, at: .seconds(1))
    fly(.good, at: .seconds(2))
    XCTAssertEqual(breaker.state, .closed)
    XCTAssertEqual(fly(.bad, at: .seconds(2)), .opened(for: .seconds(5)))
    XCTAssertEqual(breaker.admit(now: .seconds(3)), .refuse(retryIn: .seconds(4)))
  }

  func testTooFewAttemptsAndEndsThatSayNothingDoNotOpenIt() {
    breaker = makeBreaker()
    for _ in 0..<3 { fly(.bad, at: .zero) }
    for _ in 0..<100 { fly(.unknown, at: .zero) }
    XCTAssertEqual(breaker.state, .closed)
  }

  func testFailuresOutsideTheWindowAreForgotten() {
    breaker = makeBreaker()
    for _ in 0..<3 { fly(.bad, at: .zero) }
    fly(.bad, at: .seconds(31))
    XCTAssertEqual(breaker.state, .closed)
  }

  func testAProbeThatSucceedsClosesIt() throws {
    breaker = makeBreaker()
    for _ in 0..<4 { fly(.bad, at: .zero) }
    guard case .permit(let probe) = breaker.admit(now: .seconds(5)) else { return XCTFail("no probe") }
    XCTAssertEqual(breaker.admit(now: .seconds(5)), .refuse(retryIn: .zero), "one probe at a time")
    XCTAssertEqual(breaker.report(.good, of: probe, now: .seconds(6)), .closed)
    fly(.bad, at: .seconds(7))
    XCTAssertEqual(breaker.state, .closed, "it begins to count anew")
  }

  func testAProbeThatIsCancelledMakesPlaceForAnother() {
    breaker = makeBreaker()
    for _ in 0..<4 { fly(.bad, at: .zero) }
    fly(.unknown, at: .seconds(5))
    XCTAssertEqual(fly(.good, at: .seconds(5)), .closed)
  }

  func testSeveralProbesMustAllSucceed() {
    breaker = makeBreaker { $0.probes = 2 }
    for _ in 0..<4 { fly(.bad, at: .zero) }
    XCTAssertNil(fly(.good, at: .seconds(5)))
    XCTAssertEqual(breaker.state, .halfOpen(succeeded: 1))
    XCTAssertEqual(breaker.probes, [])
    XCTAssertEqual(fly(.good, at: .seconds(5)), .closed)
  }

  func testAFlappingServerIsLeftAloneForLongerEachTime() {
    breaker = makeBreaker()
    var now = Duration.zero
    var intervals: [Duration] = []
    for _ in 0..<6 {
      // Up for a probe, down for the loads after it.
      for _ in 0..<4 {
        if case .opened(let interval)? = fly(.bad, at: now) { intervals.append(interval) }
      }
      now += intervals.last ?? .zero
      fly(.good, at: now)
    }
    XCTAssertEqual(intervals, [5, 10, 20, 40, 60, 60].map { .seconds($0) })
    now += .seconds(61)
    for _ in 0..<3 { fly(.bad, at: now) }
    XCTAssertEqual(fly(.bad, at: now), .opened(for: .seconds(5)), "a quiet time makes it forget")
  }

  func testAFailedProbeOpensItAgainForLonger() {
    breaker = makeBreaker()
    for _ in 0..<4 { fly(.bad, at: .zero) }
    XCTAssertEqual(fly(.bad, at: .seconds(5)), .opened(for: .seconds(10)))
  }

  func testLateEndsOfAttemptsFromBeforeItOpenedDoNotCount() {
    breaker = makeBreaker()
    guard case .permit(let late) = breaker.admit(now: .zero) else { return XCTFail("closed") }
    for _ in 0..<4 { fly(.bad, at: .zero) }
    XCTAssertNil(breaker.report(.good, of: late, now: .seconds(1)))
    guard case .open = breaker.state else { return XCTFail("a late success has closed it") }
    guard case .permit = breaker.admit(now: .seconds(5)) else { return XCTFail("no probe") }
    XCTAssertNil(breaker.report(.bad, of: late, now: .seconds(5)))
    XCTAssertEqual(breaker.state, .halfOpen(succeeded: 0))
    XCTAssertEqual(breaker.probes.count, 1)
  }

  func testAPolicyWithoutProbesAndWithARatioThatIsNoneIsMadeOneThatHolds() {
    breaker = makeBreaker { $0.probes = 0 }
    for _ in 0..<4 { fly(.bad, at: .zero) }
    fly(.unknown, at: .seconds(5))
    XCTAssertEqual(fly(.good, at: .seconds(6)), .closed, "the probe that told nothing is followed by another")
    breaker = makeBreaker { $0.failureRatio = .nan }
    for _ in 0..<3 { fly(.bad, at: .zero) }
    XCTAssertEqual(fly(.bad, at: .zero), .opened(for: .seconds(5)), "the ratio before holds")
    breaker = makeBreaker { $0.failureRatio = -1 }
    XCTAssertEqual(breaker.policy.failureRatio, 0)
    breaker = makeBreaker { $0.failureRatio = 50 }
    for _ in 0..<3 { fly(.bad, at: .zero) }
    XCTAssertEqual(fly(.bad, at: .zero), .opened(for: .seconds(5)))
  }
}
