/// The end of the time that all attempts of one flight have together.
struct FlightDeadline: Sendable {
  /// On the clock of the call, by the time for which the process runs; nil is no limit.
  let due: Duration?
  /// Has the time watched for which it does not.
  private let watch: SuspendedTime.Watch?
  /// Whether the transport cuts attempts by their own total limit; where it cannot, a timer does.
  private let isCutByTransport: Bool

  init(_ call: APICall) {
    guard let limit = call.terms.retryPolicy.deadline else {
      due = nil
      watch = nil
      isCutByTransport = true
      return
    }
    watch = .of(call.time)
    due = call.time.running + limit
    isCutByTransport = call.wire.client.transport.capabilities.contains(.totalTimeout)
  }

  /// The time left; nil for no limit.
  func remaining(_ time: any TimeSource) -> Duration? { due.map { max(.zero, $0 - time.running) } }

  /// Whether it has passed, a millisecond of the timers' own looseness forgiven.
  func isOver(_ time: any TimeSource) -> Bool { due.map { time.running + .milliseconds(1) >= $0 } ?? false }

  /// Whether an attempt is to be ended by a timer.
  var needsTimer: Bool { due != nil && !isCutByTransport }

  /// Lowers the total limit of a request to what is left. Throws when that is nothing: it must not be sent.
  func cut(_ request: inout HTTPRequest, _ time: any TimeSource) throws(APIError) {
    guard let remaining = remaining(time) else { return }
    guard remaining > .zero else { throw TimeLimit.passed(.zero).unsent }
    guard isCutByTransport else { return }
    // Zero would mean no limit.
    request.timeouts.ceiling = max(.milliseconds(1), remaining)
  }

  /// Waits for something that no transport ends: for others, for a slot, or for a transport without limits.
  func limitWait<Value: Sendable>(
    _ time: any TimeSource, _ wait: @escaping @Sendable () async throws(APIError) -> Value
  ) async throws(APIError) -> Value {
    guard let remaining = remaining(time) else { return try await wait() }
    return try await TimeLimit.run(remaining, by: time, wait)
  }
}
