/// The landing of flights on their manager.
extension BaseAPIManager: FlightOwner {
  var beneficiary: AnyObject? { owner ?? delegate }

  /// Applies the subclass's own validation, then the validator's.
  func judge(_ response: APIResponse, of flight: Flight) throws(APIError) {
    do {
      try flight.call.options.rule?(response)
      try child.validate(response: response)
      try validator?.manager(self, validate: response)
    } catch {
      var error = APIError(validation: error, .response, .invalidResponse)
      error.evidence = error.evidence ?? response.http.evidence
      throw error
    }
  }

  func offer(_ response: StorableResponse) -> StorableResponse? { child.willStore(response) }

  /// Delivers a stored response while the flight continues. If it is no longer valid, it is removed from
  /// the cache.
  func preview(_ response: APIResponse, of flight: Flight, for user: LoadUser) {
    func isWanted() -> Bool { !flight.state.isFinal && flight.call.objection(to: user, host: nil) == nil }
    guard isWanted() else { return }
    do throws(APIError) { try judge(response, of: flight) } catch {
      flight.cache?.discard()
      return
    }
    guard interceptors.allow({ $0.manager(self, beforePreview: response) }) else { return }
    // Rules and interceptors may have ended it, or signed its user out.
    guard isWanted() else { return }
    lastResponse = response
    // So may an observer of the response.
    guard isWanted() else { return }
    delegate?.manager(self, didPreviewWith: response)
    flight.previews?.yield(response)
  }

  func suspend(_ flight: Flight, _ isSuspended: Bool) {
    flight.suspensions += isSuspended ? 1 : -1
    let next: FlightState = flight.suspensions > 0 ? .suspended : .flying
    // One that is held back takes off by its policy alone, and is then suspended if there is still a reason.
    guard flight.state != .waiting, flight.state.canMove(to: next) else { return }
    enter(next, flight)
  }

  func report(_ progress: TransferProgress, of flight: Flight) {
    guard !flight.state.isFinal else { return }
    flight.onProgress?(progress)
    flight.progress?.show(progress)
    guard reportsProgress, !flight.state.isFinal else { return }
    delegate?.manager(self, didProgress: progress, of: flight.id)
  }

  /// Delivers the end of a flight. Does nothing when the flight is over already.
  func land(_ flight: Flight, _ result: Result<APIResponse, APIError>) {
    guard !flight.state.isFinal else { return }
    retire(flight)
    deliver(result, of: flight.id, flight)
  }

  /// Delivers the end of a load that another object has made, maybe in a launch before: that load has the state and the
  /// record, and the id where it is known.
  package func land(kept result: Result<APIResponse, APIError>) {
    deliver(result, of: (try? result.get().flightID) ?? .next())
  }

  /// Delivers a landing to interceptors, delegate and streams.
  ///
  /// - Parameter flight: Nil for a load that another object has made.
  private func deliver(_ result: Result<APIResponse, APIError>, of id: FlightID, _ flight: Flight? = nil) {
    switch result {
    case .success(let response): deliver(success: response, of: id, flight)
    case .failure(let error) where error.isCancellation: deliver(cancelled: error, of: id, flight)
    case .failure(let error): deliver(failure: error, of: id, flight)
    }
  }

  private func deliver(success response: APIResponse, of id: FlightID, _ flight: Flight?) {
    interceptors.forEach { $0.manager(self, didReceive: response.http, of: id) }
    guard interceptors.allow({ $0.manager(self, beforeSuccess: response) }) else {
      return deliver(cancelled: APIError(cancelled: .vetoed), of: id, flight)
    }
    // An interceptor may have signed the user out to whom the response belongs.
    if let flight, let objection = flight.userObjection {
      return deliver(failure: objection.completed(for: flight.call), of: id, flight)
    }
    lastResponse = response
    lastError = nil
    // So may an observer of these.
    if registrar != nil, let flight, let objection = flight.userObjection {
      return deliver(failure: objection.completed(for: flight.call), of: id, flight)
    }
    if let flight {
      enter(.succeeded, flight)
      flight.progress?.finish()
      flight.call.recorder.land(
        .succeeded(response.provenance), status: response.status, decodedBytes: response.http.body.count)
    }
    delegate?.manager(self, didSucceedWith: response)
    interceptors.forEach { $0.manager(self, afterSuccess: response) }
    tell(.success(response), of: flight)
  }

  private func deliver(failure error: APIError, of id: FlightID, _ flight: Flight?) {
    if let response = error.response {
      interceptors.forEach { $0.manager(self, didReceive: response, of: id) }
    }
    guard interceptors.allow({ $0.manager(self, beforeFailure: error) }) else {
      return deliver(cancelled: APIError(cancelled: .vetoed), of: id, flight)
    }
    // An interceptor may have signed the user out to whom the failure and its response belong.
    let error = flight.flatMap { flight in flight.userObjection?.completed(for: flight.call) } ?? error
    if let flight {
      enter(.failed, flight)
      flight.call.recorder.land(
        .failed(label: error.label, detail: error.detail), status: error.context.status,
        decodedBytes: error.evidence.map { Int64($0.body.count) })
    }
    tellFailure(error)
    tell(.failure(error), of: flight)
  }

  /// Calls the delegate with a failure, then the interceptors.
  func tellFailure(_ error: APIError) {
    lastError = error
    delegate?.manager(self, didFailWith: error)
    interceptors.forEach { $0.manager(self, afterFailure: error) }
  }

  func deliver(cancelled error: APIError, of id: FlightID, _ flight: Flight?) {
    let reason = error.cancellation ?? .taskCancelled
    if let flight {
      enter(.cancelled, flight)
      flight.call.recorder.land(.cancelled(reason.description))
    }
    delegate?.manager(self, didCancel: id, because: reason)
    var end = APIError(cancelled: reason)
    // How far the request came is known to who runs the load, and that has not ended yet.
    end.context.isElsewhere = flight?.wentElsewhere.load() == true
    tell(.failure(flight.map { end.completed(for: $0.call) } ?? end), of: flight)
  }
}
