/// How many attempts are on their way to each host with limits, and which wait.
final class HostLimiter: Sendable {
  private typealias Waiter = CheckedContinuation<Bool, Never>

  private struct HostLimiterState {
    var queues: [HostKey: HostQueue] = [:]
    var waiters: [FlightID: Waiter] = [:]

    /// An idle line is kept for the next attempt, unless there are many.
    mutating func tidy(_ host: HostKey) {
      if queues.count > 64, queues[host]?.isIdle == true { queues[host] = nil }
    }

    /// Those that may fly because the limit was raised.
    mutating func callUp(at host: HostKey, now: Duration) -> [Waiter] {
      var called: [Waiter] = []
      while let next = queues[host]?.callUp(now: now) {
        if let waiter = waiters.removeValue(forKey: next) { called.append(waiter) }
      }
      return called
    }
  }

  private let state = Mutex(HostLimiterState())

  /// How many wait for a host.
  func waitingCount(at host: HostKey) -> Int { state.withLock { $0.queues[host]?.waitingCount ?? 0 } }

  /// Whether the attempt may be made without waiting. Who was let through must ``leave(_:now:)``.
  func enterAtOnce(_ call: APICall, at host: HostKey, limits: HostLimits) -> Bool {
    state.withLock { $0.queues[host, default: HostQueue(limits)].enterAtOnce(limits) }
  }

  /// Returns when the attempt may be made; false when its task was cancelled before. Who was let through must
  /// ``leave(_:now:)``.
  func enter(_ call: APICall, at host: HostKey, limits: HostLimits) async -> Bool {
    let flight = call.flightID
    return await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        let (outcome, called) = state.withLock { state -> (Bool?, [Waiter]) in
          guard !Task.isCancelled else { return (false, []) }
          let now = call.time.now
          let mayFly = state.queues[host, default: HostQueue(limits)].enter(
            flight, call.terms.priority, limits: limits, now: now)
          if mayFly { return (true, []) }
          state.waiters[flight] = waiter
          return (nil, state.callUp(at: host, now: now))
        }
        if let outcome { waiter.resume(returning: outcome) }
        for waiter in called { waiter.resume(returning: true) }
      }
    } onCancel: {
      let waiter = state.withLock { state -> Waiter? in
        // A load that has been called up in the same moment flies, and sees its cancellation itself.
        guard state.queues[host]?.giveUp(flight) == true else { return nil }
        state.tidy(host)
        return state.waiters.removeValue(forKey: flight)
      }
      waiter?.resume(returning: false)
    }
  }

  /// An attempt is over; the next one is called up.
  func leave(_ host: HostKey, now: Duration) {
    let (waiter, others) = state.withLock { state -> (Waiter?, [Waiter]) in
      let next = state.queues[host]?.leave(now: now)
      state.tidy(host)
      guard let next else { return (nil, []) }
      return (state.waiters.removeValue(forKey: next), state.callUp(at: host, now: now))
    }
    waiter?.resume(returning: true)
    for waiter in others { waiter.resume(returning: true) }
  }
}
