/// Lets a load share the wire call of an identical one, when its manager allows it.
struct JoinStep {
  private let call: APICall
  private let joins: Joins
  private let deadline: FlightDeadline
  private let key: JoinKey

  /// Nil for a load that makes its own call.
  init?(_ call: APICall, _ joins: Joins, _ deadline: FlightDeadline, _ request: HTTPRequest) {
    guard let key = JoinKey(call, request) else { return nil }
    self.call = call
    self.joins = joins
    self.deadline = deadline
    self.key = key
  }

  func run(
    _ fly: @escaping @Sendable () async throws(APIError) -> FlightOutcome
  ) async throws(APIError) -> FlightOutcome {
    while true {
      let outcome = try await deadline.limitWait(call.time) { [call, joins, key] () throws(APIError) in
        let outcome = await joins.outcome(for: call, key, fly: fly)
        if case .failure(let error) = outcome, error.reason == .cancelled { throw error }
        return outcome
      }
      // The shared call ends at the deadline of the flight that made it; whoever has time left goes on.
      if case .failure(let error) = outcome, error.reason == .deadlineExceeded, deadline.due != nil,
        !deadline.isOver(call.time)
      {
        continue
      }
      return try outcome.get()
    }
  }
}
