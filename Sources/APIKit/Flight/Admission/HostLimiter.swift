/// How many attempts are on their way to each host with limits, and which wait.
final class HostLimiter: Sendable {
  private struct HostLimiterState {
    var queues: [HostKey: HostQueue] = [:]
    var waiters: [FlightID: CheckedContinuation<Bool, Never>] = [:]

    /// An idle line is kept for the next attempt, unless there are many.
    mutating func tidy(_ host: HostKey) {
      if queues.count > 64, queues[host]?.isIdle == true { queues[host] = nil }
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
        let outcome: Bool? = state.withLock { state in
          guard !Task.isCancelled else { return false }
          let mayFly = state.queues[host, default: HostQueue(limits)].enter(
            flight, call.terms.priority, limits: limits, now: call.time.now)
          if !mayFly { state.waiters[flight] = waiter }
          return mayFly ? true : nil
        }
        if let outcome { waiter.resume(returning: outcome) }
      }
    } onCancel: {
      let waiter = state.withLock { state -> CheckedContinuation<Bool, Never>? in
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
    let waiter = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      let next = state.queues[host]?.leave(now: now)
      state.tidy(host)
      return next.flatMap { state.waiters.removeValue(forKey: $0) }
    }
    waiter?.resume(returning: true)
  }
}
