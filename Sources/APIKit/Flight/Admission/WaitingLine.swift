/// Flights that wait in line: a state machine without time, tasks or sockets.
///
/// The one with the highest priority is next, where every `ageing` of waiting counts as one step. Within a priority
/// the one that came first is also the oldest, so only the heads of the lines have to be compared.
struct WaitingLine {
  /// For each priority, with the time since which they wait.
  private var lines = [FlightLine<Duration>](repeating: FlightLine(), count: FlightPriority.allCases.count)

  /// How many wait.
  var count: Int { lines.reduce(0) { $0 + $1.count } }
  var isEmpty: Bool { lines.allSatisfy(\.isEmpty) }

  mutating func append(_ flight: FlightID, _ priority: FlightPriority, now: Duration) {
    lines[priority.rawValue].append(flight, now)
  }

  /// A flight that waits gets a higher priority, as if it had had that from the beginning. False when it does not wait below
  /// it.
  mutating func raise(_ flight: FlightID, to priority: FlightPriority) -> Bool {
    for index in lines.indices.prefix(priority.rawValue) {
      guard let since = lines[index].note(of: flight) else { continue }
      lines[index].remove(flight)
      lines[priority.rawValue].insert(flight, since) { $0 <= since }
      return true
    }
    return false
  }

  /// A flight waits no longer. False when it does not wait.
  mutating func remove(_ flight: FlightID) -> Bool { lines.indices.contains { lines[$0].remove(flight) } }

  /// Takes out the next.
  mutating func takeNext(ageing: Duration, now: Duration) -> FlightID? {
    var best: (line: Int, rank: Double, since: Duration)?
    for index in lines.indices {
      guard let since = lines[index].first else { continue }
      let rank = Double(index) + max(.zero, now - since) / ageing
      if let best, best.rank > rank || (best.rank == rank && best.since <= since) { continue }
      best = (index, rank, since)
    }
    return best.flatMap { lines[$0.line].takeFirst() }
  }
}
