/// The state that loads share: requests that several loads wait for, the counts of request rates, and for each host its
/// limits, its circuit breaker and its budget for retries.
///
/// All managers use ``shared`` unless told otherwise. Give a manager one of its own to keep tenants apart,
/// or a test from the tests before it. Safe on any thread.
public final class SharedState: Sendable {
  /// The shared state of the process.
  public static let shared = SharedState()

  let joins = Joins()
  let resolutions = Resolutions()
  let batches = Batches()
  let hostLimiter = HostLimiter()
  let rateLimiter = RateLimiter()
  let breakers = Breakers()
  private let changes = Mutex(ChangeEpochs())
  private let budgets = Mutex(PrunedTable<HostKey, RetryBudget>())
  /// How many hosts have a budget that is not full; while it is zero a success has nothing to pay back.
  private let debtors = AtomicInt()
  var budgetCount: Int { debtors.load() }

  /// Makes an empty state.
  public init() {}

  /// The hosts and APIs whose circuit breaker is not closed, as `host:port` or `host:port Service METHOD api`.
  public var openBreakers: [String] { Set(breakers.open.map(\.description)).sorted() }

  /// Closes every circuit breaker and fills every budget for retries, e.g. when a user asks to try again.
  public func forgetFailures() {
    breakers.reset()
    budgets.withLock { $0 = PrunedTable() }
    debtors.store(0)
  }

  /// An attempt that waits gets a higher priority.
  func raise(_ flight: FlightID, to priority: FlightPriority) {
    hostLimiter.raise(flight, to: priority)
    rateLimiter.raise(flight, to: priority)
  }

  /// A server has acknowledged a change: loads from now on join no call of before.
  func changed(tags: Set<String>, urls: [HTTPURL]) {
    guard !tags.isEmpty || !urls.isEmpty else { return }
    changes.withLock { $0.advance(tags: tags, urls: urls) }
  }

  /// The number of the latest change of any of these.
  func latestChange(tags: Set<String>, url: HTTPURL) -> UInt64 {
    changes.withLock { $0.latest(tags: tags, url: url) }
  }

  /// Takes one retry from the host's budget. False when it is used up.
  func drawRetry(at host: HostKey, now: Duration) -> Bool {
    budgets.withLock { budgets in
      budgets.makeRoom(for: host) { $0.isFull(now: now) }
      let isDrawn = budgets[host, default: RetryBudget(now: now)].draw(now: now)
      debtors.store(budgets.values.count)
      return isDrawn
    }
  }

  /// The same for a retry that a transfer makes by itself, where its policy draws on the budget.
  package func drawRetry(at url: HTTPURL, by policy: RetryPolicy, now: Duration) -> Bool {
    !policy.drawsOnBudget || drawRetry(at: HostKey(url), now: now)
  }

  /// A load at the host has succeeded.
  func succeeded(at host: @autoclosure () -> HostKey, now: @autoclosure () -> Duration) {
    guard debtors.load() > 0 else { return }
    let (host, now) = (host(), now())
    budgets.withLock { budgets in
      guard budgets[host] != nil else { return }
      budgets[host]?.deposit(now: now)
      if budgets[host]?.isFull(now: now) == true { budgets[host] = nil }
      debtors.store(budgets.values.count)
    }
  }
}

/// A host as limits are kept for it: name and port.
struct HostKey: Hashable, Sendable, CustomStringConvertible {
  let host: String
  let port: Int

  init(_ url: HTTPURL) {
    host = url.host
    port = url.effectivePort ?? 0
  }

  var description: String { "\(host):\(port)" }
}
