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
      /// Wait, and call ``TakeoffControl/timerFired(for:)`` after this time.
      case waitFor(Duration)
      case alreadyLoading
      case throttled(remaining: Duration)
    }
    var verdict: Verdict
    /// Flights in the air or waiting that this load replaces.
    var superseded: [FlightID] = []
  }

  private struct Lane {
    /// Ids are assigned in ascending order, so sorting by id is sorting by takeoff.
    var flying: Set<FlightID> = []
    var waiting: [FlightID] = []
    /// The time until which further loads are refused. Only `throttle` sets it.
    var closedUntil: Duration?

    var isIdle: Bool { flying.isEmpty && waiting.isEmpty }
  }

  private enum LaneKey: Hashable {
    case manager
    case parameters(Parameters)
  }

  private var lanes: [LaneKey: Lane] = [:]
  private var keys: [FlightID: LaneKey] = [:]

  /// The number of lanes; for tests.
  var laneCount: Int { lanes.count }

  /// Whether no load is in the air or waiting.
  var isIdle: Bool { keys.isEmpty }

  /// A load with validated parameters requests its takeoff.
  mutating func request(
    _ flight: FlightID, policy: TakeoffPolicy, parameters: Parameters, now: Duration
  ) -> Decision {
    let key = Self.laneKey(policy.key, parameters)
    // Removed and put back, because a copy of a lane with thousands of flights for each load would be slow.
    var lane = lanes.removeValue(forKey: key) ?? Lane()
    defer { if !lane.isIdle || lane.closedUntil != nil { lanes[key] = lane } }
    var decision = Decision(verdict: .fly)
    switch policy.rule {
    case .concurrent: break
    case .ignoreNew:
      if !lane.isIdle { return Decision(verdict: .alreadyLoading) }
    case .cancelPrevious:
      decision.superseded = lane.flying.sorted() + lane.waiting
    case .queue:
      if !lane.isIdle { decision.verdict = .wait }
    case .debounce(let interval):
      decision.verdict = .waitFor(interval)
      decision.superseded = lane.waiting
    case .throttle(let interval):
      if let closedUntil = lane.closedUntil, now < closedUntil {
        return Decision(verdict: .throttled(remaining: closedUntil - now))
      }
      lane.closedUntil = now + interval
      forgetOpenLanes(now: now)
    }
    if !decision.superseded.isEmpty {
      for id in decision.superseded { keys[id] = nil }
      lane.flying.subtract(decision.superseded)
      lane.waiting.removeAll { decision.superseded.contains($0) }
    }
    if decision.verdict == .fly { lane.flying.insert(flight) } else { lane.waiting.append(flight) }
    keys[flight] = key
    return decision
  }

  /// The debounce interval of a load is over. Nil when the load no longer waits.
  mutating func timerFired(for flight: FlightID) -> Decision? {
    guard let key = keys[flight], var lane = lanes[key], lane.waiting.contains(flight) else { return nil }
    let superseded = lane.flying.sorted()
    for id in superseded { keys[id] = nil }
    lane.waiting.removeAll { $0 == flight }
    lane.flying = [flight]
    lanes[key] = lane
    return Decision(verdict: .fly, superseded: superseded)
  }

  /// A flight has ended in any way. Returns the queued flight that takes off next, if there is one.
  mutating func retire(_ flight: FlightID, policy: TakeoffPolicy) -> FlightID? {
    guard let key = keys.removeValue(forKey: flight), var lane = lanes.removeValue(forKey: key) else {
      return nil
    }
    if lane.flying.remove(flight) == nil { lane.waiting.removeAll { $0 == flight } }
    var next: FlightID?
    if policy.rule == .queue, lane.flying.isEmpty, let first = lane.waiting.first {
      next = first
      lane.waiting.removeFirst()
      lane.flying.insert(first)
    }
    if !lane.isIdle || lane.closedUntil != nil { lanes[key] = lane }
    return next
  }

  /// Removes idle lanes whose throttle interval is over. Otherwise a throttle with many keys would grow
  /// without bound.
  private mutating func forgetOpenLanes(now: Duration) {
    guard lanes.count > 64 else { return }
    lanes = lanes.filter { !$0.value.isIdle || ($0.value.closedUntil ?? .zero) > now }
  }

  private static func laneKey(_ key: TakeoffPolicy.Key, _ parameters: Parameters) -> LaneKey {
    switch key {
    case .manager: return .manager
    case .allParameters: return .parameters(parameters)
    case .parameters(let names):
      var some = Parameters()
      for name in names { some[name] = parameters[name] }
      return .parameters(some)
    }
  }
}
