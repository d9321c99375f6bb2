/// A load as a queue has kept it.
package struct KeptLoad: Sendable {
  package var method: HTTPMethod
  package var apiName: String
  package var parameters: Parameters
  /// Nil where the parameters are the body.
  package var body: HTTPBody?
  /// They replace fields of the manager of the same names.
  package var headers: HTTPHeaders
  package var environment: ServiceEnvironment
  /// The authenticator's epoch at which the item's user was found to be signed in; nil for a load without a user, which
  /// carries no credential.
  package var epoch: Int?
  /// As in ``LoadBinding``.
  package var willCross: (@Sendable (HTTPRequest) async throws(APIError) -> Void)?

  package init(
    _ method: HTTPMethod, _ apiName: String, parameters: Parameters, body: HTTPBody?, headers: HTTPHeaders,
    environment: ServiceEnvironment
  ) {
    (self.method, self.apiName, self.parameters) = (method, apiName, parameters)
    (self.body, self.headers, self.environment) = (body, headers, environment)
  }
}

/// What a queue makes of a manager's loads.
extension APIManager {
  /// The call of a load that a queue is to keep.
  package func makeCall(keeping parameters: Parameters, _ time: any TimeSource) throws(APIError) -> APICall {
    try makeCall(FlightRecorder(flight: .next(), manager: Self.self, time: time), with: parameters)
  }

  /// The parameters and the body of a further load; throws like the load.
  package func accept(
    _ given: Parameters, like call: APICall
  ) throws(APIError) -> (parameters: Parameters, body: HTTPBody?) {
    var parameters = given
    do {
      try accept(&parameters)
      return (parameters, try body(for: parameters))
    } catch {
      throw refusal(error, of: call.flightID)
    }
  }

  /// Sends what was kept, on the path of all loads, and waits for the landing. Neither delegate nor interceptors are
  /// asked. Cancelling the task cancels it.
  package func send(_ kept: KeptLoad) async -> Result<APIResponse, APIError> {
    guard !Task.isCancelled else { return .failure(APIError(cancelled: .taskCancelled)) }
    let recorder = FlightRecorder(flight: .next(), manager: type(of: self), time: time)
    FlightLog.shared.add(recorder)
    interceptors = InterceptorList()
    var (wire, own) = (service.wire, LoadOptions.none)
    own.binding = LoadBinding(environment: kept.environment.name, transport: nil)
    own.binding?.willCross = kept.willCross
    own.owner = LoadOwner(
      service.identity, wire, signIn: kept.epoch == nil ? .exempt : signIn, epoch: kept.epoch,
      hasSubstitute: false)
    // The response is kept, so it must fit into memory.
    let options = wire.applyOptions(
      load: own, manager: loadOptions, timeouts: timeouts, keepsBody: true, recorder)
    var terms = terms(CacheTerms(use: .ignoringAllCaches), wantsProgress: false)
    terms.method = kept.method
    terms.headers.merge(kept.headers)
    // The queue waits for a network itself; whether one is good enough says the manager.
    (terms.retryPolicy, terms.networkGate.rule) = (.never, .fly)
    (terms.joinsIdenticalFlights, terms.outlivesRelease) = (false, false)
    if kept.epoch == nil { terms.signInRule = .exempt }
    let call = APICall(
      terms, of: service, over: wire, recorder: recorder, apiName: kept.apiName, parameters: kept.parameters,
      body: kept.body, options: options, resolving: [])
    return await landing(of: call.flightID) { waiter in
      let flight = Flight(call, sharedState, flightStore: flightStore)
      (flight.policy, flight.waiter) = ("queue", waiter)
      open(flight)
      if !flight.state.isFinal { launch(flight) }
    }
  }
}
