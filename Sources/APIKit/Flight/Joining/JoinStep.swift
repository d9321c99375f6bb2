/// Lets a load share the wire call of an identical one, when its manager allows it.
struct JoinStep {
  let call: APICall
  let joins: Joins
  let deadline: FlightDeadline

  func run(
    _ request: HTTPRequest, _ fly: @escaping @Sendable () async throws(APIError) -> FlightOutcome
  ) async throws(APIError) -> FlightOutcome {
    guard let key = JoinKey(call, request) else { return try await fly() }
    while true {
      let outcome = try await deadline.limitWait(call.time) { [call, joins] () throws(APIError) in
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
