import Synchronization

/// The wire calls that several flights wait for.
///
/// A shared call runs in a task of its own, so that the flight that started it may leave like any other.
final class Joins: Sendable {
  typealias Outcome = Result<APIResponse, APIError>

  private struct State {
    var table = JoinTable<JoinKey>()
    var waiters: [FlightID: UnsafeContinuation<Outcome, Never>] = [:]
    var calls: [FlightID: Task<Void, Never>] = [:]
  }

  private let state = Mutex(State())

  /// How many shared calls are in the air.
  var count: Int { state.withLock { $0.table.count } }

  /// How many flights wait for them.
  var waiterCount: Int { state.withLock { $0.waiters.count } }

  /// Waits for the response to a key; `fly` makes the call when nobody else does.
  func outcome(
    for call: APICall, _ key: JoinKey, fly: @escaping @Sendable () async -> Outcome
  ) async -> Outcome {
    let flight = call.flightID
    return await withTaskCancellationHandler {
      await withUnsafeContinuation { waiter in
        let role = state.withLock { state -> JoinTable<JoinKey>.Role? in
          // A cancellation before this point has found nobody to wake.
          guard !Task.isCancelled else { return nil }
          state.waiters[flight] = waiter
          return state.table.enter(flight, key)
        }
        switch role {
        case nil: waiter.resume(returning: Self.cancelled)
        case .follow(let leader): call.recorder.record(.joined(leader))
        case .lead: start(call, key, fly)
        }
      }
    } onCancel: {
      leave(flight, key)
    }
  }

  private func start(
    _ call: APICall, _ key: JoinKey, _ fly: @escaping @Sendable () async -> Outcome
  ) {
    let task = Task.detached { [self] in
      finish(call, key, await fly())
    }
    // The call may be over, or given up, by now.
    let isWanted = state.withLock { state in
      guard state.table.isLed(by: call.flightID, key) else { return false }
      state.calls[call.flightID] = task
      return true
    }
    if !isWanted { task.cancel() }
  }

  private func finish(_ call: APICall, _ key: JoinKey, _ outcome: Outcome) {
    let waiters = state.withLock { state in
      state.calls[call.flightID] = nil
      return state.table.finish(call.flightID, key).compactMap { state.waiters.removeValue(forKey: $0) }
    }
    if waiters.count > 1 {
      call.recorder.record(.note("joined", "\(waiters.count) flights share the response"))
    }
    for waiter in waiters { waiter.resume(returning: outcome) }
  }

  private func leave(_ flight: FlightID, _ key: JoinKey) {
    let (waiter, call) = state.withLock { state in
      let abandoned = state.table.leave(flight, key)
      return (
        state.waiters.removeValue(forKey: flight), abandoned.flatMap { state.calls.removeValue(forKey: $0) }
      )
    }
    call?.cancel()
    waiter?.resume(returning: Self.cancelled)
  }

  private static var cancelled: Outcome { .failure(APIError(.transport, .cancelled)) }
}
