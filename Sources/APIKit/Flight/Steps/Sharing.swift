/// How a load is one of a batch.
struct BatchPart: Sendable {
  let plan: BatchPlan
  /// On whose behalf it goes.
  let caller: LoadIdentity
}

/// Step `share`: identical loads share one wire call, and loads that ask for one thing each share a call for a list.
///
/// The load then waits for a wire call that several wait for, and continues with its response.
extension Flight {
  func share() -> Progress {
    if case .sharing = purpose { return .next }
    if let part = run.batch {
      tell(waitsFor: .batch)
      return .wait { () throws(APIError) in try await self.wait(as: part.value) }
    }
    // A replay goes as it is.
    guard run.attempt == 0, let request = run.request, let key = JoinKey.of(call, request, in: shared) else {
      return .next
    }
    let isBegun = cancellation.begin {
      shared.joins.enter(self, key) { Flight(sharing: self, completion: $0) }
    }
    if !isBegun { joined(.failure(APIError(.transport, .cancelled))) }
    return .handedOver
  }

  /// Takes the outcome of the call that was waited for, on any thread.
  ///
  /// - Parameters:
  ///   - caller: Whose it was.
  ///   - isLimited: Whether it had a deadline: that of the flight that made it.
  func joined(
    _ outcome: Result<APIResponse, APIError>, by caller: LoadUser? = nil, isLimited: Bool = false
  ) {
    ownership.take()
    if let epoch = caller?.epoch { takeUser(epoch) }
    run.executor = .transport
    cancellation.clear()
    switch outcome {
    case .success(let response):
      (run.response, run.step) = (response, .land)
      proceed()
    case .failure(let error)
    where error.reason == .deadlineExceeded && isLimited && !deadline.isOver(call.time)
      && objection(to: .sharedCallEnded) == nil:
      wait(nil, then: .share) { () throws(APIError) in nil }
    case .failure(let error): fail(error)
    }
  }

  /// Asks the service, once a load, whether it is one of a batch. Then the call of the batch is assembled, and the load
  /// itself is not.
  func planBatch() -> Bool {
    if case .sharing = purpose { return false }
    guard run.attempt == 0, call.body == nil, call.path == nil,
      !call.terms.wantsProgress, call.options.mayBeShared, let plan = call.service.batchPlan(for: call),
      call.terms.method.isSafe || plan.includesUnsafeMethods
    else { return false }
    let caller = LoadIdentity(call)
    guard caller.isKnown else { return false }
    run.batch = CopyOnWrite(BatchPart(plan: plan, caller: caller))
    return true
  }

  private func wait(as part: BatchPart) async throws(APIError) -> Step {
    let plan = part.plan
    var expectation = call.terms.expectation
    expectation.shape = ResponseShape()
    let key = Batches.BatchKey(
      manager: ObjectIdentifier(call.managerType), service: call.service.name, environment: call.environment,
      plan: plan.key, method: call.terms.method, headers: call.managerHeaders,
      parameters: plan.ownParameter.map { call.parameters.removing([$0]) }, timeouts: call.terms.timeouts,
      expectation: expectation.identity, caller: part.caller, dependents: LoadDependents(call))
    let (own, shared, cache) = (call, shared, cache)
    let terms = Batches.Terms(plan: plan, user: run.user) { call in
      await Flight.outcome(call, shared, cache: call === own ? cache : .make(for: call))
    } suspend: { [self] isSuspended in
      tell(isSuspended: isSuspended)
    }
    let landing = try await deadline.limitWait(own.time) { () throws(APIError) in
      let landing = await shared.batches.outcome(for: own, key, terms: terms)
      // Thrown, because a cancellation by the deadline is then told as `deadlineExceeded`.
      if landing.user == nil, case .failure(let error) = landing.result { throw error }
      return landing
    }
    if let epoch = landing.user?.epoch { takeUser(epoch) }
    run.response = try landing.result.get()
    return .land
  }
}
