/// Decides after each failed attempt of one load whether it is sent again, when, and why: a state machine
/// without time, tasks or sockets.
///
/// A failure goes in, a verdict comes out; the step carries it out.
struct RetryMachine {
  /// The facts about one failure.
  struct Failure {
    var row: RetryTable.Row?
    /// The failure's name in the reason: `status 503`, `connection-lost`.
    var name: String
    /// The wait that the server asks for.
    var retryAfter: Duration?
    /// Why the request may not go again; nil when it may.
    var objection: ResendObjection?
  }

  enum Verdict: Equatable {
    case retry(after: Duration, because: String)
    case giveUp(because: String)
  }

  let policy: RetryPolicy
  /// When the last attempt must be over, on the clock that `now` is read from: that of the time for which the process runs.
  let due: Duration?
  /// The attempt under way, from 1.
  private(set) var attempt = 1

  /// The attempt under way has failed.
  ///
  /// - Parameters:
  ///   - now: The time.
  ///   - jitter: A random number from 0 to 1.
  ///   - draw: Draws one retry from the host's budget; called last and at most once, false when it is empty.
  mutating func failed(
    with failure: Failure, now: Duration, jitter: Double, draw: () -> Bool
  ) -> Verdict {
    guard let row = failure.row else { return .giveUp(because: "\(failure.name) is not in the retry table") }
    guard row.isOn else { return .giveUp(because: "\(failure.name): \(row.why)") }
    guard attempt < policy.attempts else {
      return .giveUp(because: "all \(policy.attempts) attempts are made")
    }
    if let objection = failure.objection { return .giveUp(because: objection.text) }

    var wait = policy.backoff.wait(before: attempt, jitter: jitter)
    var reason = "\(failure.name): \(row.why)"
    let asked = policy.honoursRetryAfter ? failure.retryAfter : nil
    if let asked {
      wait = asked
      reason = "\(failure.name): the server asked for \(asked.shortText)"
    }
    if let due, now + wait >= due {
      let left = max(.zero, due - now)
      return .giveUp(
        because: "\(reason); a wait of \(wait.shortText) ends after the deadline in \(left.shortText)")
    }
    if let asked, asked > policy.longestWait {
      return .giveUp(because: "\(reason); the policy's longest wait is \(policy.longestWait.shortText)")
    }
    guard !policy.drawsOnBudget || draw() else {
      return .giveUp(because: "\(failure.name): the host's budget for retries is used up")
    }
    attempt += 1
    return .retry(after: wait, because: reason)
  }
}
