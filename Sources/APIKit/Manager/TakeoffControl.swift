/// Decides which loads of one manager take off, wait, are refused or are replaced: a state machine without
/// time, tasks or sockets.
///
/// Events go in (a load is requested, a timer has fired, a flight is over) and decisions come out, which
/// the manager carries out. Loads with the same key form a lane; lanes do not affect each other.
struct TakeoffControl {
  /// What happens to a load and, because of it, to others.
  struct Decision: Equatable {
    enum Verdict: Equatable {
      case fly
      case wait
      /// Wait, and call `timerFired` after this time.
      case waitFor(Duration)
      case alreadyLoading
      case queueFull(limit: Int)
      case throttled(remaining: Duration)
    }
    var verdict: Verdict
    /// Flights in the air or waiting that this load replaces. They are told between ``TakeoffControl/tell(_:)`` and
    /// ``TakeoffControl/told(_:)``.
    var superseded: [FlightID] = []
    /// The lane in which they are replaced.
    var lane: Parameters?
  }

  private struct Lane {
    /// Ids are assigned in ascending order, so sorting by id is sorting by takeoff.
    var flying: Set<FlightID> = []
    var waiting: [FlightID] = []
    /// Whether those that wait take off one after the other; else each has a timer.
    var isQueue = false
    /// Whether those that were replaced are being told. A load that they start in return must not replace the one
    /// that has just replaced them: the two would do so for ever.
    var isReplacing = false
    /// The time until which further loads are refused or wait. Only `throttle` sets it.
    var closedUntil: Duration?
    /// What the rule is when it is `throttle`.
    var throttle: (interval: Duration, edge: TakeoffPolicy.ThrottleEdge)?

    /// A throttled load takes off. At its trailing edge the interval is over, and the next load begins another.
    mutating func throttledTakeoff(now: Duration) {
      closedUntil = throttle.flatMap { $0.edge == .trailing ? nil : now + $0.interval }
    }

    var isIdle: Bool { flying.isEmpty && waiting.isEmpty }
    var isWanted: Bool { !isIdle || closedUntil != nil || isReplacing }
  }

  /// The lane of all loads whose policy has no key.
  private var common = Lane()
  private var lanes: [Parameters: Lane] = [:]
  /// The loads in `lanes`.
  private var keys: [FlightID: Parameters] = [:]

  /// How many lanes are kept; for tests.
  var laneCount: Int { lanes.count + (common.isWanted ? 1 : 0) }

  /// Whether no load flies or waits.
  var isIdle: Bool { common.isIdle && keys.isEmpty }

  /// A load with validated parameters requests its takeoff.
  mutating func request(
    _ flight: FlightID, policy: TakeoffPolicy, parameters: Parameters, now: Duration
  ) -> Decision {
    let key = Self.laneKey(policy.key, parameters)
    var lane = take(key)
    defer { put(lane, key) }
    if case .queue = policy.rule { lane.isQueue = true } else { lane.isQueue = false }
    lane.throttle = nil
    var decision = Decision(verdict: .fly)
    switch policy.rule {
    case .concurrent: break
    case .ignoreNew:
      if !lane.isIdle { return Decision(verdict: .alreadyLoading) }
    case .cancelPrevious:
      if lane.isReplacing { return Decision(verdict: .alreadyLoading) }
      decision.superseded = lane.flying.sorted() + lane.waiting
    case .queue(let limit, let overflow):
      guard !lane.isIdle else { break }
      decision.verdict = .wait
      guard lane.waiting.count >= limit else { break }
      if overflow == .refuseNewest || limit == 0 { return Decision(verdict: .queueFull(limit: limit)) }
      if lane.isReplacing { return Decision(verdict: .alreadyLoading) }
      decision.superseded = Array(lane.waiting.prefix(lane.waiting.count - limit + 1))
    case .debounce(let interval):
      if lane.isReplacing { return Decision(verdict: .alreadyLoading) }
      decision.verdict = .waitFor(interval)
      decision.superseded = lane.waiting
    case .throttle(let interval, let edge):
      if lane.isReplacing, edge != .leading { return Decision(verdict: .alreadyLoading) }
      lane.throttle = (interval, edge)
      let remaining = lane.closedUntil.flatMap { now < $0 ? $0 - now : nil }
      if let remaining, edge == .leading { return Decision(verdict: .throttled(remaining: remaining)) }
      if edge != .leading { decision.superseded = lane.waiting }
      if let remaining {
        decision.verdict = .waitFor(remaining)
      } else if edge == .trailing, lane.waiting.isEmpty {
        lane.closedUntil = now + interval
        decision.verdict = .waitFor(interval)
      } else {
        lane.throttledTakeoff(now: now)
      }
      forgetOpenLanes(now: now)
    }
    if !decision.superseded.isEmpty {
      decision.lane = key
      if key != nil { for id in decision.superseded { keys[id] = nil } }
      lane.flying.subtract(decision.superseded)
      lane.waiting.removeAll { decision.superseded.contains($0) }
    }
    if decision.verdict == .fly { lane.flying.insert(flight) } else { lane.waiting.append(flight) }
    if let key { keys[flight] = key }
    return decision
  }

  /// The interval that a load waits for is over. Nil when the load no longer waits.
  mutating func timerFired(for flight: FlightID, now: Duration) -> Decision? {
    let key = keys[flight]
    var lane = take(key)
    defer { put(lane, key) }
    guard lane.waiting.contains(flight) else { return nil }
    lane.waiting.removeAll { $0 == flight }
    if lane.throttle != nil {
      lane.throttledTakeoff(now: now)
      lane.flying.insert(flight)
      return Decision(verdict: .fly)
    }
    let superseded = lane.flying.sorted()
    for id in superseded { keys[id] = nil }
    lane.flying = [flight]
    return Decision(verdict: .fly, superseded: superseded, lane: key)
  }

  /// The flights that a decision replaced are about to be told. Until they have been, no other load of the lane may
  /// replace its flights.
  mutating func tell(_ decision: Decision) { setReplacing(true, decision) }

  /// The flights that a decision replaced have been told.
  mutating func told(_ decision: Decision) { setReplacing(false, decision) }

  private mutating func setReplacing(_ isReplacing: Bool, _ decision: Decision) {
    guard !decision.superseded.isEmpty else { return }
    var lane = take(decision.lane)
    defer { put(lane, decision.lane) }
    lane.isReplacing = isReplacing
  }

  /// A flight has ended in any way. Returns the queued flight that takes off next, if there is one.
  mutating func retire(_ flight: FlightID) -> FlightID? {
    let key = keys.isEmpty ? nil : keys.removeValue(forKey: flight)
    var lane = take(key)
    defer { put(lane, key) }
    if lane.flying.remove(flight) == nil { lane.waiting.removeAll { $0 == flight } }
    var next: FlightID?
    if lane.isQueue, lane.flying.isEmpty, let first = lane.waiting.first {
      next = first
      lane.waiting.removeFirst()
      lane.flying.insert(first)
    }
    return next
  }

  /// Removes idle lanes whose throttle interval is over. Otherwise a throttle with many keys would grow
  /// without bound.
  private mutating func forgetOpenLanes(now: Duration) {
    guard lanes.count > 64 else { return }
    lanes = lanes.filter { !$0.value.isIdle || ($0.value.closedUntil ?? .zero) > now }
  }

  /// Takes a lane out, to be put back: a lane of thousands must not be copied for each load.
  private mutating func take(_ key: Parameters?) -> Lane {
    guard let key else {
      defer { common = Lane() }
      return common
    }
    return lanes.removeValue(forKey: key) ?? Lane()
  }

  private mutating func put(_ lane: Lane, _ key: Parameters?) {
    guard let key else { return common = lane }
    if lane.isWanted { lanes[key] = lane }
  }

  /// Nil for all loads of the manager.
  private static func laneKey(_ key: TakeoffPolicy.Key, _ parameters: Parameters) -> Parameters? {
    switch key {
    case .manager: return nil
    case .allParameters: return parameters
    case .parameters(let names):
      var some = Parameters()
      for name in names { some[name] = parameters[name] }
      return some
    }
  }
}
