/// When a slow load of an API gets a second attempt, and how many may: a state machine without time, tasks or sockets.
///
/// For each load that may have one, a twentieth of a token is paid in; a second attempt costs a token. So they are never
/// more than 5 % of the loads.
struct HedgeStore {
  /// An API of a service.
  struct HedgeKey: Hashable, Sendable {
    let service: String
    let method: String
    let api: String
  }

  private struct HedgeBudget {
    var times = LatencyWindow()
    var tokens = 0.0
  }

  static let share = 0.05
  /// A burst of second attempts is not longer.
  static let capacity = 5.0
  static let percentile = 95
  static let shortestDelay = Duration.milliseconds(50)
  /// A server that is overloaded gets no second attempts for so long.
  static let pause = Duration.seconds(10)
  /// An application has fewer APIs; names that are made up as it goes are not kept for ever.
  private static let mostBudgets = 256

  private var budgets: [HedgeKey: HedgeBudget] = [:]
  private var pausedUntil: Duration?

  /// How many APIs it keeps the times of.
  var count: Int { budgets.count }

  /// A load begins: when it is to get a second attempt; nil for never.
  mutating func begin(_ key: HedgeKey, now: Duration) -> Duration? {
    makeRoom(for: key)
    let tokens = min(Self.capacity, budgets[key, default: HedgeBudget()].tokens + Self.share)
    budgets[key, default: HedgeBudget()].tokens = tokens
    if let pausedUntil, now < pausedUntil { return nil }
    guard tokens >= 1, let slow = budgets[key]?.times.percentile(Self.percentile) else { return nil }
    return max(slow, Self.shortestDelay)
  }

  /// Takes the token of a second attempt; false when there is none.
  mutating func draw(_ key: HedgeKey, now: Duration) -> Bool {
    if let pausedUntil, now < pausedUntil { return false }
    guard let tokens = budgets[key]?.tokens, tokens >= 1 else { return false }
    budgets[key]?.tokens = tokens - 1
    return true
  }

  /// A load has its response, after so long; nil where that is not known.
  mutating func responded(_ key: HedgeKey, after time: Duration?, status: Int, now: Duration) {
    if Self.isOverload(status) { pause(now: now) }
    guard let time else { return }
    makeRoom(for: key)
    budgets[key, default: HedgeBudget()].times.add(time)
  }

  /// A server has too much to do: no second attempts for a while.
  mutating func pause(now: Duration) { pausedUntil = now + Self.pause }

  /// Whether a server says with this status that it has too much to do.
  static func isOverload(_ status: Int) -> Bool { status == 429 || status == 503 }

  private mutating func makeRoom(for key: HedgeKey) {
    if budgets.count >= Self.mostBudgets, budgets[key] == nil { budgets = [:] }
  }
}
