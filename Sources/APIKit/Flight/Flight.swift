/// The intensive path: what every load goes through between takeoff and landing.
///
/// Read ``fly()`` from top to bottom, then ``FlightCourse``: they are the table of contents. One step, one type,
/// one file. Steps are values; what one leaves for the next is what it returns. Runs off the main actor, in the
/// flight's own task; cancelling that task ends it at the step it is in.
///
/// A class, as the course is: what lives across a wait is memory of every flight in the air, and a reference is
/// one word of it. For the same reason what few loads need waits in a function of its own, and is not
/// inlined.
final class Flight: Sendable {
  let call: APICall
  let cache: CacheStep?
  let onProgress: (@Sendable (TransferProgress) -> Void)?
  let sharedState: SharedState
  let suspension: Suspension
  let deadline: FlightDeadline

  init(
    call: APICall, cache: CacheStep?, onProgress: (@Sendable (TransferProgress) -> Void)?,
    sharedState: SharedState, suspension: Suspension
  ) {
    self.call = call
    self.cache = cache
    self.onProgress = onProgress
    self.sharedState = sharedState
    self.suspension = suspension
    deadline = FlightDeadline(call)
  }

  /// - Parameter preview: Called when a stored answer is to be shown while the flight goes on.
  func fly(preview: @Sendable (APIResponse) -> Void = { _ in }) async -> FlightOutcome {
    do {
      if let stored = try cache?.lookUp(preview: preview) { return .succeeded(stored) }
      return try await ask()
    } catch {
      guard error.reason != .signInCancelled else { return .cancelled(.signInCancelled) }
      return .failed(error.completed(for: call))
    }
  }

  /// The part of the path that ends at the server: by a call of one's own, or by one for several loads.
  private func ask() async throws(APIError) -> FlightOutcome {
    if BatchStep.takes(call) { return try await askWithOthers() }
    return try await askAlone()
  }

  @inline(never)
  private func askWithOthers() async throws(APIError) -> FlightOutcome {
    guard let batch = BatchStep(call, sharedState.batches) else { return try await askAlone() }
    return try await batch.run { (call) throws(APIError) in
      let own = call === self.call ? self.cache : nil
      return try await Flight(
        call: call, cache: own, onProgress: nil, sharedState: self.sharedState, suspension: self.suspension
      ).askAlone()
    }
  }

  private func askAlone() async throws(APIError) -> FlightOutcome {
    let course = try assembledCourse()
    do throws(APIError) {
      if NetworkStep.holds(call) { try await NetworkStep(call: call, suspension: suspension).pass() }
      if call.joinsIdenticalFlights { return try await join(course) }
      return try await course.fly()
    } catch {
      return try await replacement(for: error)
    }
  }

  @inline(never)
  private func assembledCourse() throws(APIError) -> FlightCourse {
    var assembled = try AssemblyStep(call: call).run()
    cache?.prepare(&assembled.request)
    return FlightCourse(self, assembled)
  }

  /// Identical flights share one wire call.
  @inline(never)
  private func join(_ course: sending FlightCourse) async throws(APIError) -> FlightOutcome {
    let assembled = course.assembled
    guard let join = JoinStep(call, sharedState.joins, deadline, assembled.request) else {
      return try await course.fly()
    }
    return try await join.run { () throws(APIError) in try await FlightCourse(self, assembled).fly() }
  }

  /// What lands in the place of a failure; throws the failure when nothing does.
  @inline(never)
  private func replacement(for error: APIError) async throws(APIError) -> FlightOutcome {
    if let stale = cache?.replacement(for: error) { return .succeeded(stale) }
    if let other = await FallbackStep(call: call).replacement(for: error) { return .succeeded(other) }
    throw error
  }

  /// Whether the server is to be asked once more; true once.
  var wantsRefresh: Bool { cache?.wantsRefresh == true }

  /// Asks the server once more, behind a landing with a stale answer that allowed it (RFC 5861, 3).
  ///
  /// - Parameter absorb: Called with a good answer, to be judged and stored. A failure is passed over: the
  ///   next load will ask again.
  func refresh(absorb: @Sendable (APIResponse) -> Void) async {
    guard case .succeeded(let response)? = try? await ask() else { return }
    absorb(response)
  }
}

/// How the intensive path ended, before the manager's own validator and interceptors have had their say.
enum FlightOutcome: Sendable {
  case succeeded(APIResponse)
  case failed(APIError)
  case cancelled(CancellationReason)

  /// The outcome as one call's own: a response says which call landed with it, whoever fetched it.
  func stamped(with call: APICall) -> FlightOutcome {
    guard case .succeeded(var response) = self, response.flightID != call.flightID else { return self }
    response.source = ReformSource(call)
    return .succeeded(response)
  }
}

extension APIError {
  /// The error with what the call knows filled in where it says nothing itself.
  func completed(for call: APICall) -> APIError {
    var error = self
    let own = context
    error.context = call.context()
    error.context.location = own.location
    error.context.attempt = own.attempt
    error.context.attemptLimit = own.attemptLimit
    error.context.elapsed = own.elapsed
    error.context.status = own.status ?? evidence?.status
    return error
  }
}

extension ReformSource {
  /// What a landing says of its call.
  init(_ call: APICall) {
    self.init(
      managerType: call.managerType, serviceName: call.service.name, apiName: call.apiName,
      parameters: call.parameters, flightID: call.flightID)
  }
}
