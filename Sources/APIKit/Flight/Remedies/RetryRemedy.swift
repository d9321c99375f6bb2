/// Has attempts made again until one succeeds or the retry policy says that no other is worth it.
struct RetryRemedy: Remedy {
  func reset(for flight: Flight) { flight.run.attempt = 1 }

  func mend(_ failure: inout APIError, of flight: Flight) async throws(APIError) -> Flight.Step? {
    guard flight.run.attempt > 0 else { return nil }
    describe(&failure, flight)
    flight.note(.attemptFailed(label: failure.label, detail: failure.detail))
    guard flight.call.terms.retryPolicy.attempts > 1, let request = flight.run.request else { return nil }
    switch verdict(on: failure, request, flight) {
    case .giveUp(let reason):
      flight.note(.gaveUp(because: reason))
      return nil
    case .retry(let wait, let reason):
      flight.note(.retry(after: wait, because: reason))
      if wait > .zero { flight.tell(waitsFor: .backoff(wait)) }
      do throws(APIError) {
        try await flight.whileUserStays { [time = flight.call.time] () throws(APIError) in
          do { try await time.sleep(for: wait) } catch { throw APIError(.transport, .cancelled) }
        }
      } catch {
        // The load ends where it continues: nothing mends it.
        guard error.reason == .signedOut else { throw error }
      }
      flight.run.attempt += 1
      // The network may be another one by now.
      return .passGate
    }
  }

  private func verdict(
    on error: APIError, _ request: HTTPRequest, _ flight: Flight
  ) -> RetryMachine.Verdict {
    let call = flight.call
    var machine = RetryMachine(
      policy: call.terms.retryPolicy, due: flight.deadline.due, attempt: flight.run.attempt)
    return machine.failed(
      with: failure(error, flight), now: call.time.running, jitter: .random(in: 0...1),
      draw: { flight.shared.drawRetry(at: HostKey(request.url), now: call.time.now) })
  }

  private func failure(_ error: APIError, _ flight: Flight) -> RetryMachine.Failure {
    let call = flight.call
    let isStatus = error.reason == .unacceptableStatus
    let name =
      if isStatus, let status = error.context.status { "status \(status)" } else { error.reason.name }
    let row = call.terms.retryPolicy.table.row(for: error)
    return RetryMachine.Failure(
      row: row, name: name,
      retryAfter: row?.isOn == true ? flight.leavesBusyServer(error) : nil,
      objection: flight.objection(
        to: .retry, isUnprocessed: error.evidence != nil && row?.provesNothingSent == true))
  }

  /// Says to which attempt the error belongs. A limit in time that was the deadline's is called so.
  private func describe(_ error: inout APIError, _ flight: Flight) {
    let policy = flight.call.terms.retryPolicy
    error.context.attempt = flight.run.attempt
    error.context.attemptLimit = policy.attempts
    if error.reason == .totalTimeout, let limit = policy.deadline, flight.deadline.isOver(flight.call.time) {
      error.reason = .deadlineExceeded
      error.detail = "not finished before its deadline of \(limit.shortText)"
    }
  }
}
