/// Sends what a queue has kept, on the path of all loads.
extension APIManager {
  /// Sends what was kept and waits for the landing. Cancelling the task cancels it.
  ///
  /// - Parameters:
  ///   - kept: What was kept of the load.
  ///   - body: Its body; nil where the parameters are.
  ///   - keyField: The header field of the idempotency key.
  ///   - epoch: Of the authenticator, when it was seen that the user is the right one; nil for a load without a user, which carries
  ///     no credential.
  func send(
    _ kept: QueuedCall, body: HTTPBody?, keyField: String, epoch: Int?
  ) async -> Result<APIResponse, APIError> {
    let (service, id, book) = (service, FlightID.next(), book)
    let recorder = FlightRecorder(flight: id, manager: type(of: self), time: time)
    FlightLog.shared.add(recorder)
    recorder.describe(
      service: service.name, method: kept.method, apiName: kept.apiName, parameters: kept.parameters)
    var headers = headers
    headers.merge(kept.headers)
    headers[keyField] = kept.key
    if let type = kept.contentType, !headers.contains("Content-Type") { headers.add("Content-Type", type) }
    var options = LoadOptions.merging([
      (.manager, loadOptions), (.service, service.wire.loadOptions),
      (.configuration, service.wire.client.configured),
    ]).options
    // The response is kept, so it must fit into memory.
    options.destination = nil
    options.owner = epoch.map { LoadOwner(LoadUser(service.identity, service.wire, signIn, epoch: $0)) }
    let terms = APICall.Terms(
      method: kept.method, headers: headers, encoding: parameterEncoding, timeouts: timeouts,
      retryPolicy: .never, joinsIdenticalFlights: false, priority: priority, networkGate: .fly,
      requestRate: requestRate, signInRule: epoch == nil ? .exempt : signIn, expectation: expectation,
      caching: CacheTerms(use: .ignoringAllCaches), wantsProgress: false, outlivesRelease: false)
    let call = APICall(
      managerType: type(of: self), service: service, identity: service.identity, wire: service.wire,
      cache: service.cache, admission: service.admission, apiName: kept.apiName, parameters: kept.parameters,
      body: body, terms: terms, options: options, environment: ServiceEnvironment(kept.environment),
      recorder: recorder, resolving: [])
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

extension QueuedCall {
  /// The content of a load, but for its body.
  init(keeping call: APICall, key: String) {
    self.init()
    self.key = key
    service = call.service.name
    environment = call.environment.name
    apiName = call.apiName
    method = call.method
    parameters = call.parameters
    headers = call.terms.headers.withoutSecrets
    if case .stream(let stream)? = call.body { contentType = stream.contentType }
  }

  /// Becomes the content of another load of the same manager, but for its body: what the manager states of each load is read
  /// anew.
  ///
  /// - Returns: Its body; nil where the parameters are.
  @MainActor mutating func becomeNext<Manager: APIManager>(
    of manager: Manager, _ given: Parameters, _ recorder: FlightRecorder, keyField: String
  ) throws(APIError) -> HTTPBody? {
    (apiName, method, parameters) = (manager.apiName, manager.method, given)
    do {
      try manager.accept(&parameters, manager.validator)
      let (body, headers) = (try manager.body(for: parameters), manager.headers)
      key = headers[keyField] ?? Nonce.make()
      self.headers = headers.withoutSecrets
      contentType = nil
      if case .stream(let stream)? = body { contentType = stream.contentType }
      return body
    } catch {
      throw manager.refusal(error, recorder, apiName, method)
    }
  }
}

extension HTTPHeaders {
  /// Those that may stand on the disk.
  fileprivate var withoutSecrets: HTTPHeaders {
    isEmpty ? self : HTTPHeaders(fields.filter { !SecretNames.contains($0.name) })
  }
}
