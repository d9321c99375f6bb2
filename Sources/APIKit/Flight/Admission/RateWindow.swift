/// The attempts of the last interval of one ``RequestRate``, and those that wait: a state machine without time, tasks or
/// sockets.
struct RateWindow {
  /// Whether an attempt may begin.
  enum RateVerdict: Equatable {
    case begin
    case wait
    /// Neither; the time until the next attempt may begin, and how many wait for that.
    case refuse(opensIn: Duration, waiting: Int)
  }

  /// The waiting time that counts as one step of priority, as in ``HostLimits``.
  private static let ageing = Duration.seconds(2)

  let rate: RequestRate
  /// The latest attempts, at most ``RequestRate/requests`` of them.
  private var begun: LatestRing<(flight: FlightID, at: Duration)>
  private var line = WaitingLine()

  init(_ rate: RequestRate) {
    self.rate = rate
    begun = LatestRing(capacity: rate.requests)
  }

  /// When the next of those that wait may begin; nil when none waits.
  var nextOpening: Duration? { line.isEmpty ? nil : opening }

  /// Whether no attempt waits, and those that began no longer count.
  func isIdle(now: Duration) -> Bool {
    line.isEmpty && begun.newest.map { $0.at + rate.interval <= now } ?? true
  }

  /// An attempt wants to begin, or else not to wait yet. True when it may at once.
  mutating func enterAtOnce(_ flight: FlightID, now: Duration) -> Bool {
    guard line.isEmpty, opening <= now else { return false }
    begun.append((flight, now))
    return true
  }

  /// An attempt wants to begin, or to wait where that is allowed.
  mutating func enter(_ flight: FlightID, _ priority: FlightPriority, now: Duration) -> RateVerdict {
    if enterAtOnce(flight, now: now) { return .begin }
    guard case .wait(let limit) = rate.excess, line.count < limit else {
      return .refuse(opensIn: max(.zero, opening - now), waiting: line.count)
    }
    line.append(flight, priority, now: now)
    return .wait
  }

  /// Takes out, in order, those that may begin now.
  mutating func callUp(now: Duration) -> [FlightID] {
    var called: [FlightID] = []
    while opening <= now, let next = line.takeNext(ageing: Self.ageing, now: now) {
      begun.append((next, now))
      called.append(next)
    }
    return called
  }

  /// The priority of a waiting attempt rises. False when it does not wait here, or not below it.
  mutating func raise(_ flight: FlightID, to priority: FlightPriority) -> Bool {
    line.raise(flight, to: priority)
  }

  /// A waiting attempt is given up. False when it has begun already.
  mutating func giveUp(_ flight: FlightID) -> Bool { line.remove(flight) }

  /// The latest attempt of a flight has sent nothing, and no longer counts.
  mutating func giveBack(_ flight: FlightID) {
    var left = begun.ordered
    guard let index = left.lastIndex(where: { $0.flight == flight }) else { return }
    left.remove(at: index)
    begun = LatestRing(capacity: rate.requests, left)
  }

  /// When an attempt may begin: as soon as the oldest that counts is an interval ago.
  private var opening: Duration {
    guard begun.elements.count == rate.requests, let oldest = begun.oldest else { return .zero }
    return oldest.at + rate.interval
  }
}
