/// The attempts at one host that are under way and those that wait: a state machine without time, tasks or sockets.
struct HostQueue {
  private(set) var flying = 0
  private var line = WaitingLine()
  private var limits: HostLimits

  init(_ limits: HostLimits) { self.limits = limits }

  /// How many wait.
  var waitingCount: Int { line.count }
  /// Whether no load flies or waits.
  var isIdle: Bool { flying == 0 && line.isEmpty }

  /// An attempt wants to fly, or else not to wait yet. True when it may at once.
  mutating func enterAtOnce(_ limits: HostLimits) -> Bool {
    self.limits = limits
    guard flying < limits.attemptsPerHost, line.isEmpty else { return false }
    flying += 1
    return true
  }

  /// An attempt wants to fly. True when it may at once; false when it has to wait.
  mutating func enter(
    _ flight: FlightID, _ priority: FlightPriority, limits: HostLimits, now: Duration
  ) -> Bool {
    if enterAtOnce(limits) { return true }
    line.append(flight, priority, now: now)
    return false
  }

  /// An attempt is over. Returns the one that may fly in its place.
  mutating func leave(now: Duration) -> FlightID? {
    flying -= 1
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

  /// A waiting attempt is given up. False when it flies already.
  mutating func giveUp(_ flight: FlightID) -> Bool { line.remove(flight) }
}
