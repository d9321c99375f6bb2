/// One circuit breaker: a state machine without time, tasks or sockets.
///
/// Attempts ask for a permit and report how they ended; the time comes with each event.
///
/// Legal moves: closed → open (too many failures), open → half-open (its interval is over), half-open →
/// closed (enough probes succeeded), half-open → open (a probe failed).
struct CircuitBreaker {
  enum BreakerState: Equatable {
    case closed
    case open(until: Duration)
    /// With how many probes came back well.
    case halfOpen(succeeded: Int)
  }

  /// The permission of one attempt; its end is reported with it.
  struct Permit: Hashable {
    /// Permits of an earlier state no longer count.
    fileprivate let era: Int
    /// Tells probes apart, each of which is reported once.
    fileprivate let number: Int
  }

  enum Admission: Equatable {
    case permit(Permit)
    /// Not now; when it may be tried again.
    case refuse(retryIn: Duration)
  }

  enum Outcome {
    case good
    case bad
    /// No statement about the server: cancelled, or never sent.
    case unknown
  }

  enum Change: Equatable {
    case opened(for: Duration)
    case closed
  }

  private struct Bucket {
    var index: Int
    var good = 0
    var bad = 0
  }

  private static let bucketCount = 10

  let policy: BreakerPolicy
  private(set) var state = BreakerState.closed
  private var era = 0
  private var lastNumber = 0
  /// The probes in the air, where it is half open.
  private(set) var probes: Set<Permit> = []
  private var buckets: [Bucket] = []
  /// How many times in a row it opened without a quiet time between.
  private var openings = 0
  private var closedSince: Duration

  init(policy: BreakerPolicy, now: Duration) {
    self.policy = policy
    closedSince = now
  }

  /// Whether an attempt may be made.
  ///
  /// - Parameter held: The permit of an attempt before of the same load, whose end was not reported. It is still good while
  ///   the state is the one that it was given in: a load is one probe, however many attempts it makes.
  mutating func admit(now: Duration, holding held: Permit? = nil) -> Admission {
    if let held, held.era == era { return .permit(held) }
    switch state {
    case .closed: return .permit(Permit(era: era, number: 0))
    case .open(let until):
      guard now >= until else { return .refuse(retryIn: until - now) }
      state = .halfOpen(succeeded: 0)
      era += 1
      probes = []
      return .permit(probe())
    case .halfOpen(let succeeded):
      guard probes.count + succeeded < policy.probes else { return .refuse(retryIn: .zero) }
      return .permit(probe())
    }
  }

  private mutating func probe() -> Permit {
    lastNumber += 1
    let permit = Permit(era: era, number: lastNumber)
    probes.insert(permit)
    return permit
  }

  /// How an attempt that was let through has ended.
  mutating func report(_ end: Outcome, of permit: Permit, now: Duration) -> Change? {
    guard permit.era == era else { return nil }
    switch state {
    case .open: return nil
    case .closed:
      count(end, now: now)
      return end == .bad && isTripped ? open(now: now) : nil
    case .halfOpen(let succeeded):
      guard probes.remove(permit) != nil else { return nil }
      switch end {
      case .unknown: return nil
      case .bad: return open(now: now)
      case .good:
        guard succeeded + 1 >= policy.probes else {
          state = .halfOpen(succeeded: succeeded + 1)
          return nil
        }
        return close(now: now)
      }
    }
  }

  /// Whether a new breaker would say the same: nothing is counted any more, or it has been open for so long that what made it
  /// open is past.
  func isIdle(now: Duration) -> Bool {
    switch state {
    case .closed:
      now - closedSince > policy.maximumOpenInterval
        && buckets.allSatisfy { $0.index <= bucketIndex(now) - Self.bucketCount }
    case .open(let until): now - until > max(policy.maximumOpenInterval, policy.window)
    case .halfOpen: false
    }
  }

  private mutating func open(now: Duration) -> Change {
    // A breaker that opens again soon after it closed is up against a server that comes and goes.
    let wasQuiet = state == .closed && now - closedSince > policy.maximumOpenInterval
    openings = wasQuiet ? 1 : openings + 1
    let interval = Backoff(initial: policy.openInterval, maximum: policy.maximumOpenInterval)
      .wait(before: openings, jitter: 1)
    state = .open(until: now + interval)
    era += 1
    buckets = []
    return .opened(for: interval)
  }

  private mutating func close(now: Duration) -> Change {
    state = .closed
    era += 1
    closedSince = now
    buckets = []
    return .closed
  }

  private mutating func count(_ end: Outcome, now: Duration) {
    guard end != .unknown else { return }
    let index = bucketIndex(now)
    if buckets.last?.index != index {
      buckets.removeAll { $0.index <= index - Self.bucketCount }
      buckets.append(Bucket(index: index))
    }
    if end == .good { buckets[buckets.count - 1].good += 1 } else { buckets[buckets.count - 1].bad += 1 }
  }

  private func bucketIndex(_ now: Duration) -> Int {
    Int(now / max(policy.window / Self.bucketCount, .nanoseconds(1)))
  }

  private var isTripped: Bool {
    let bad = buckets.reduce(0) { $0 + $1.bad }
    let all = buckets.reduce(bad) { $0 + $1.good }
    return all >= policy.minimumAttempts && Double(bad) >= Double(all) * policy.failureRatio
  }
}
