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

    /// Those that may fly because the limit has risen.
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

  /// Whether the attempt may be made without waiting. Who was let through must ``leave(_:at:)``.
  func enterAtOnce(_ call: APICall, at host: HostKey, limits: HostLimits) -> Bool {
    state.withLock { $0.queues[host, default: HostQueue(limits)].enterAtOnce(limits, of: call.service.name) }
  }

  /// Returns when the attempt may be made; false when its task was cancelled before. Who was let through must
  /// ``leave(_:at:)``.
  ///
  /// - Parameter priority: Asked under the lock, so that none which ``raise(_:to:)`` states meanwhile is missed.
  func enter(
    _ call: APICall, at host: HostKey, limits: HostLimits, priority: @escaping @Sendable () -> FlightPriority
  ) async -> Bool {
    let flight = call.flightID
    return await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        let (outcome, called) = state.withLock { state -> (Bool?, [Waiter]) in
          guard !Task.isCancelled else { return (false, []) }
          let now = call.time.now
          let mayFly = state.queues[host, default: HostQueue(limits)].enter(
            flight, priority(), limits: limits, of: call.service.name, now: now)
          if mayFly { return (true, []) }
          state.waiters[flight] = waiter
          return (nil, state.callUp(at: host, now: now))
        }
        if let outcome { waiter.resume(returning: outcome) }
        for waiter in called { waiter.resume(returning: true) }
      }
    } onCancel: {
      let (waiter, called) = state.withLock { state -> (Waiter?, [Waiter]) in
        // A load that has been called up in the same moment flies, and sees its cancellation itself.
        guard state.queues[host]?.giveUp(flight, of: call.service.name) == true else { return (nil, []) }
        state.tidy(host)
        return (state.waiters.removeValue(forKey: flight), state.callUp(at: host, now: call.time.now))
      }
      waiter?.resume(returning: false)
      for waiter in called { waiter.resume(returning: true) }
    }
  }

  /// The priority of an attempt rises, if it waits.
  func raise(_ flight: FlightID, to priority: FlightPriority) {
    state.withLock { state in
      guard state.waiters[flight] != nil else { return }
      for host in state.queues.keys where state.queues[host]?.raise(flight, to: priority) == true { return }
    }
  }

  /// An attempt is over; the next one is called up.
  func leave(_ call: APICall, at host: HostKey) {
    let now = call.time.now
    let (waiter, others) = state.withLock { state -> (Waiter?, [Waiter]) in
      let next = state.queues[host]?.leave(call.service.name, now: now)
      state.tidy(host)
      guard let next else { return (nil, []) }
      return (state.waiters.removeValue(forKey: next), state.callUp(at: host, now: now))
    }
    waiter?.resume(returning: true)
    for waiter in others { waiter.resume(returning: true) }
  }
}
