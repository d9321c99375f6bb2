/// Decides which loads of one manager take off, wait, are refused or are replaced: a state machine without
/// time, tasks or sockets.
///
/// Events go in (a load is requested, a timer has fired, a flight is over) and decisions come out, which
/// the manager carries out. Loads with the same key are controlled together, and apart from all others.
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
    /// Flights in the air or waiting that this load replaces. They are told between two calls of
    /// ``TakeoffControl/setReplacing(_:_:)``.
    var superseded: [FlightID] = []
    /// The key under which they are replaced.
    var control: Parameters?

    /// Whether the load flies or waits.
    var isAccepted: Bool {
      switch verdict {
      case .fly, .wait, .waitFor: true
      case .alreadyLoading, .queueFull, .throttled: false
      }
    }
  }

  /// For all loads whose policy has no key.
  private var common = KeyControl()
  private var controls = PrunedTable<Parameters, KeyControl>()
  /// The loads in `controls`.
  private var keys: [FlightID: Parameters] = [:]

  /// How many keys are kept; for tests.
  var keyCount: Int { controls.values.count + (common.isWanted ? 1 : 0) }

  /// Whether no load flies or waits; for tests.
  var isIdle: Bool { common.isIdle && keys.isEmpty }

  /// A load with validated parameters requests its takeoff.
  ///
  /// - Parameter now: The time, asked for only by rules that need it.
  mutating func request(
    _ flight: FlightID, policy: TakeoffPolicy, parameters: Parameters, now: @autoclosure () -> Duration
  ) -> Decision {
    let key = Self.laneKey(policy.key, parameters)
    if case .throttle = policy.rule, let key { makeRoom(for: key, now: now()) }
    var decision = change(key) { $0.request(flight, policy.rule, now: now()) }
    if let key, decision.isAccepted {
      for id in decision.superseded { keys[id] = nil }
      keys[flight] = key
      if !decision.superseded.isEmpty { decision.control = key }
    }
    return decision
  }

  /// The interval that a load waits for is over. Nil when the load no longer waits.
  mutating func timerFired(for flight: FlightID, now: Duration) -> Decision? {
    let key = keys[flight]
    guard var decision = change(key, { $0.timerFired(for: flight, now: now) }) else { return nil }
    for id in decision.superseded { keys[id] = nil }
    decision.control = key
    return decision
  }

  /// The flights that a decision replaced are about to be told, or have been. Meanwhile no other load of the key may replace
  /// its flights.
  mutating func setReplacing(_ isReplacing: Bool, _ decision: Decision) {
    guard !decision.superseded.isEmpty else { return }
    change(decision.control) { $0.isReplacing = isReplacing }
  }

  /// Whether two loads are controlled together.
  func controlsTogether(_ one: FlightID, _ other: FlightID) -> Bool { keys[one] == keys[other] }

  /// A flight has ended in any way. Returns the queued flight that takes off next, if there is one.
  mutating func retire(_ flight: FlightID) -> FlightID? {
    change(keys.isEmpty ? nil : keys.removeValue(forKey: flight)) { $0.retire(flight) }
  }

  /// Removes idle keys whose throttle interval is over. Otherwise a throttle with many keys would grow without bound.
  private mutating func makeRoom(for key: Parameters, now: Duration) {
    controls.makeRoom(for: key) { $0.isIdle && ($0.closedUntil ?? .zero) <= now }
  }

  /// Changes one in place: one of thousands of loads must not be copied for each of them.
  private mutating func change<Result>(_ key: Parameters?, _ body: (inout KeyControl) -> Result) -> Result {
    guard let key else { return body(&common) }
    var control = controls[key].take() ?? KeyControl()
    defer { if control.isWanted { controls[key] = control } }
    return body(&control)
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
