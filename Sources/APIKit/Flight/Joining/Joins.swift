import Synchronization

/// The wire calls that several flights wait for.
///
/// A shared call is a flight of its own, so that the flight that started it may leave like any other.
final class Joins: Sendable {
  typealias Outcome = Result<APIResponse, APIError>

  private struct Waiter {
    let flight: Flight
    /// Ends the wait at the flight's own deadline, where the shared call may take longer.
    var timer: Task<Void, Never>?
  }

  private struct State {
    var table = JoinTable<JoinKey>()
    var waiters: [FlightID: Waiter] = [:]
    var calls: [FlightID: Flight] = [:]
  }

  private let state = Mutex(State())

  /// How many shared calls are in the air.
  var count: Int { state.withLock { $0.table.count } }

  /// How many flights wait for them.
  var waiterCount: Int { state.withLock { $0.waiters.count } }

  /// Begins to wait for the response to a key; it goes to the flight's `joined(_:)`.
  ///
  /// - Parameter sharedCall: Makes the flight that carries the call; used when there is none for the key.
  /// - Returns: The wait, which may be over by now.
  func enter(
    _ flight: Flight, _ key: JoinKey, sharedCall: (@escaping @Sendable (Outcome) -> Void) -> Flight
  ) -> any CancellableOperation {
    let leader = flight.id
    let (role, call) = state.withLock { state -> (JoinTable<JoinKey>.Role, Flight?) in
      state.waiters[flight.id] = Waiter(flight: flight)
      let role = state.table.enter(flight.id, key)
      guard role == .lead else { return (role, nil) }
      let call = sharedCall { [self] in finish(leader, key, $0) }
      state.calls[leader] = call
      return (role, call)
    }
    call?.run()
    if case .follow(let leader) = role {
      flight.note(.joined(leader))
      limit(flight, key)
    }
    return Wait(joins: self, flight: flight.id, key: key)
  }

  /// Ends the wait of a flight at its deadline. The flight that leads needs no timer: its call has the same deadline.
  private func limit(_ flight: Flight, _ key: JoinKey) {
    let (time, id) = (flight.call.time, flight.id)
    guard let remaining = flight.deadline.remaining(time) else { return }
    let timer = Task.detached { [self] in
      do { try await time.sleep(for: remaining) } catch { return }
      leave(id, key, with: FlightDeadline.passed(remaining))
    }
    let isWaiting = state.withLock { state in
      state.waiters[id]?.timer = timer
      return state.waiters[id] != nil
    }
    if !isWaiting { timer.cancel() }
  }

  private func finish(_ leader: FlightID, _ key: JoinKey, _ outcome: Outcome) {
    let (call, waiters) = state.withLock { state in
      (
        state.calls.removeValue(forKey: leader),
        state.table.finish(leader, key).compactMap { state.waiters.removeValue(forKey: $0) }
      )
    }
    let user = call?.user.epoch
    if waiters.count > 1 { call?.note(.note("joined", "\(waiters.count) flights share the response")) }
    for waiter in waiters {
      waiter.timer?.cancel()
      // One that was called while nobody was signed in has the user whom the shared call has taken.
      if user != nil, waiter.flight.user.epoch == nil { waiter.flight.user.epoch = user }
      waiter.flight.joined(outcome)
    }
  }

  private func leave(_ flight: FlightID, _ key: JoinKey, with error: APIError) {
    let (waiter, call) = state.withLock { state in
      let abandoned = state.table.leave(flight, key)
      return (
        state.waiters.removeValue(forKey: flight), abandoned.flatMap { state.calls.removeValue(forKey: $0) }
      )
    }
    call?.cancel()
    waiter?.timer?.cancel()
    waiter?.flight.joined(.failure(error))
  }

  /// The wait of one flight.
  private struct Wait: CancellableOperation {
    let joins: Joins
    let flight: FlightID
    let key: JoinKey

    func cancel() { joins.leave(flight, key, with: APIError(.transport, .cancelled)) }
  }
}
