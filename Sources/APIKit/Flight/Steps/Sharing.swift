/// Step `share`: identical loads share one wire call, and loads that ask for one thing each share a call for a list.
///
/// The load then waits for a wire call that several wait for, and goes on with its response.
extension Flight {
  func share() -> Progress {
    if case .sharing = purpose { return .next }
    if let plan = batchPlan() { return .wait { () throws(APIError) in try await self.wait(in: plan) } }
    guard let request, let key = JoinKey(call, request) else { return .next }
    return .wait { () throws(APIError) in try await self.wait(forCallOf: key) }
  }

  private func land(_ response: APIResponse) -> Step {
    var response = response
    if response.flightID != id { response.source = ReformSource(call) }
    self.response = response
    return .judge
  }

  private func batchPlan() -> BatchPlan? {
    guard call.terms.method.isSafe, call.body == nil, !call.terms.wantsProgress else { return nil }
    return call.service.batchPlan(for: call)
  }

  private func wait(in plan: BatchPlan) async throws(APIError) -> Step {
    let key = Batches.Key(
      manager: ObjectIdentifier(call.managerType), service: call.service.name, environment: call.environment,
      plan: plan.key, headers: call.terms.headers,
      parameters: plan.ownParameter.map { call.parameters.removing([$0]) }, caller: CallerIdentity(call))
    let (own, shared, cache) = (call, shared, cache)
    return land(
      try await deadline.limitWait(call.time) { () throws(APIError) in
        try await shared.batches.outcome(for: own, plan, key) { call in
          await Flight.value(call, shared, cache: call === own ? cache : nil, from: .assemble)
        }.get()
      })
  }

  private func wait(forCallOf key: JoinKey) async throws(APIError) -> Step {
    let (call, shared, cache, request, signed) = (call, shared, cache, request, signed)
    while true {
      let outcome = try await deadline.limitWait(call.time) { () throws(APIError) in
        let outcome = await shared.joins.outcome(for: call, key) {
          await Flight.value(
            call, shared, cache: cache, from: .authorize, request: request, signed: signed)
        }
        if case .failure(let error) = outcome, error.reason == .cancelled { throw error }
        return outcome
      }
      // The shared call ends at the deadline of the flight that made it; whoever has time left goes on.
      if case .failure(let error) = outcome, error.reason == .deadlineExceeded, deadline.due != nil,
        !deadline.isOver(call.time)
      {
        continue
      }
      return land(try outcome.get())
    }
  }
}
