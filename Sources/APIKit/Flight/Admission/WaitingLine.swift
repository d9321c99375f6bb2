/// Flights that wait in line: a state machine without time, tasks or sockets.
///
/// The one with the highest priority is next, where every `ageing` of waiting counts as one step. Within a priority
/// the one that came first is also the oldest, so only the heads of the lines have to be compared.
struct WaitingLine {
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

  private var waiting: Set<FlightID> = []
  private var lines = [Line](repeating: Line(), count: FlightPriority.allCases.count)

  /// How many wait.
  var count: Int { waiting.count }
  var isEmpty: Bool { waiting.isEmpty }

  mutating func append(_ flight: FlightID, _ priority: FlightPriority, now: Duration) {
    waiting.insert(flight)
    lines[priority.rawValue].waiters.append(Waiter(flight: flight, since: now))
  }

  /// A flight waits no longer. False when it does not wait.
  mutating func remove(_ flight: FlightID) -> Bool { waiting.remove(flight) != nil }

  /// Takes out the next.
  mutating func takeNext(ageing: Duration, now: Duration) -> FlightID? {
    var best: (line: Int, rank: Double, since: Duration)?
    for index in lines.indices {
      while let first = lines[index].first, !waiting.contains(first.flight) { lines[index].removeFirst() }
      guard let first = lines[index].first else { continue }
      let rank = Double(index) + max(.zero, now - first.since) / ageing
      if let best, best.rank > rank || (best.rank == rank && best.since <= first.since) { continue }
      best = (index, rank, first.since)
    }
    guard let best, let first = lines[best.line].first else { return nil }
    lines[best.line].removeFirst()
    waiting.remove(first.flight)
    return first.flight
  }
}
