import Synchronization

/// How a load waits, ends, and comes back to the main actor.
extension Flight: MainDeliverable {
  /// Does the work in a task, and goes on from where it says or else from `next`.
  func wait(
    _ reason: String?, then next: Step, _ work: @escaping @Sendable () async throws(APIError) -> Step?
  ) {
    let isBegun = cancellation.begin {
      Task.detached {
        do throws(APIError) {
          self.step = try await self.suspended(for: reason, work) ?? next
          self.place = .task
          self.run()
        } catch {
          self.fail(error)
        }
      }
    }
    if !isBegun { fail(APIError(.transport, .cancelled)) }
  }

  /// Does the work; with a reason, the flight counts as suspended meanwhile.
  func suspended<Value, Failure: Error>(
    for reason: String?, _ work: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    guard let reason else { return try await work() }
    beginSuspension(for: reason)
    defer { endSuspension() }
    return try await work()
  }

  /// The flight counts as suspended until `endSuspension()`.
  func beginSuspension(for reason: String) {
    note(.suspended(reason))
    tell(isSuspended: true)
  }

  func endSuspension() {
    note(.resumed)
    tell(isSuspended: false)
  }

  /// Waits until the caller resumes the flight, then goes on with this step.
  func holding(_ step: Step) -> Progress {
    .wait { () throws(APIError) in
      await withCheckedContinuation { waiter in
        if !self.cancellation.keep(waiter) { waiter.resume() }
      }
      return step
    }
  }

  private func tell(isSuspended: Bool) {
    guard let book else { return }
    MainDelivery.main.put { book.manager?.suspend(self, isSuspended) }
  }

  /// The load has failed, and nothing mends it.
  func end(_ error: APIError) {
    leaveHost(after: error)
    settle()
    cancellation.clear()
    let error = attaching(to: error)
    switch purpose {
    case .sharing(let completion): completion(.failure(error))
    case .landing, .refreshing:
      failure = error.completed(for: call)
      MainDelivery.main.put(self)
    }
  }

  /// Goes on, or lands as failed, on the main actor.
  @MainActor func deliver() {
    place = .mainActor
    if let failure { return deliverFailure(failure) }
    if step == .land { land() } else { run() }
  }

  /// Runs a wire call that others wait for. Cancelling the task cancels it.
  static func value(
    _ call: APICall, _ shared: SharedState, cache: FlightCache?, from step: Step
  ) async -> Result<APIResponse, APIError> {
    await outcome(call, shared, cache: cache, from: step).result
  }

  /// Runs such a call; returns whose it was in the end as well.
  static func outcome(
    _ call: APICall, _ shared: SharedState, cache: FlightCache?, from step: Step
  ) async -> (result: Result<APIResponse, APIError>, user: LoadUser) {
    let running = Running()
    let result = await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        let flight = Flight(
          call, shared, cache: cache, from: step, for: .sharing { continuation.resume(returning: $0) })
        running.flight.withLock { $0 = flight }
        // Cancelled before it began: it ends at its first operation.
        _ = running.cancellation.begin { flight }
        if running.cancellation.isCancelled { flight.cancel() }
        flight.run()
      }
    } onCancel: {
      running.cancellation.cancel()
    }
    return (result, running.flight.withLock { $0?.user } ?? call.user)
  }

  private final class Running: Sendable {
    let cancellation = Cancellation()
    let flight = Mutex<Flight?>(nil)
  }
}

extension Flight: CancellableOperation {
  func cancel() { cancellation.cancel() }
}
