/// Who may send to one host now and who waits: a state machine without time, tasks or sockets.
///
/// Of those that wait, the one with the highest priority goes next, where every ``HostLimits/ageing`` of
/// waiting counts as one step. Within a priority whoever came first is also the oldest, so only the heads of
/// the lines have to be compared.
struct HostQueue {
  private struct Waiter {
    let flight: FlightID
    let since: Duration
  }

  private struct Line {
    var waiters: [Waiter] = []
    var head = 0
    var first: Waiter? { head < waiters.count ? waiters[head] : nil }

    mutating func removeFirst() {
      head += 1
      // The space of those who left is taken back in one go now and then.
      guard head > 64, head * 2 > waiters.count else { return }
      waiters.removeFirst(head)
      head = 0
    }
  }

  private(set) var flying = 0
  private var waiting: Set<FlightID> = []
  private var lines = [Line](repeating: Line(), count: FlightPriority.allCases.count)
  private var limits: HostLimits

  init(_ limits: HostLimits) { self.limits = limits }

  /// How many wait.
  var waitingCount: Int { waiting.count }
  /// Whether nobody flies or waits.
  var isIdle: Bool { flying == 0 && waiting.isEmpty }

  /// An attempt wants to fly, or else not to wait yet. True when it may at once.
  mutating func enterAtOnce(_ limits: HostLimits) -> Bool {
    self.limits = limits
    guard flying < limits.attemptsPerHost, waiting.isEmpty else { return false }
    flying += 1
    return true
  }

  /// An attempt wants to fly. True when it may at once; false when it has to wait.
  mutating func enter(
    _ flight: FlightID, _ priority: FlightPriority, _ limits: HostLimits, now: Duration
  ) -> Bool {
    if enterAtOnce(limits) { return true }
    waiting.insert(flight)
    lines[priority.rawValue].waiters.append(Waiter(flight: flight, since: now))
    return false
  }

  /// An attempt is over. Returns the one that may fly in its place.
  mutating func leave(now: Duration) -> FlightID? {
    flying -= 1
    guard flying < limits.attemptsPerHost, let next = takeNext(now: now) else { return nil }
    flying += 1
    return next
  }

  /// A waiting attempt is given up. False when it flies already.
  mutating func giveUp(_ flight: FlightID) -> Bool { waiting.remove(flight) != nil }

  private mutating func takeNext(now: Duration) -> FlightID? {
    var best: (line: Int, rank: Double, since: Duration)?
    for index in lines.indices {
      while let first = lines[index].first, !waiting.contains(first.flight) { lines[index].removeFirst() }
      guard let first = lines[index].first else { continue }
      let rank = Double(index) + max(.zero, now - first.since) / limits.ageing
      if let best, best.rank > rank || (best.rank == rank && best.since <= first.since) { continue }
      best = (index, rank, first.since)
    }
    guard let best, let first = lines[best.line].first else { return nil }
    lines[best.line].removeFirst()
    waiting.remove(first.flight)
    return first.flight
  }
}
