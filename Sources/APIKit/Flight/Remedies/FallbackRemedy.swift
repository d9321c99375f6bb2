/// Lands a stored response in the place of a failure, where the cache policy allows it.
struct StaleRemedy: Remedy {
  mutating func mend(_ failure: inout APIError, of flight: Flight) async throws(APIError) -> Flight.Step? {
    guard case .landing = flight.purpose else { return nil }
    guard let stale = flight.cache?.replacement(for: failure) else { return nil }
    (flight.run.response, flight.run.replaced) = (stale, failure)
    return .land
  }
}

/// Lands a load that may not fly with what its service declares instead.
struct FallbackRemedy: Remedy {
  mutating func mend(_ failure: inout APIError, of flight: Flight) async throws(APIError) -> Flight.Step? {
    guard case .landing = flight.purpose else { return nil }
    let call = flight.call
    // What a queue has kept or a transfer moves is to be sent or received, and would count as done.
    guard failure.isRefusalToSend, call.options.owner?.hasSubstitute != false else { return nil }
    let completed = failure.completed(for: call)
    // One that takes longer than the load has time is none.
    let fallback = try? await flight.deadline.limitWait(call.time) { () throws(APIError) in
      await Task.leavable { await call.service.fallback(for: completed, of: call) } ?? nil
    }
    guard let response = fallback else { return nil }
    flight.note(.downgraded("the service's fallback, for \(failure.label)"))
    flight.run.response = APIResponse(
      raw: response.raw, http: response.http, provenance: .fallback, source: ReformSource(call))
    return .land
  }
}
