/// The intensive path: what every load goes through between takeoff and landing.
///
/// Read ``fly()`` from top to bottom, then ``FlightCourse``: they are the table of contents. One step, one type,
/// one file. Steps are values; what one leaves for the next is what it returns. Runs off the main actor, in the
/// flight's own task; cancelling that task ends it at the step it is in.
struct Flight: Sendable {
  let call: APICall
  var cache: CacheStep?
  let onProgress: (@Sendable (TransferProgress) -> Void)?
  let airspace: Airspace
  let suspension: Suspension

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
    guard let batch = BatchStep(call, airspace.batches) else { return try await askAlone() }
    return try await batch.run { (call) throws(APIError) in
      let own = call === self.call ? cache : nil
      return try await Flight(
        call: call, cache: own, onProgress: nil, airspace: airspace, suspension: suspension
      ).askAlone()
    }
  }

  private func askAlone() async throws(APIError) -> FlightOutcome {
    let deadline = FlightDeadline(call)
    var assembled = try AssemblyStep(call: call).run()
    cache?.prepare(&assembled.request)
    do throws(APIError) {
      if let network = NetworkStep(call, suspension) { try await network.pass() }
      guard let join = JoinStep(call, airspace.joins, deadline, assembled.request) else {
        var course = FlightCourse(self, deadline, assembled)
        return try await course.fly()
      }
      return try await join.run { [assembled] () throws(APIError) in
        var course = FlightCourse(self, deadline, assembled)
        return try await course.fly()
      }
    } catch {
      if let stale = cache?.replacement(for: error) { return .succeeded(stale) }
      if let other = await FallbackStep(call: call).replacement(for: error) { return .succeeded(other) }
      throw error
    }
  }

  /// Asks the server once more, behind a landing with a stale answer that allowed it (RFC 5861, 3).
  ///
  /// - Parameter absorb: Called with a good answer, to be judged and stored. A failure is passed over: the
  ///   next load will ask again.
  func refresh(absorb: @Sendable (APIResponse) -> Void) async {
    guard cache?.wantsRefresh == true, case .succeeded(let response)? = try? await ask() else { return }
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
    guard case .succeeded(var response) = self else { return self }
    response.source = ReformSource(
      managerType: call.managerType, serviceName: call.service.name, apiName: call.apiName,
      parameters: call.parameters, flightID: call.flightID)
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
