extension BaseAPIManager {
  /// Handles a call of `load` up to the takeoff: parameters, validation, interceptors, policy.
  func takeOff(
    _ flight: FlightID, with given: Parameters?, path: String? = nil, cache: CacheUse = .asPolicy,
    options: LoadOptions = .none, previews: AsyncStream<APIResponse>.Continuation? = nil,
    onProgress: (@MainActor (TransferProgress) -> Void)? = nil,
    waiter: MainSlot<Result<APIResponse, APIError>>? = nil
  ) -> Takeoff {
    let recorder = FlightRecorder(flight: flight, manager: type(of: self), time: time)
    FlightLog.shared.add(recorder)
    do throws(APIError) {
      let changes = UserChanges.now
      let given = given ?? parameterSource?.parameters(for: self) ?? Parameters()
      let call = try child.makeCall(
        recorder, with: given, path: path, cache: cache, options: options,
        wantsProgress: reportsProgress || onProgress != nil)
      guard interceptors.allow({ $0.manager(self, shouldLoad: call.parameters) }) else {
        throw APIError(.takeoff, .vetoed, "an interceptor refused the load", context: call.context())
      }
      let flight = Flight(call, sharedState, flightStore: flightStore, comparedAt: changes)
      let policy = child.takeoffPolicy
      flight.policy = policy.rule.name
      flight.tags = tags
      flight.waiter = waiter
      flight.previews = previews
      flight.onProgress = onProgress
      if let queue { return enter(queue, flight) }
      return try admit(flight, policy)
    } catch {
      recorder.record(.refused(label: error.label, detail: error.detail))
      waiter?.resume(returning: .failure(error))
      if !error.isSilentRefusal { land(refusal: error, of: recorder) }
      return .refused(error)
    }
  }

  /// Applies the takeoff policy: the flight starts, waits, or is refused.
  private func admit(_ flight: Flight, _ policy: TakeoffPolicy) throws(APIError) -> Takeoff {
    let call = flight.call
    let decision = control.request(
      flight.id, policy: policy, parameters: call.parameters, now: time.now)
    switch decision.verdict {
    case .alreadyLoading:
      throw APIError(.takeoff, .alreadyLoading, context: call.context())
    case .queueFull(let limit):
      throw APIError(
        .takeoff, .queueFull, "\(limit) wait already; this load is refused", context: call.context())
    case .throttled(let remaining):
      throw APIError(
        .takeoff, .throttled, "the last takeoff was too recent, the next may be in \(remaining)",
        context: call.context())
    case .fly:
      open(flight)
      stop(decision.superseded)
      if !flight.state.isFinal { launch(flight) }
    case .wait where waitsForItself(flight):
      _ = control.retire(flight.id)
      supersede(decision)
      throw APIError(
        .takeoff, .resolutionCycle,
        "the error hook of \(call.service.name) waits for a load that waits for the one whose failure it "
          + "resolves",
        context: call.context())
    case .wait: openWaiting(flight)
    case .waitFor(let interval):
      openWaiting(flight)
      wait(interval, with: flight)
    }
    // An interceptor or a delegate may start or cancel loads from here on, so this comes after the
    // bookkeeping.
    interceptors.forEach { $0.manager(self, didLoad: call.parameters, as: flight.id) }
    supersede(decision)
    return decision.verdict == .fly ? .flying(flight.id) : .waiting(flight.id)
  }

  /// Whether a load that an error hook makes would wait here for the load whose failure the hook resolves.
  private func waitsForItself(_ flight: Flight) -> Bool {
    flight.call.resolving.contains {
      flightStore[$0.flight] != nil && control.controlsTogether($0.flight, flight.id)
    }
  }

  /// Cancels the replaced loads before the new one begins, so that they hold nothing that it needs: a slot of the host, the
  /// probe of a circuit breaker. ``supersede(_:)`` delivers their cancellation afterwards.
  private func stop(_ superseded: [FlightID]) {
    for id in superseded { flightStore[id]?.cancel() }
  }

  /// Starts a flight.
  func launch(_ flight: Flight) {
    flight.call.recorder.takeOff(policy: flight.policy)
    enter(.flying, flight)
    // An observer of notices may have suspended or ended it.
    if flight.suspensions > 0, flight.state == .flying { enter(.suspended, flight) }
    if !flight.state.isFinal { flight.proceed() }
  }

  /// Starts the timer of a debounced flight.
  private func wait(_ interval: Duration, with flight: Flight) {
    let time = time
    _ = flight.cancellation.begin {
      // Weak from here on: the timer must not keep the manager.
      Task.detached { [weak self] in
        do { try await time.sleep(for: interval) } catch { return }
        MainDelivery.main.put { [weak self] in self?.waitIsOver(for: flight) }
      }
    }
  }

  private func waitIsOver(for flight: Flight) {
    guard let decision = control.timerFired(for: flight.id, now: time.now) else { return }
    flightStore.takeOff(flight)
    stop(decision.superseded)
    launch(flight)
    supersede(decision)
  }

  private func supersede(_ decision: TakeoffControl.Decision) {
    control.setReplacing(true, decision)
    for id in decision.superseded { end(id, because: .superseded) }
    control.setReplacing(false, decision)
  }

  /// Delivers a refusal as a failure: one that neither the policy nor an interceptor decided. It is
  /// delivered on the next turn of the main actor, so that `load` returns before the delegate is called. Where an
  /// interceptor vetoes it, the delegate is told of a cancellation, as with every vetoed landing.
  private func land(refusal error: APIError, of recorder: FlightRecorder) {
    MainDelivery.main.put { [weak self] in
      guard let self else { return }
      if interceptors.allow({ $0.manager(self, beforeFailure: error) }) {
        tellFailure(error)
      } else {
        recorder.record(.note("interceptor", "vetoed the delivery of the refusal"))
        delegate?.manager(self, didCancel: recorder.flight, because: .vetoed)
      }
    }
  }
}

extension APIManager {
  /// Collects what the manager states about one load. Throws when the parameters are refused.
  func makeCall(
    _ recorder: FlightRecorder, with given: Parameters, path: String? = nil, cache use: CacheUse = .asPolicy,
    options: LoadOptions = .none, wantsProgress: Bool = false
  ) throws(APIError) -> APICall {
    let (service, apiName) = (service, apiName)
    var parameters = given
    do {
      if !hasLoaded { try beginFirstLoad(recorder) }
      try accept(&parameters)
      var wire = service.wire
      let own = decoding
      if own.mayDiffer(from: wire.decoding) { wire.decoding = own }
      let options = wire.applyOptions(load: options, manager: loadOptions, timeouts: timeouts, recorder)
      let body = try body(for: parameters)
      let caching = cacheTerms(use, over: wire.boxedClient.value.transport, recorder)
      return APICall(
        terms(caching, wantsProgress: wantsProgress), of: service, over: wire, recorder: recorder,
        apiName: apiName, path: path, parameters: parameters, body: body, options: options,
        resolving: ServiceHookRemedy.resolving)
    } catch {
      recorder.describe(
        service: service.name, method: method, apiName: apiName,
        parameters: parameterEncoding.masked(parameters))
      throw refusal(error, of: recorder.flight)
    }
  }

  /// What the manager states about every load, with the cache terms of this one.
  func terms(_ caching: consuming CacheTerms, wantsProgress: Bool) -> APICall.Terms {
    APICall.Terms(
      method: method, headers: headers, encoding: parameterEncoding, timeouts: timeouts,
      retryPolicy: retryPolicy, joinsIdenticalFlights: joinsIdenticalFlights, priority: priority,
      networkGate: networkGate, requestRate: requestRate, signInRule: signIn, expectation: expectation,
      caching: caching, wantsProgress: wantsProgress,
      outlivesRelease: outlivesRelease)
  }

  /// Reforms the parameters of a load and validates them.
  func accept(_ parameters: inout Parameters) throws {
    if let failure = parameters.failure { throw failure }
    parameters = try reformParameters(parameters)
    if let failure = parameters.failure { throw failure }
    try validate(parameters: parameters)
    try validator?.manager(self, validate: parameters)
  }

  /// The error of a load that does not take off for its parameters.
  func refusal(_ error: any Error, of flight: FlightID) -> APIError {
    var error = APIError(validation: error, .parameters, .invalidParameters)
    error.context.flightID = flight.rawValue
    error.context.manager = TypeName.of(manager: type(of: self), method: method.rawValue, apiName: apiName)
    error.context.service = service.name
    error.context.apiName = apiName
    error.context.method = method.rawValue
    return error
  }

  /// Checks the statements of the manager and its service, and finds its queue.
  private func beginFirstLoad(_ recorder: FlightRecorder) throws(APIError) {
    try checkStatements()
    if isQueued { queue = try LoadQueues.queue(of: Self.self) }
    hasLoaded = true
    flightStore.beginFirstTurn()
    guard let complaint = ServiceStore.shared.enter(service) else { return }
    recorder.record(.note("service", complaint))
    DeveloperNotice.hint(complaint)
  }

  private func cacheTerms(
    _ given: CacheUse, over transport: any HTTPTransport, _ recorder: FlightRecorder
  ) -> CacheTerms {
    let use = given == .asPolicy && transport.ignoresCaches ? .ignoringAllCaches : given
    let policy = cachePolicy
    // Stored responses belong to the user who was signed in then. They are not used while no user is signed
    // in.
    let lacksUser = signIn == .required && service.identity.authenticator?.isSignedIn == false
    if lacksUser, policy.rule != .none {
      recorder.record(.cache("what is stored is not shown: nobody is signed in"))
    }
    return CacheTerms(
      policy: lacksUser && use == .storedOnly ? .none : policy, traits: cacheTraits,
      use: lacksUser ? use.withoutStored : use)
  }
}

extension APIError {
  /// Whether a refusal is only returned by `load` and not delivered: the policy or an interceptor decided
  /// it.
  var isSilentRefusal: Bool {
    reason == .alreadyLoading || reason == .throttled || reason == .vetoed || reason == .queueFull
  }

  /// The error that a validation threw, as an ``APIError``.
  package init(validation error: any Error, _ stage: Stage, _ reason: Reason) {
    switch error {
    case let error as APIError: self = error
    case let error as ValidationError: self.init(stage, reason, error.message, underlying: error)
    default: self.init(stage, reason, "\(reason.text) (\(type(of: error)))", underlying: error)
    }
  }
}
