/// A load as a queue has kept it.
package struct KeptLoad: Sendable {
  package var method: HTTPMethod
  package var apiName: String
  package var parameters: Parameters
  /// Nil where the parameters are the body.
  package var body: HTTPBody?
  /// Beside those of the manager.
  package var headers: HTTPHeaders
  package var environment: ServiceEnvironment
  /// That of the authenticator, when it was seen that the user is the right one; nil for a load without a user, which carries
  /// no credential.
  package var epoch: Int?

  package init(
    _ method: HTTPMethod, _ apiName: String, _ parameters: Parameters, body: HTTPBody?, headers: HTTPHeaders,
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
    try makeCall(
      FlightRecorder(flight: .next(), manager: Self.self, time: time), with: parameters, path: nil,
      cache: .asPolicy, options: .none, validator: validator, wantsProgress: false)
  }

  /// The parameters and the body of a further load; throws like the load.
  package func accept(
    _ given: Parameters, like call: APICall
  ) throws(APIError) -> (parameters: Parameters, body: HTTPBody?) {
    var parameters = given
    do {
      try accept(&parameters, validator)
      return (parameters, try body(for: parameters))
    } catch {
      throw refusal(error, call.recorder, apiName, method)
    }
  }

  /// Sends what was kept, on the path of all loads, and waits for the landing. Neither delegate nor interceptors are
  /// asked. Cancelling the task cancels it.
  package func send(_ kept: KeptLoad) async -> Result<APIResponse, APIError> {
    let (service, id, book) = (service, FlightID.next(), book)
    let recorder = FlightRecorder(flight: id, manager: type(of: self), time: time)
    FlightLog.shared.add(recorder)
    recorder.describe(
      service: service.name, method: kept.method, apiName: kept.apiName, parameters: kept.parameters)
    interceptors = InterceptorList()
    var headers = headers
    headers.merge(kept.headers)
    var options = LoadOptions.merging([
      (.manager, loadOptions), (.service, service.wire.loadOptions),
      (.configuration, service.wire.client.configured),
    ]).options
    // The response is kept, so it must fit into memory.
    options.destination = nil
    options.owner = kept.epoch.map { LoadOwner(service.identity, service.wire, signIn, epoch: $0) }
    let terms = APICall.Terms(
      method: kept.method, headers: headers, encoding: parameterEncoding, timeouts: timeouts,
      retryPolicy: .never, joinsIdenticalFlights: false, priority: priority, networkGate: .fly,
      requestRate: requestRate, signInRule: kept.epoch == nil ? .exempt : signIn, expectation: expectation,
      caching: CacheTerms(use: .ignoringAllCaches), wantsProgress: false, outlivesRelease: false)
    let call = APICall(
      managerType: type(of: self), service: service, identity: service.identity, wire: service.wire,
      cache: service.cache, admission: service.admission, apiName: kept.apiName, parameters: kept.parameters,
      body: kept.body, terms: terms, options: options, environment: kept.environment, recorder: recorder,
      resolving: [])
    return await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        let flight = Flight(call, sharedState, book)
        flight.policy = "queue"
        flight.waiter = waiter
        open(flight)
        launch(flight)
      }
    } onCancel: {
      book[id]?.cancel()
      MainDelivery.main.put { [weak self] in _ = self?.end(id, because: .taskCancelled) }
    }
  }
}
