/// Puts a load together with others into one call for a list, where the service has a plan for it.
struct BatchStep {
  private let call: APICall
  private let plan: BatchPlan
  private let key: Batches.Key
  private let batches: Batches

  /// Whether the load may be put together with others.
  static func takes(_ call: APICall) -> Bool {
    call.method.isSafe && call.body == nil && !call.wantsProgress && call.service.batchPlan(for: call) != nil
  }

  /// Nil for a load that makes its own call.
  init?(_ call: APICall, _ batches: Batches) {
    guard Self.takes(call), let plan = call.service.batchPlan(for: call) else { return nil }
    self.call = call
    self.plan = plan
    self.batches = batches
    key = Batches.Key(
      manager: ObjectIdentifier(call.managerType), service: call.service.name,
      environment: call.environment, plan: plan.key, headers: call.headers,
      parameters: plan.ownParameter.map { call.parameters.removing([$0]) },
      caller: CallerIdentity(call))
  }

  func run(_ fly: @escaping Batches.Fly) async throws(APIError) -> FlightOutcome {
    try await FlightDeadline(call).limitWait(call.time) { [call, plan, key, batches] () throws(APIError) in
      try await batches.outcome(for: call, plan, key, fly: fly).get()
    }
  }
}
