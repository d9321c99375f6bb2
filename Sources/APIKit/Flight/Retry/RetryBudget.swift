/// How many retries one host may still get from all flights together.
///
/// When a server is down, every load fails and every failure asks for a retry: without a common limit the
/// load on the server is multiplied just when it can bear least. Each retry takes one token; each success
/// gives back a tenth, and every second one; so in the long run retries stay a small part of the traffic.
struct RetryBudget {
  /// The most tokens there can be.
  static let capacity = 20.0
  /// Given back by a load that succeeds.
  static let perSuccess = 0.1
  /// Given back by each second.
  static let perSecond = 1.0

  private var tokens = capacity
  private var updated: Duration

  init(now: Duration) { updated = now }

  /// Whether nothing is missing.
  func isFull(now: Duration) -> Bool { level(now: now) >= Self.capacity }

  /// Takes one token. False when there is none.
  mutating func draw(now: Duration) -> Bool {
    refill(now: now)
    guard tokens >= 1 else { return false }
    tokens -= 1
    return true
  }

  /// A load has succeeded.
  mutating func deposit(now: Duration) {
    refill(now: now)
    tokens = min(Self.capacity, tokens + Self.perSuccess)
  }

  private func level(now: Duration) -> Double {
    min(Self.capacity, tokens + max(0, (now - updated) / .seconds(1)) * Self.perSecond)
  }

  private mutating func refill(now: Duration) {
    tokens = level(now: now)
    updated = max(updated, now)
  }
}
