/// The landing of flights on their manager.
extension BaseAPIManager: FlightOwner {
  var beneficiary: AnyObject? { owner ?? delegate }

  /// Applies the subclass's own validation, then the validator's.
  func judge(_ response: APIResponse, of flight: Flight) throws(APIError) {
    do {
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
  func preview(_ response: APIResponse, of flight: Flight) {
    guard !flight.state.isFinal, flight.userObjection == nil else { return }
    do throws(APIError) { try judge(response, of: flight) } catch {
      flight.cache?.discard()
      return
    }
    guard interceptors.allow({ $0.manager(self, beforePreview: response) }) else { return }
    // Rules and interceptors may have ended it, or signed its user out.
    guard !flight.state.isFinal, flight.userObjection == nil else { return }
    lastResponse = response
    delegate?.manager(self, didPreviewWith: response)
    flight.previews?.yield(response)
  }

  func suspend(_ flight: Flight, _ isSuspended: Bool) {
    flight.suspensions += isSuspended ? 1 : -1
    let next: FlightState = flight.suspensions > 0 ? .suspended : .flying
    guard flight.state.canMove(to: next) else { return }
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
    switch result {
    case .success(let response): land(flight, success: response)
    case .failure(let error) where error.isCancellation: land(flight, cancelled: error)
    case .failure(let error): land(flight, failure: error)
    }
  }

  private func land(_ flight: Flight, success response: APIResponse) {
    interceptors.forEach { $0.manager(self, didReceive: response.http, of: flight.id) }
    guard interceptors.allow({ $0.manager(self, beforeSuccess: response) }) else {
      return land(flight, cancelled: APIError(cancelled: .vetoed))
    }
    // An interceptor may have signed the user out to whom the response belongs.
    if let objection = flight.userObjection {
      return land(flight, failure: objection.completed(for: flight.call))
    }
    lastResponse = response
    lastError = nil
    enter(.succeeded, flight)
    flight.progress?.finish()
    flight.call.recorder.land(
      .succeeded(response.provenance), status: response.status, decodedBytes: response.http.body.count)
    delegate?.manager(self, didSucceedWith: response)
    interceptors.forEach { $0.manager(self, afterSuccess: response) }
    tell(.success(response), of: flight)
  }

  private func land(_ flight: Flight, failure error: APIError) {
    if let response = error.response {
      interceptors.forEach { $0.manager(self, didReceive: response, of: flight.id) }
    }
    guard interceptors.allow({ $0.manager(self, beforeFailure: error) }) else {
      return land(flight, cancelled: APIError(cancelled: .vetoed))
    }
    enter(.failed, flight)
    flight.call.recorder.land(
      .failed(label: error.label, detail: error.detail), status: error.context.status,
      decodedBytes: error.evidence.map { Int64($0.body.count) })
    tellFailure(error)
    tell(.failure(error), of: flight)
  }

  /// Calls the delegate with a failure, then the interceptors.
  func tellFailure(_ error: APIError) {
    lastError = error
    delegate?.manager(self, didFailWith: error)
    interceptors.forEach { $0.manager(self, afterFailure: error) }
  }

  func land(_ flight: Flight, cancelled error: APIError) {
    let reason = error.cancellation ?? .taskCancelled
    enter(.cancelled, flight)
    flight.call.recorder.land(.cancelled(reason.description))
    delegate?.manager(self, didCancel: flight.id, because: reason)
    tell(.failure(APIError(cancelled: reason).completed(for: flight.call)), of: flight)
  }
}
