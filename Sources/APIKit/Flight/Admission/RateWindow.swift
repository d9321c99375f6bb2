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
  /// The latest attempts, at most ``RequestRate/requests`` of them, in a ring from `oldest` on.
  private var begun: [(flight: FlightID, at: Duration)] = []
  private var oldest = 0
  private var line = WaitingLine()

  init(_ rate: RequestRate) { self.rate = rate }

  /// When the next of those that wait may begin; nil when none waits.
  var nextOpening: Duration? { line.isEmpty ? nil : opening }

  /// Whether no attempt waits, and those that began no longer count.
  func isIdle(now: Duration) -> Bool {
    guard line.isEmpty, !begun.isEmpty else { return line.isEmpty }
    let latest = begun[(oldest + begun.count - 1) % begun.count]
    return latest.at + rate.interval <= now
  }

  /// An attempt wants to begin, or else not to wait yet. True when it may at once.
  mutating func enterAtOnce(_ flight: FlightID, now: Duration) -> Bool {
    guard line.isEmpty, opening <= now else { return false }
    begin(flight, now)
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
      begin(next, now)
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
    if oldest > 0 { (begun, oldest) = (Array(begun[oldest...] + begun[..<oldest]), 0) }
    if let index = begun.lastIndex(where: { $0.flight == flight }) { begun.remove(at: index) }
  }

  /// When an attempt may begin: as soon as the oldest that counts is an interval ago.
  private var opening: Duration { begun.count < rate.requests ? .zero : begun[oldest].at + rate.interval }

  private mutating func begin(_ flight: FlightID, _ now: Duration) {
    guard begun.count == rate.requests else { return begun.append((flight, now)) }
    begun[oldest] = (flight, now)
    oldest = (oldest + 1) % begun.count
  }
}
