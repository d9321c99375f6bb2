/// The attempts of each ``RequestRate`` in use, and those that wait for it.
final class RateLimiter: Sendable {
  /// Attempts with equal keys are counted together.
  struct RateKey: Hashable, Sendable, CustomStringConvertible {
    let service: String
    let environment: ServiceEnvironment
    /// Method and name where the rate is an API's own.
    let api: String?
    let rate: RequestRate

    init(_ call: APICall) {
      service = call.service.name
      environment = call.environment
      rate = call.terms.requestRate
      api = rate.scope == .api ? "\(call.method) \(call.apiName)" : nil
    }

    /// `Homes GET list: 10 requests in 1 s`
    var description: String { service + (api.map { " " + $0 } ?? "") + ": \(rate)" }
  }

  private typealias Waiter = CheckedContinuation<RateWindow.RateVerdict?, Never>

  private struct RateLimiterState {
    var windows = PrunedTable<RateKey, RateWindow>()
    var waiters: [FlightID: Waiter] = [:]
    /// The keys with a task that sleeps until their next opening.
    var clocks: Set<RateKey> = []

    /// The window of a key, made where there is none.
    mutating func withWindow<Value>(
      of key: RateKey, now: Duration, _ body: (inout RateWindow) -> Value
    ) -> Value {
      windows.makeRoom(for: key) { $0.isIdle(now: now) }
      return body(&windows[key, default: RateWindow(key.rate)])
    }

    /// Those that may begin now.
    mutating func callUp(_ key: RateKey, now: Duration) -> [Waiter] {
      (windows[key]?.callUp(now: now) ?? []).compactMap { waiters.removeValue(forKey: $0) }
    }
  }

  private let state = Mutex(RateLimiterState())

  /// How many wait in all.
  var waitingCount: Int { state.withLock { $0.waiters.count } }

  /// Whether the attempt may begin without waiting; if so, it is counted.
  func enterAtOnce(_ call: APICall, _ key: RateKey) -> Bool {
    let now = call.time.now
    return state.withLock { $0.withWindow(of: key, now: now) { $0.enterAtOnce(call.flightID, now: now) } }
  }

  /// An attempt that was counted has sent nothing: another one may begin in its place.
  func giveBack(_ call: APICall, _ key: RateKey) {
    let now = call.time.now
    let called = state.withLock { state in
      state.windows[key]?.giveBack(call.flightID)
      return state.callUp(key, now: now)
    }
    for waiter in called { waiter.resume(returning: .begin) }
  }

  /// Returns when the attempt may begin, and it is counted. Throws when there is no place to wait, or when its task was
  /// cancelled before.
  ///
  /// - Parameter priority: Asked under the lock, so that none which ``raise(_:to:)`` states meanwhile is missed.
  func enter(
    _ call: APICall, _ key: RateKey, priority: @escaping @Sendable () -> FlightPriority
  ) async throws(APIError) {
    let flight = call.flightID
    let entry = await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        let outcome: RateWindow.RateVerdict?? = state.withLock { state in
          guard !Task.isCancelled else { return .some(nil) }
          let now = call.time.now
          let entry = state.withWindow(of: key, now: now) { $0.enter(flight, priority(), now: now) }
          guard entry == .wait else { return entry }
          state.waiters[flight] = waiter
          if state.clocks.insert(key).inserted { startClock(key, call.time) }
          return nil
        }
        if let outcome { waiter.resume(returning: outcome) }
      }
    } onCancel: {
      let waiter = state.withLock { state -> Waiter? in
        // A load that has been called up in the same moment begins, and sees its cancellation itself.
        guard state.windows[key]?.giveUp(flight) == true else { return nil }
        return state.waiters.removeValue(forKey: flight)
      }
      waiter?.resume(returning: nil)
    }
    switch entry {
    case .refuse(let opensIn, let waiting):
      throw APIError(
        .takeoff, .rateLimited,
        "the client's rate is used up: \(key); the next in \(opensIn.shortText)"
          + (waiting > 0 ? ", for which \(waiting) wait" : ""))
    case nil: throw APIError(.takeoff, .cancelled)
    case .begin, .wait: break
    }
  }

  /// The priority of an attempt rises, if it waits.
  func raise(_ flight: FlightID, to priority: FlightPriority) {
    state.withLock { state in
      guard state.waiters[flight] != nil else { return }
      for key in state.clocks where state.windows[key]?.raise(flight, to: priority) == true { return }
    }
  }

  /// Starts the attempts that wait, until none does.
  private func startClock(_ key: RateKey, _ time: any TimeSource) {
    Task.detached { [weak self] in
      while let wait = self?.callUp(key, now: time.now) {
        // This task is never cancelled; a clock that throws without that is asked again.
        try? await time.sleep(for: wait)
      }
    }
  }

  /// The time until another may begin; nil when none waits any longer.
  private func callUp(_ key: RateKey, now: Duration) -> Duration? {
    let (called, wait) = state.withLock { state in
      let called = state.callUp(key, now: now)
      let wait = state.windows[key]?.nextOpening.map { max(.zero, $0 - now) }
      if wait == nil { state.clocks.remove(key) }
      return (called, wait)
    }
    for waiter in called { waiter.resume(returning: .begin) }
    return wait
  }
}
