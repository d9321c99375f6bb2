/// How a load waits, ends, and comes back to the main actor.
extension Flight: MainDeliverable {
  /// Does the work in a task, and continues from where it says or else from `next`.
  func wait(
    _ cause: WaitCause?, then next: Step, _ work: @escaping @Sendable () async throws(APIError) -> Step?
  ) {
    ownership.release()
    let isBegun = cancellation.begin {
      Task.detached {
        self.ownership.take()
        do throws(APIError) {
          self.run.step = try await self.suspended(for: cause, work) ?? next
          self.run.executor = .task
          self.proceed()
        } catch {
          self.fail(error)
        }
      }
    }
    if !isBegun { fail(APIError(.transport, .cancelled)) }
  }

  /// What a load that counts as suspended waits for, and the reason for its record.
  typealias WaitCause = (wait: FlightWait, reason: String)

  /// Does the work; with a cause, the flight counts as suspended meanwhile.
  func suspended<Value, Failure: Error>(
    for cause: WaitCause?, _ work: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    guard let cause else { return try await work() }
    beginSuspension(for: cause)
    defer { endSuspension() }
    return try await work()
  }

  /// The flight counts as suspended until `endSuspension()`.
  func beginSuspension(for cause: WaitCause) {
    note(.suspended(cause.reason))
    tell(waitsFor: cause.wait)
    tell(isSuspended: true)
  }

  func endSuspension() {
    note(.resumed)
    tell(isSuspended: false)
  }

  /// Waits for a turn while the load has time and its user stays.
  ///
  /// - Returns: How long that took; nil where it is not worth a line of the record.
  func waitInLine(
    _ enter: @escaping @Sendable () async throws(APIError) -> Void
  ) async throws(APIError) -> Duration? {
    let (time, deadline, start) = (call.time, deadline, call.time.now)
    try await whileUserStays { () throws(APIError) in try await deadline.limitWait(time, enter) }
    let waited = time.now - start
    return waited > .milliseconds(1) ? waited : nil
  }

  /// Waits until the caller resumes the flight, then continues with this step.
  func holding(_ step: Step) -> Progress {
    .wait { () throws(APIError) in
      await self.resumed()
      return step
    }
  }

  /// Returns when the caller has resumed the flight, or it is cancelled.
  private func resumed() async {
    await withCheckedContinuation { waiter in
      if !cancellation.keep(waiter) { waiter.resume() }
    }
  }

  /// Whether the caller has suspended the flight, which then lands as failed once it is resumed.
  @MainActor private var isHoldingFailure: Bool {
    guard cancellation.isHeld else { return false }
    ownership.release()
    let isBegun = cancellation.begin {
      Task.detached {
        await self.resumed()
        MainDelivery.main.put(self)
      }
    }
    if !isBegun { ownership.take() }
    return isBegun
  }

  /// Has the state of the load changed at its manager, and of the loads that share it at theirs.
  func tell(isSuspended: Bool) {
    if case .sharing = purpose {
      shared.joins.suspend(isSuspended, self)
      shared.batches.suspend(isSuspended, self)
    }
    guard let flightStore else { return }
    MainDelivery.main.put { flightStore.manager?.suspend(self, isSuspended) }
  }

  /// The load has failed, and nothing mends it.
  func end(_ error: APIError) {
    ownership.take()
    leaveHost(after: error)
    settle()
    cancellation.clear()
    let error = attaching(to: error)
    switch purpose {
    case .sharing(let completion):
      if !call.method.isSafe { tellChanges(beside: error) }
      completion(.failure(error), run.user)
    case .landing, .refreshing:
      run.failure = error.completed(for: call)
      ownership.release()
      MainDelivery.main.put(self)
    }
  }

  /// Goes on, or lands as failed, on the main actor.
  @MainActor func deliver() {
    ownership.take()
    run.executor = .mainActor
    if let failure = run.failure { return isHoldingFailure ? () : deliverFailure(failure) }
    if run.step == .land { land() } else { proceed() }
  }

  /// Runs a wire call that others wait for; returns whose it was in the end as well. Cancelling the task cancels it.
  static func outcome(
    _ call: APICall, _ shared: SharedState, cache: FlightCache?
  ) async -> (result: Result<APIResponse, APIError>, user: LoadUser) {
    let cancellation = Cancellation()
    return await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        let flight = Flight(
          call, shared, cache: cache, for: .sharing { continuation.resume(returning: ($0, $1)) })
        // Cancelled before it began: it ends at its first operation.
        if !cancellation.begin({ flight }) { flight.cancel() }
        flight.proceed()
      }
    } onCancel: {
      cancellation.cancel()
    }
  }
}

extension Flight: CancellableOperation {
  func cancel() { cancellation.cancel() }
}
