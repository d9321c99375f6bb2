/// Step `land`, on the main actor: the manager's own rules, the cache, the delegate.
extension Flight {
  @MainActor func judge() -> Progress {
    if cancellation.isHeld { return holding(.land) }
    guard let manager = flightStore?.manager, var response = run.response, !state.isFinal else {
      // The manager is gone, or the load was cancelled on its way here: nothing lands, though the server has acted.
      if let response = run.response, response.provenance == .network { tellChanges(by: response.http) }
      retire((run.response?.provenance).map { .succeeded($0) })
      return .handedOver
    }
    if let userObjection {
      deliverFailure(attaching(to: userObjection).completed(for: call))
      return .handedOver
    }
    if cancellation.isCancelled {
      // The task that waits for it is cancelled, and the manager hears of that behind this.
      if response.provenance == .network { tellChanges(by: response.http) }
      deliverFailure(APIError(cancelled: .taskCancelled).completed(for: call))
      return .handedOver
    }
    if response.flightID != id {
      response = response.landing(call)
      run.response = response
    }
    do throws(APIError) {
      try manager.judge(response, of: self)
      return .next
    } catch {
      // Rules change: what was stored under old ones must not fail a load that would succeed.
      if response.provenance.isStored, let cache {
        cache.discard()
        // It stood in for a failure, which lands now: the retry policy alone decides on further attempts.
        if let replaced = run.replaced {
          deliverFailure(attaching(to: replaced).completed(for: call))
          return .handedOver
        }
        if cache.mayAsk, objection(to: .storedRefused) == nil { return .goTo(.assemble) }
      }
      deliverFailure(attaching(to: error).completed(for: call))
      return .handedOver
    }
  }

  @MainActor func store() {
    guard let response = run.response else { return }
    let changes = changes(by: response.http)
    if response.provenance == .network { shared.changed(tags: changes.tags, urls: changes.urls) }
    cache?.settle(response, changing: changes, on: flightStore?.manager) {
      // A user whom the load has taken only on its way is not the one whose key it has.
      self.run.user == self.call.user && self.userObjection == nil
    }
  }

  /// What a response acknowledges as changed: the manager's tags, and the URLs of an unsafe request (RFC 9111, 4.4). Noted
  /// before the delegate is told, so that a load it starts sees the change.
  private func changes(by response: HTTPResponse) -> (tags: Set<String>, urls: [HTTPURL]) {
    let tags = call.terms.caching.traits.expires
    guard !call.method.isSafe, let request = run.request else { return (tags, []) }
    func changed(_ url: HTTPURL) -> [HTTPURL] {
      HTTPStorage.invalidated(
        method: call.method, url: url, status: response.status, headers: response.headers)
    }
    // A redirect may have led the request itself elsewhere (307, 308).
    guard let led = run.led, run.sent?.method.isSafe == false else { return (tags, changed(request.url)) }
    return (tags, changed(request.url) + changed(led))
  }

  /// The changes of a response that does not land: the server has made them, whatever is wrong with the response.
  func tellChanges(by response: HTTPResponse) {
    let changes = changes(by: response)
    shared.changed(tags: changes.tags, urls: changes.urls)
    cache?.expire(changes)
  }

  @MainActor func deliverSuccess() {
    guard case .landing = purpose, let flightStore, let manager = flightStore.manager,
      let response = run.response
    else {
      return retire((run.response?.provenance).map { .succeeded($0) })
    }
    manager.land(self, .success(response))
    if cache?.wantsRefresh == true { refresh(flightStore) }
  }

  /// The changes of a response with which something is wrong, or that came for a user who has left since.
  func tellChanges(beside error: APIError) {
    let response = error.response ?? (error.reason == .signedOut ? run.http ?? run.response?.http : nil)
    if let response, (200..<400).contains(response.status) { tellChanges(by: response) }
  }

  @MainActor func deliverFailure(_ error: APIError) {
    tellChanges(beside: error)
    guard case .landing = purpose, let manager = flightStore?.manager else {
      return retire(
        error.cancellation.map { .cancelled($0.description) }
          ?? .failed(label: error.label, detail: error.detail))
    }
    // Its user may have left on its way here, or while its caller had suspended it.
    let objection = error.isCancellation ? nil : userObjection
    manager.land(self, .failure(objection.map { attaching(to: $0).completed(for: call) } ?? error))
  }

  /// Ends a load that is not delivered: one behind a landing, or one whose manager is gone, which says so in its record.
  @MainActor private func retire(_ landing: FlightLanding?) {
    guard case .landing = purpose else {
      flightStore?.removeRefresh(self)
      cache?.endRefresh()
      return
    }
    guard flightStore?.remove(self) == true, let landing else { return }
    note(.note("delivery", "nothing is delivered: the manager was released"))
    call.recorder.land(landing)
  }

  /// Asks the server once more, behind a landing with a stale response that allowed it (RFC 5861, 3).
  @MainActor private func refresh(_ flightStore: FlightStore) {
    let flight = Flight(
      call, shared, cache: cache, flightStore: flightStore, for: .refreshing)
    flightStore.addRefresh(flight)
    flight.proceed()
  }
}

extension Provenance {
  /// Whether the body was stored before this load.
  fileprivate var isStored: Bool {
    switch self {
    case .network, .fallback: false
    case .memory, .disk, .stale, .revalidated: true
    }
  }
}
