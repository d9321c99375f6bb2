/// The servers of one pool, what is known of each, and which is next: a state machine without time, tasks or sockets.
struct ServerSelector {
  struct Candidate {
    let host: PooledHost
    var health = HostHealth()
    var cost = HostCost()
    /// When it last responded, or let a connection stand.
    var responded: Duration?
    /// Until when it has asked to be left alone (`Retry-After`); it is used where no other server is good.
    var quietUntil = Duration.zero

    func isGood(_ now: Duration) -> Bool { quietUntil <= now && health.standing(now: now) == .good }
  }

  /// Why a server was chosen.
  enum Reason: Equatable, Sendable {
    /// There is no other.
    case only
    /// The first of the list; nothing is measured yet.
    case first
    /// It connects fastest, of so many.
    case fastest(Duration, of: Int)
    /// It is in use, and no other is so much faster that going over is worth it.
    case kept
    /// Its rest is over, and it is asked once.
    case probe
    /// Every server is aside, so all are used.
    case allAside
    /// The first that a race of so many has connected to.
    case wonRace(of: Int, in: Duration)
    /// Another one failed in this load.
    case afterFailure
    /// A second attempt beside one that is slow.
    case hedge
  }

  struct Choice: Equatable {
    let host: PooledHost
    let reason: Reason
    /// The others that would do, best first.
    let others: [PooledHost]
    /// Whether it responded a moment ago, so that it needs not be raced.
    let isFresh: Bool
    /// How long it takes to connect; nil where that is not known, or there is no other.
    let cost: Duration?
  }

  enum Outcome: Equatable {
    /// It has responded.
    case good
    case bad
    /// Its certificate is not accepted, or it says that it is not the server that is asked for.
    case wrong
    /// No statement about the server: cancelled.
    case unknown
  }

  /// For so long after a response a server is asked without a race.
  static let freshness = Duration.seconds(10)

  private(set) var candidates: [Candidate] = []
  private(set) var favourite: PooledHost?

  /// The seed of the list's order; nil for the order as given.
  private let seed: UInt64?

  init(_ hosts: [PooledHost] = [], seed: UInt64? = nil) {
    self.seed = seed
    replace(hosts)
  }

  var hosts: [PooledHost] { candidates.map(\.host) }

  /// A new list: what is known of the servers that stay is kept.
  mutating func replace(_ hosts: [PooledHost]) {
    var seen = Set<PooledHost>()
    let known = Dictionary(uniqueKeysWithValues: candidates.map { ($0.host, $0) })
    candidates = drawn(hosts).filter { seen.insert($0).inserted }.map { known[$0] ?? Candidate(host: $0) }
    if let favourite, !seen.contains(favourite) { self.favourite = nil }
  }

  /// The servers in the order of this selector: a server's place does not depend on which others there are.
  private func drawn(_ hosts: [PooledHost]) -> [PooledHost] {
    guard let seed else { return hosts }
    return hosts.map { host in
      var hasher = Hasher()
      hasher.combine(seed)
      hasher.combine(host)
      return (host, hasher.finalize())
    }.sorted { $0.1 < $1.1 }.map(\.0)
  }

  /// The network is another one: what was measured and who responded is forgotten, but not who asked to be left alone.
  mutating func forget() {
    candidates = candidates.map { Candidate(host: $0.host, quietUntil: $0.quietUntil) }
    favourite = nil
  }

  /// The server for an attempt.
  ///
  /// - Parameters:
  ///   - tried: Those that have failed in the load already.
  ///   - now: The time; not asked for where there is one server.
  ///   - probes: Whether a load is used to ask a server whose rest is over; not where measuring does it.
  /// - Returns: Nil when all were tried.
  mutating func choose(
    except tried: [PooledHost] = [], now: @autoclosure () -> Duration,
    probes: @autoclosure () -> Bool = false
  ) -> Choice? {
    if candidates.count == 1, !tried.contains(candidates[0].host) {
      // Nothing is compared, so that a pool of one costs next to nothing.
      return Choice(host: candidates[0].host, reason: .only, others: [], isFresh: true, cost: nil)
    }
    let now = now()
    let left = candidates.filter { !tried.contains($0.host) }
    guard !left.isEmpty else { return nil }
    let open = left.filter { $0.health.state == .open }
    if !open.isEmpty, let due = left.first(where: { $0.health.standing(now: now) == .due }), probes() {
      mutate(due.host) { $0.health.probe(now: now) }
      return Self.choice(due, .probe, from: open, now: now)
    }
    let good = open.filter { $0.isGood(now) }
    let ranked =
      Self.ranked(good) + Self.ranked(open.filter { !$0.isGood(now) && $0.quietUntil <= now })
      + open.filter { $0.quietUntil > now }.sorted { $0.quietUntil < $1.quietUntil }
    guard let best = ranked.first else {
      // All that are left are put aside: they are all used, and the first that responds is back.
      let all = Self.ranked(left)
      return Self.choice(all[0], .allAside, from: all, now: now)
    }
    guard tried.isEmpty else {
      // In the place of the one that was in use it stays, unless leaving it is worth it.
      if let favourite, tried.contains(favourite) { take(best.host) }
      return Self.choice(best, .afterFailure, from: ranked, now: now)
    }
    if let current = good.first(where: { $0.host == favourite }), current.host != best.host,
      !current.cost.isWorthLeaving(for: best.cost)
    {
      return Self.choice(current, .kept, from: ranked, now: now)
    }
    if favourite != best.host { take(best.host) }
    let measured = candidates.count { $0.cost.value != nil }
    return Self.choice(
      best, best.cost.value.map { .fastest($0, of: measured) } ?? .first, from: ranked, now: now)
  }

  /// Another server in good health, for a second attempt beside one at `host`; nil where there is none.
  func alternative(to host: PooledHost, except tried: [PooledHost], now: Duration) -> PooledHost? {
    Self.ranked(
      candidates.filter { candidate in
        candidate.host != host && !tried.contains(candidate.host) && candidate.isGood(now)
      }
    ).first?.host
  }

  /// A server asks to be left alone for so long, at most for the longest rest.
  mutating func leave(_ host: PooledHost, for time: Duration, now: Duration) {
    mutate(host) { $0.quietUntil = max($0.quietUntil, now + min(time, HostHealth.longestRest)) }
  }

  /// How long all servers ask to be left alone, where none that was not tried is good; nil where one is, and where one does
  /// not ask for it.
  func quiet(except tried: [PooledHost], now: Duration) -> Duration? {
    if candidates.contains(where: { !tried.contains($0.host) && $0.isGood(now) }) { return nil }
    return candidates.map { $0.quietUntil - now }.min().flatMap { $0 > .zero ? $0 : nil }
  }

  /// A server is used from now on: it has won a race.
  mutating func take(_ host: PooledHost) { favourite = host }

  mutating func report(_ outcome: Outcome, of host: PooledHost, now: Duration) {
    mutate(host) { candidate in
      switch outcome {
      case .good:
        candidate.health.succeeded(now: now)
        candidate.responded = now
      case .bad:
        candidate.health.failed(now: now)
        candidate.responded = nil
      case .wrong:
        candidate.health.putAside(now: now)
        candidate.responded = nil
      case .unknown: candidate.health.leftProbe(now: now)
      }
    }
  }

  /// A connection was made ahead, and nothing was asked: the failures of loads are not forgotten for it, but a rest is
  /// over.
  mutating func connected(to host: PooledHost, in time: Duration?, now: Duration) {
    mutate(host) { candidate in
      if candidate.health.state != .open { candidate.health.succeeded(now: now) }
      candidate.responded = now
      if let time { candidate.cost.add(time, now: now) }
    }
  }

  /// Takes the time of a connection.
  mutating func measured(_ time: Duration, of host: PooledHost, now: Duration) {
    mutate(host) { $0.cost.add(time, now: now) }
  }

  /// The servers that a round of measuring asks: all but those at rest. The rest of those that are due ends with it.
  mutating func beginRound(now: Duration) -> [PooledHost] {
    candidates.indices.compactMap { index in
      guard candidates[index].health.standing(now: now) != .aside else { return nil }
      candidates[index].health.probe(now: now)
      return candidates[index].host
    }
  }

  // MARK: Insides

  private mutating func mutate(_ host: PooledHost, _ change: (inout Candidate) -> Void) {
    guard let index = candidates.firstIndex(where: { $0.host == host }) else { return }
    change(&candidates[index])
  }

  private static func choice(
    _ candidate: Candidate, _ reason: Reason, from ranked: [Candidate], now: Duration
  ) -> Choice {
    Choice(
      host: candidate.host, reason: reason, others: ranked.map(\.host).filter { $0 != candidate.host },
      isFresh: candidate.responded.map { now - $0 < freshness } ?? false, cost: candidate.cost.value)
  }

  /// The measured ones by their time, then the others; where equal, as listed.
  private static func ranked(_ candidates: [Candidate]) -> [Candidate] {
    candidates.enumerated().sorted { left, right in
      let (a, b) = (
        left.element.cost.value ?? .seconds(1 << 20), right.element.cost.value ?? .seconds(1 << 20)
      )
      return a == b ? left.offset < right.offset : a < b
    }.map(\.element)
  }
}
