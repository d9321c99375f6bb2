/// Makes attempts until one succeeds or the retry policy says that no other is worth it.
struct RetryStep {
  let call: APICall
  let airspace: Airspace
  let deadline: FlightDeadline

  /// Runs attempts, numbered from 1.
  func run(
    _ request: HTTPRequest, _ attempt: @escaping @Sendable (Int) async throws(APIError) -> APIResponse
  ) async throws(APIError) -> APIResponse {
    let policy = call.retryPolicy
    let hasKey = policy.idempotencyKeyField.map { request.headers.contains($0) } ?? false
    var machine = RetryMachine(
      policy: policy,
      load: .init(
        isIdempotent: request.method.isIdempotent || hasKey, isBodyReplayable: request.body.isReplayable),
      due: deadline.due)
    while true {
      let number = machine.attempt
      do throws(APIError) {
        let response = try await deadline.limit(call.time) { () throws(APIError) in
          try await attempt(number)
        }
        airspace.succeeded(at: HostKey(request.url), now: call.time.now)
        return response
      } catch {
        let error = described(error, attempt: number)
        guard error.reason != .cancelled else { throw error }
        call.recorder.record(.attemptFailed(label: error.label, detail: error.detail))
        guard policy.attempts > 1 else { throw error }
        let verdict = machine.failed(
          with: failure(error), now: call.time.now, jitter: .random(in: 0...1),
          draw: { airspace.drawRetry(at: HostKey(request.url), now: call.time.now) })
        switch verdict {
        case .giveUp(let reason):
          call.recorder.record(.gaveUp(because: reason))
          throw error
        case .retry(let wait, let reason):
          call.recorder.record(.retry(after: wait, because: reason))
          do { try await call.time.sleep(for: wait) } catch { throw APIError(.transport, .cancelled) }
        }
      }
    }
  }

  private func failure(_ error: APIError) -> RetryMachine.Failure {
    let isStatus = error.reason == .unacceptableStatus
    let name =
      if isStatus, let status = error.context.status { "status \(status)" } else { error.reason.name }
    return RetryMachine.Failure(
      row: call.retryPolicy.table.row(for: error), name: name,
      retryAfter: error.response.flatMap { RetryAfter.wait(in: $0.headers, now: call.time.wallClock) })
  }

  /// The error with the attempt it belongs to. A limit in time that was the deadline's is called so.
  private func described(_ error: APIError, attempt: Int) -> APIError {
    var error = error
    error.context.attempt = attempt
    error.context.attemptLimit = call.retryPolicy.attempts
    if error.reason == .totalTimeout, let limit = call.retryPolicy.deadline, deadline.isOver(call.time) {
      error.reason = .deadlineExceeded
      error.detail = "not finished before its deadline of \(limit.shortText)"
    }
    return error
  }
}
