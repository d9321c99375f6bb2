import Synchronization

extension BaseAPIManager {
  /// Everything between `load` and the air: parameters, interceptors, policy.
  func takeOff(
    _ flight: FlightID, with given: Parameters?, cache: CacheUse = .asPolicy,
    previews: AsyncStream<APIResponse>.Continuation? = nil,
    onProgress: (@MainActor (TransferProgress) -> Void)? = nil,
    waiter: CheckedContinuation<Result<APIResponse, APIError>, Never>? = nil
  ) -> Takeoff {
    // The weak reference to oneself is nil only while being released, when nobody can call.
    guard let child else { preconditionFailure("load was called on a manager that is being released") }
    let recorder = FlightRecorder(flight: flight, manager: type(of: self), time: time)
    FlightLog.shared.add(recorder)
    do throws(APIError) {
      let given = given ?? parameterSource?.parameters(for: self) ?? Parameters()
      let call = try child.statement(
        of: recorder, with: given, cache: cache, validator: validator,
        wantsProgress: reportsProgress || onProgress != nil)
      guard interceptors.allow({ $0.manager(self, shouldLoad: call.parameters) }) else {
        throw APIError(.takeoff, .vetoed, "an interceptor refused the load", context: call.context())
      }
      let ticket = FlightTicket(
        call: call, policy: child.takeoffPolicy, manager: self, owner: owner ?? delegate, tags: tags)
      ticket.waiter = waiter
      ticket.previews = previews
      ticket.onProgress = onProgress
      return try admit(ticket)
    } catch {
      recorder.record(.refused(label: error.label, detail: error.detail))
      waiter?.resume(returning: .failure(error))
      if !error.isSilentRefusal { land(refusal: error) }
      return .refused(error)
    }
  }

  /// Asks the policy and does as it says.
  private func admit(_ ticket: FlightTicket) throws(APIError) -> Takeoff {
    let call = ticket.call
    let decision = control.request(
      ticket.id, policy: ticket.policy, parameters: call.parameters, now: time.now)
    switch decision.verdict {
    case .alreadyLoading:
      throw APIError(.takeoff, .alreadyLoading, context: call.context())
    case .throttled(let remaining):
      throw APIError(
        .takeoff, .throttled, "the last takeoff was too recent, the next may be in \(remaining)",
        context: call.context())
    case .fly:
      open(ticket)
      launch(ticket)
    case .wait:
      open(ticket)
      call.recorder.record(.waiting(policy: ticket.policy.rule.name))
    case .waitFor(let interval):
      open(ticket)
      call.recorder.record(.waiting(policy: ticket.policy.rule.name))
      wait(interval, with: ticket)
    }
    // An interceptor or a delegate may start or cancel loads here: the books are in order by now.
    interceptors.forEach { $0.manager(self, didLoad: call.parameters, as: ticket.id) }
    for id in decision.superseded { end(id, because: .superseded) }
    return decision.verdict == .fly ? .flying(ticket.id) : .waiting(ticket.id)
  }

  /// Lets a flight take off on its own task.
  func launch(_ ticket: FlightTicket) {
    enter(.flying, ticket)
    ticket.call.recorder.record(.tookOff(policy: ticket.policy.rule.name))
    var hasLanded = false
    switch ticket.cache?.lookInMemory() {
    case .land(let response)?: return Self.putDown(ticket, .succeeded(response))
    case .landAndRefresh(let response)?:
      Self.putDown(ticket, .succeeded(response))
      hasLanded = true
    case .preview(let response)?: MainDelivery.main.put { ticket.manager?.preview(response, of: ticket) }
    case .ask?, nil: break
    }
    fly(ticket, onlyToRefresh: hasLanded)
  }

  /// Starts the task of a flight.
  func fly(_ ticket: FlightTicket, onlyToRefresh: Bool = false) {
    let flight = Flight(
      call: ticket.call, cache: ticket.cache, onProgress: progressReport(for: ticket), sharedState: sharedState,
      suspension: Suspension(recorder: ticket.call.recorder) { isSuspended in
        MainDelivery.main.put { ticket.manager?.suspend(ticket, isSuspended) }
      })
    let task = Task.detached {
      if !onlyToRefresh {
        let outcome = await flight.fly { preview in
          MainDelivery.main.put { ticket.manager?.preview(preview, of: ticket) }
        }
        Self.putDown(ticket, outcome)
      }
      guard flight.wantsRefresh else { return }
      await flight.refresh { response in
        MainDelivery.main.put { ticket.manager?.absorb(response, of: ticket) }
      }
    }
    if child?.outlivesRelease == true {
      OrphanedFlights.shared.add(task, for: ticket.id)
    } else {
      flightTasks.add(task, for: ticket.id)
    }
  }

  nonisolated static func putDown(_ ticket: FlightTicket, _ outcome: FlightOutcome) {
    MainDelivery.main.put {
      OrphanedFlights.shared.remove(ticket.id)
      guard let manager = ticket.manager else { return FlightRegistry.shared.forget(ticket.id) }
      manager.land(ticket, outcome)
    }
  }

  /// Waits out a debounce; what follows is up to the control.
  private func wait(_ interval: Duration, with ticket: FlightTicket) {
    let time = time
    let task = Task.detached {
      do { try await time.sleep(for: interval) } catch { return }
      MainDelivery.main.put { ticket.manager?.waitIsOver(for: ticket) }
    }
    flightTasks.add(task, for: ticket.id)
  }

  private func waitIsOver(for ticket: FlightTicket) {
    guard let decision = control.timerFired(for: ticket.id) else { return }
    launch(ticket)
    for id in decision.superseded { end(id, because: .superseded) }
  }

  private func progressReport(for ticket: FlightTicket) -> (@Sendable (TransferProgress) -> Void)? {
    guard ticket.call.wantsProgress else { return nil }
    return { progress in
      MainDelivery.main.put {
        guard let manager = ticket.manager, manager.tickets[ticket.id] != nil else { return }
        ticket.onProgress?(progress)
        guard manager.reportsProgress else { return }
        manager.delegate?.manager(manager, didProgress: progress, of: ticket.id)
      }
    }
  }

  /// A refusal that is nobody's decision lands like a failure, so that whoever waits hears of it; on the
  /// next turn, so that the caller of `load` is back before its delegate is called.
  private func land(refusal error: APIError) {
    MainDelivery.main.put { [weak self] in
      guard let self, interceptors.allow({ $0.manager(self, beforeFailure: error) }) else { return }
      tellFailure(error)
    }
  }
}

extension APIManager {
  /// What the child states about one load. Throws when the parameters do not validate.
  fileprivate func statement(
    of recorder: FlightRecorder, with given: Parameters, cache: CacheUse,
    validator: (any APIManagerValidator)?, wantsProgress: Bool
  ) throws(APIError) -> APICall {
    let service = service
    var parameters = given
    defer {
      recorder.describe(service: service.name, method: method, apiName: apiName, parameters: parameters)
    }
    do {
      parameters = try reformParameters(given)
      try validate(parameters: parameters)
      try validator?.manager(self, validate: parameters)
      let selection = service.environments.selection
      // What is stored belongs to whoever was signed in then: nobody sees it before they are again.
      let lacksUser = signIn == .required && service.authenticator?.isSignedIn == false
      if lacksUser, cachePolicy.rule != .none {
        recorder.record(.cache("what is stored is not shown: nobody is signed in"))
      }
      return APICall(
        flightID: recorder.flight, managerType: type(of: self), service: service,
        environment: selection.environment, baseURL: selection.baseURL, apiName: apiName, method: method,
        parameters: parameters, headers: headers, encoding: parameterEncoding,
        body: try body(for: parameters), timeouts: timeouts, retryPolicy: retryPolicy ?? service.retryPolicy,
        joinsIdenticalFlights: joinsIdenticalFlights,
        priority: priority, networkGate: networkGate ?? service.networkGate,
        resolving: ErrorHookStep.resolving, expectation: expectation, wantsProgress: wantsProgress,
        recorder: recorder,
        caching: CacheTerms(
          policy: cachePolicy, traits: cacheTraits, use: lacksUser ? .ignoring : cache,
          partition: service.cachePartition),
        signInRule: signIn, renews: service.authenticator == nil ? [] : Authenticator.atWork)
    } catch {
      var error = APIError(validation: error, .parameters, .invalidParameters)
      error.context.flightID = recorder.flight.rawValue
      error.context.manager = String(describing: type(of: self))
      error.context.service = service.name
      error.context.apiName = apiName
      error.context.method = method.rawValue
      throw error
    }
  }
}

extension APIError {
  /// Whether a refusal is told by the takeoff alone: somebody decided it.
  var isSilentRefusal: Bool { reason == .alreadyLoading || reason == .throttled || reason == .vetoed }

  /// What a validation threw, as an error of the framework.
  init(validation error: any Error, _ place: Place, _ reason: Reason) {
    switch error {
    case let error as APIError: self = error
    case let error as ValidationError: self.init(place, reason, error.message, underlying: error)
    default: self.init(place, reason, "\(reason.text) (\(type(of: error)))", underlying: error)
    }
  }
}

extension FlightID {
  private static let last = Atomic<UInt64>(0)

  /// An id that was never given before in this process.
  static func next() -> FlightID {
    FlightID(rawValue: last.wrappingAdd(1, ordering: .relaxed).newValue)
  }
}
