/// The loads of one manager among which its takeoff policy applies: those that fly, those that wait, and what a
/// throttle remembers.
extension TakeoffControl {
  struct KeyControl {
    /// Ids are assigned in ascending order, so sorting by id is sorting by takeoff.
    private var flying: Set<FlightID> = []
    private var waiting = FlightLine<Void>()
    /// Whether the waiting loads take off one after the other; otherwise each has a timer.
    private var isQueue = false
    /// Whether the cancellation of replaced loads is being delivered. A load that their delegate starts then must not
    /// replace the one that has just replaced them, or the two would do so without end.
    var isReplacing = false
    /// The time until which further loads are refused or wait. Only `throttle` sets it.
    private(set) var closedUntil: Duration?
    /// The rule where it is `throttle`; nil for another one.
    private var throttle: (interval: Duration, edge: TakeoffPolicy.ThrottleEdge)?

    var isIdle: Bool { flying.isEmpty && waiting.isEmpty }
    var isWanted: Bool { !isIdle || closedUntil != nil || isReplacing }

    mutating func request(
      _ flight: FlightID, _ rule: TakeoffPolicy.Rule, now: @autoclosure () -> Duration
    ) -> Decision {
      if case .queue = rule { isQueue = true } else { isQueue = false }
      throttle = nil
      var decision = Decision(verdict: .fly)
      switch rule {
      case .concurrent: break
      case .ignoreNew:
        if !isIdle { return Decision(verdict: .alreadyLoading) }
      case .cancelPrevious:
        if isReplacing { return Decision(verdict: .alreadyLoading) }
        decision.superseded = flying.sorted() + waiting.flights
      case .queue(let limit, let overflow):
        guard !isIdle else { break }
        decision.verdict = .wait
        guard waiting.count >= limit else { break }
        if overflow == .refuseNewest || limit <= 0 { return Decision(verdict: .queueFull(limit: limit)) }
        if isReplacing { return Decision(verdict: .alreadyLoading) }
        decision.superseded = waiting.first(waiting.count - limit + 1)
      case .debounce(let interval):
        if isReplacing { return Decision(verdict: .alreadyLoading) }
        decision.verdict = .waitFor(interval)
        decision.superseded = waiting.flights
      case .throttle(let interval, let edge):
        if isReplacing, edge != .leading { return Decision(verdict: .alreadyLoading) }
        throttle = (interval, edge)
        let now = now()
        let remaining = closedUntil.flatMap { now < $0 ? $0 - now : nil }
        if let remaining, edge == .leading { return Decision(verdict: .throttled(remaining: remaining)) }
        if edge != .leading { decision.superseded = waiting.flights }
        if let remaining {
          decision.verdict = .waitFor(remaining)
        } else if edge == .trailing, waiting.isEmpty {
          closedUntil = now + interval
          decision.verdict = .waitFor(interval)
        } else {
          throttledTakeoff(now: now)
        }
      }
      for flight in decision.superseded where flying.remove(flight) == nil { waiting.remove(flight) }
      if decision.verdict == .fly { flying.insert(flight) } else { waiting.append(flight, ()) }
      return decision
    }

    mutating func timerFired(for flight: FlightID, now: Duration) -> Decision? {
      guard waiting.remove(flight) else { return nil }
      if throttle != nil {
        throttledTakeoff(now: now)
        flying.insert(flight)
        return Decision(verdict: .fly)
      }
      let superseded = flying.sorted()
      flying = [flight]
      return Decision(verdict: .fly, superseded: superseded)
    }

    /// A flight has ended. Returns the queued one that takes off next, if there is one.
    mutating func retire(_ flight: FlightID) -> FlightID? {
      if flying.remove(flight) == nil { waiting.remove(flight) }
      guard isQueue, flying.isEmpty, let next = waiting.takeFirst() else { return nil }
      flying.insert(next)
      return next
    }

    /// A throttled load takes off. At its trailing edge the interval is over, and the next load begins another.
    private mutating func throttledTakeoff(now: Duration) {
      closedUntil = throttle.flatMap { $0.edge == .trailing ? nil : now + $0.interval }
    }
  }
}
