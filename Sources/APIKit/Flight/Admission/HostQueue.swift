/// The attempts at one host that are under way and those that wait: a state machine without time, tasks or sockets.
///
/// Services that load from one host may state different limits. The smallest holds of those whose attempts are under way or
/// wait; the latest statement of each counts.
struct HostQueue {
  private struct Statement {
    let service: String
    var limits: HostLimits
    /// How many attempts of the service are under way or wait. Zero is kept where no other service is there.
    var uses = 1
  }

  private(set) var flying = 0
  private var line = WaitingLine()
  private var statements: [Statement] = []
  /// Those that hold.
  private var limits: HostLimits

  init(_ limits: HostLimits) { self.limits = limits }

  /// How many wait.
  var waitingCount: Int { line.count }
  /// Whether no load flies or waits.
  var isIdle: Bool { flying == 0 && line.isEmpty }

  /// An attempt wants to fly, or else not to wait yet. True when it may at once.
  mutating func enterAtOnce(_ limits: HostLimits, of service: String) -> Bool {
    use(limits, of: service)
    guard flying < self.limits.attemptsPerHost, line.isEmpty else {
      endUse(of: service)
      return false
    }
    flying += 1
    return true
  }

  /// An attempt wants to fly. True when it may at once; false when it has to wait.
  mutating func enter(
    _ flight: FlightID, _ priority: FlightPriority, limits: HostLimits, of service: String, now: Duration
  ) -> Bool {
    if enterAtOnce(limits, of: service) { return true }
    use(limits, of: service)
    line.append(flight, priority, now: now)
    return false
  }

  /// An attempt is over. Returns the one that may fly in its place.
  mutating func leave(_ service: String, now: Duration) -> FlightID? {
    flying -= 1
    endUse(of: service)
    return callUp(now: now)
  }

  /// The next that may fly; several, one after the other, where the limit was raised.
  mutating func callUp(now: Duration) -> FlightID? {
    guard flying < limits.attemptsPerHost, let next = line.takeNext(ageing: limits.ageing, now: now) else {
      return nil
    }
    flying += 1
    return next
  }

  /// The priority of a waiting attempt rises. False when it does not wait here, or not below it.
  mutating func raise(_ flight: FlightID, to priority: FlightPriority) -> Bool {
    line.raise(flight, to: priority)
  }

  /// A waiting attempt is given up. False when it flies already.
  mutating func giveUp(_ flight: FlightID, of service: String) -> Bool {
    guard line.remove(flight) else { return false }
    endUse(of: service)
    return true
  }

  private mutating func use(_ limits: HostLimits, of service: String) {
    if let index = statements.firstIndex(where: { $0.service == service }) {
      statements[index].uses += 1
      guard statements[index].limits != limits else { return }
      statements[index].limits = limits
    } else {
      statements.removeAll { $0.uses == 0 }
      statements.append(Statement(service: service, limits: limits))
    }
    findSmallest()
  }

  private mutating func endUse(of service: String) {
    guard let index = statements.firstIndex(where: { $0.service == service }) else { return }
    statements[index].uses -= 1
    guard statements[index].uses == 0, statements.count > 1 else { return }
    statements.remove(at: index)
    findSmallest()
  }

  private mutating func findSmallest() {
    let smallest = statements.min { $0.limits.attemptsPerHost < $1.limits.attemptsPerHost }
    if let smallest { limits = smallest.limits }
  }
}
