import Dispatch

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

  private let machine = Mutex(SingleFlightMachine<JoinKey, Waiter, Flight>())
  /// The priorities of the shared calls that more urgent loads have joined, by their flights.
  private let raised = Mutex<[FlightID: FlightPriority]>([:])

  /// How many shared calls are in the air.
  var count: Int { machine.withLock { $0.count } }

  /// How many flights wait for them.
  var waiterCount: Int { machine.withLock { $0.waiterCount } }

  /// Begins to wait for the response to a key; it goes to the flight's `joined(_:by:)`.
  ///
  /// - Parameter sharedCall: Makes the flight that carries the call; used when there is none for the key.
  /// - Returns: The wait, which may be over by now.
  func enter(
    _ flight: Flight, _ key: JoinKey, sharedCall: (@escaping Flight.Completion) -> Flight
  ) -> any CancellableOperation {
    let id = flight.id.rawValue
    let (role, raisedCall) = machine.withLock { machine in
      let role = machine.enter(id, key, waiter: Waiter(flight: flight)) { number in
        sharedCall { [self] outcome, user in finish(number, outcome, user: user) }
      }
      // The flight that leads needs no timer: its call has the same deadline.
      var raisedCall: FlightID?
      if case .follows = role {
        machine[waiter: id]?.timer = timer(for: flight)
        // Under the lock, so that a call which ends is not noted behind its end.
        raisedCall = machine.operation(of: id).flatMap { raise($0.call, for: flight) }
        if machine.isSuspended(id) { flight.tell(isSuspended: true) }
      }
      // From here on it is the call's, on any thread.
      flight.ownership.release()
      return (role, raisedCall)
    }
    switch role {
    case .leads(let call): call.proceed()
    case .follows(let leader):
      if let raisedCall { flight.shared.raise(raisedCall, to: flight.call.terms.priority) }
      flight.note(.joined(FlightID(rawValue: leader)))
      flight.tell(waitsFor: .sharedCall(FlightID(rawValue: leader)))
    }
    return JoinWait(joins: self, flight: flight.id)
  }

  /// A shared call is suspended, or continues, and with it the loads that wait for it. Under the lock, so that they are told in
  /// the order in which it happened.
  func suspend(_ isSuspended: Bool, _ call: Flight) {
    machine.withLock { machine in
      for waiter in machine.suspend(isSuspended, workOf: call.id.rawValue) {
        waiter.flight.tell(isSuspended: isSuspended)
      }
    }
  }

  /// The priority of a call: the highest of the loads that have joined it.
  func priority(of call: APICall) -> FlightPriority {
    raised.withLock { $0[call.flightID] } ?? call.terms.priority
  }

  /// Notes the priority of a load that joins a call. Returns the flight of the call where that has a lower one.
  private func raise(_ call: APICall, for flight: Flight) -> FlightID? {
    let priority = flight.call.terms.priority
    guard priority > call.terms.priority else { return nil }
    return raised.withLock { raised in
      guard priority > raised[call.flightID] ?? call.terms.priority else { return nil }
      raised[call.flightID] = priority
      return call.flightID
    }
  }

  private func forgetPriority(of flight: Flight) { raised.withLock { _ = $0.removeValue(forKey: flight.id) } }

  /// Ends the wait of a flight at its deadline.
  private func timer(for flight: Flight) -> Task<Void, Never>? {
    let (time, id) = (flight.call.time, flight.id)
    return flight.deadline.remaining(time).map { remaining in
      Task.detached { [self] in
        do { try await time.sleep(running: remaining) } catch { return }
        leave(id, with: TimeLimit.passed(remaining))
      }
    }
  }

  private func finish(_ number: Int, _ outcome: Outcome, user: LoadUser) {
    guard let (work, waiters) = machine.withLock({ $0.finish(number) }) else { return }
    forgetPriority(of: work.operation)
    if waiters.count > 1 {
      work.operation.note(.note("joined", "\(waiters.count) flights share the response"))
    }
    // The flight that made the call stores its response; where it has left or stores nothing, another one does.
    if case .success(let response) = outcome,
      let cache = waiters.lazy.compactMap(\.flight.cache).first(where: { $0.key != nil }),
      cache !== work.operation.cache
    {
      cache.received(response)
    }
    for waiter in waiters {
      waiter.timer?.cancel()
      waiter.flight.joined(outcome, by: user, isLimited: work.operation.deadline.due != nil)
    }
    // To free many flights takes as long as their landings, so the main thread is spared that.
    guard waiters.count > 64 else { return }
    MainDelivery.main.put { DispatchQueue.global().async { withExtendedLifetime(waiters) {} } }
  }

  fileprivate func leave(_ flight: FlightID, with error: APIError) {
    let left = machine.withLock { machine in
      let isSuspended = machine.isSuspended(flight.rawValue)
      let left = machine.leave(flight.rawValue)
      if isSuspended { left?.waiter.flight.tell(isSuspended: false) }
      // Under the lock, so that the last one who leaves decides.
      if let (heir, work) = left?.heir { work.operation.call.recorder.passOn(to: heir.flight.call.recorder) }
      return left
    }
    guard let (waiter, abandoned, _) = left else { return }
    if let abandoned {
      forgetPriority(of: abandoned.operation)
      abandoned.operation.cancel()
    }
    waiter.timer?.cancel()
    waiter.flight.joined(.failure(error))
  }
}

/// The wait of one flight.
private struct JoinWait: CancellableOperation {
  let joins: Joins
  let flight: FlightID

  func cancel() { joins.leave(flight, with: APIError(.transport, .cancelled)) }
}
