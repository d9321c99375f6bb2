/// Has attempts made again until one succeeds or the retry policy says that no other is worth it.
struct RetryStep {
  private let flight: Flight
  private let request: HTTPRequest
  /// Made at the first failure.
  private var machine: RetryMachine?

  private var call: APICall { flight.call }

  init(_ flight: Flight, _ request: HTTPRequest) {
    self.flight = flight
    self.request = request
  }

  /// The number of the attempt under way, from 1.
  var attempt: Int { machine?.attempt ?? 1 }

  /// The load begins anew.
  mutating func begin() { machine = nil }

  func succeeded() { flight.sharedState.succeeded(at: HostKey(request.url), now: call.time.now) }

  /// Waits, and says that the attempt is to be made again; false when the failure stands, with what is
  /// known of its attempt filled in. Throws when the load was cancelled.
  mutating func mends(_ failure: inout APIError) async throws(APIError) -> Bool {
    failure = described(failure)
    guard failure.reason != .cancelled else { throw failure }
    call.recorder.record(.attemptFailed(label: failure.label, detail: failure.detail))
    guard call.retryPolicy.attempts > 1 else { return false }
    switch verdict(on: failure) {
    case .giveUp(let reason):
      call.recorder.record(.gaveUp(because: reason))
      return false
    case .retry(let wait, let reason):
      call.recorder.record(.retry(after: wait, because: reason))
      do { try await call.time.sleep(for: wait) } catch { throw APIError(.transport, .cancelled) }
      return true
    }
  }

  private mutating func verdict(on error: APIError) -> RetryMachine.Verdict {
    let policy = call.retryPolicy
    let hasKey = policy.idempotencyKeyField.map { request.headers.contains($0) } ?? false
    var machine =
      machine
      ?? RetryMachine(
        policy: policy,
        load: .init(
          isIdempotent: request.method.isIdempotent || hasKey, isBodyReplayable: request.body.isReplayable),
        due: flight.deadline.due)
    defer { self.machine = machine }
    return machine.failed(
      with: failure(error), now: call.time.now, jitter: .random(in: 0...1),
      draw: { flight.sharedState.drawRetry(at: HostKey(request.url), now: call.time.now) })
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
  private func described(_ error: APIError) -> APIError {
    var error = error
    error.context.attempt = attempt
    error.context.attemptLimit = call.retryPolicy.attempts
    if error.reason == .totalTimeout, let limit = call.retryPolicy.deadline, flight.deadline.isOver(call.time)
    {
      error.reason = .deadlineExceeded
      error.detail = "not finished before its deadline of \(limit.shortText)"
    }
    return error
  }
}
