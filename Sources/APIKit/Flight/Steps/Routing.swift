/// Step `route`: the server of the service's pool that an attempt goes to.
///
/// Asked for every attempt, and again within one when a server fails before anything was sent to it.
extension Flight {
  func route() throws(APIError) -> Progress {
    guard let pool = call.admission.hosts, let request = run.request, try pool.serves(request) else {
      return .next
    }
    // A file is read, or a signer of the application's own follows.
    if run.executor == .transport, call.identity.signer?.runsInline == false { return .on(.task) }
    if !call.listsHosts {
      switch pool.need(call.time) {
      case .nothing: break
      case .refresh: pool.askBehind(call.time)
      case .read:
        guard run.executor == .task else { return .on(.task) }
        pool.readKept(call.time)
        return .goTo(.route)
      case .wait:
        tell(waitsFor: .servers(of: pool.name))
        return .wait { () throws(APIError) in
          try await self.waitForServers(of: pool)
          return .route
        }
      }
    }
    let way = run.way ?? HostRoute(pool)
    run.way = way
    return try choose(way, request)
  }

  private func choose(_ way: HostRoute, _ request: HTTPRequest) throws(APIError) -> Progress {
    let pool = way.pool
    if !way.isFailover, !way.tried.isEmpty, !pool.hasMore(than: way.tried) {
      // Another round, which does not begin with the server that has just failed.
      let last = way.last.map { [$0] } ?? []
      way.tried = pool.hasMore(than: last) ? last : []
    }
    // The time and the transport are looked at where there is something to choose.
    let choice = pool.choose(
      by: call.time, except: way.tried,
      probes: !way.isFailover && call.wire.client.transport.connector == nil)
    guard let choice else {
      guard pool.source?.fallsBack ?? true else {
        throw APIError(
          .transport, .unknownHost, "the pool of \(pool.name) has no address: its resolver gave none")
      }
      way.server = nil
      note(.routed(to: pool.name, because: "no address of the pool is known; the system looks the name up"))
      return .next
    }
    guard choice.reason != .only else {
      take(choice.host, .only, cost: nil, by: way)
      return .next
    }
    let transport = call.wire.client.transport
    // Where the application is asked about the server, the load's own connection asks it.
    let mayConnectAhead = call.options.challenges == nil
    if mayConnectAhead, pool.beginsRound(call.time.now),
      let measure = transport.connecting(for: request, keeping: false)
    {
      pool.measureBehind(call.time, measure)
    }
    if mayConnectAhead, !choice.isFresh, !choice.others.isEmpty, choice.reason != .probe,
      let connector = transport.connector, let connect = transport.connecting(for: request, keeping: true)
    {
      let key = HostPool.RaceKey(
        transport: ObjectIdentifier(connector), origin: request.url.origin, hasBody: !request.body.isEmpty,
        timeouts: request.timeouts)
      return .wait { () throws(APIError) in
        try await self.race([choice.host] + choice.others, key, by: connect)
        return nil
      }
    }
    take(choice.host, choice.reason, cost: choice.cost, by: way)
    return .next
  }

  private func take(_ server: PooledHost, _ reason: ServerSelector.Reason, cost: Duration?, by way: HostRoute)
  {
    (way.server, way.cost, way.isRedirected, way.raced) = (server, cost, false, .zero)
    note(.routed(to: server.description, because: reason.text))
  }

  /// Connects to the servers one after another until one lets it.
  private func race(
    _ servers: [PooledHost], _ key: HostPool.RaceKey, by connect: @escaping HostPool.Connect
  ) async throws(APIError) {
    guard let way = run.way else { return }
    let (time, pool) = (call.time, way.pool)
    let start = time.now
    let outcome = try await limitRace { () throws(APIError) in
      guard let outcome = await pool.race(servers, key, time: time, connect: connect) else {
        throw APIError(.transport, .cancelled)
      }
      return outcome
    }
    for (server, error) in outcome.failures where error.reason != .cancelled {
      way.failed(server, error)
      note(.serverFailed(server.description, label: error.label, detail: error.detail))
    }
    guard let winner = outcome.winner else {
      throw way.refusal ?? outcome.failures.last?.error ?? APIError(.transport, .cancelled)
    }
    take(winner.host, .wonRace(of: outcome.entrants, in: outcome.time), cost: nil, by: way)
    // The race is a part of the attempt, whose time it takes.
    way.raced = time.now - start
  }

  /// Waits for a race no longer than the attempt may take, and the load has time.
  private func limitRace(
    _ race: @escaping @Sendable () async throws(APIError) -> HostRace.Outcome
  ) async throws(APIError) -> HostRace.Outcome {
    let time = call.time
    return try await deadline.limitWait(time) { [total = run.request?.timeouts.total] () throws(APIError) in
      guard let total, total > .zero else { return try await race() }
      do throws(APIError) { return try await TimeLimit.run(total, by: time, race) } catch {
        guard error.reason == .deadlineExceeded else { throw error }
        throw APIError(
          .transport, .totalTimeout, "not finished after \(total.shortText): no server let it connect"
        ).unsent
      }
    }
  }

  /// Waits for the pool's source, for a short while.
  private func waitForServers(of pool: HostPool) async throws(APIError) {
    let time = call.time
    do throws(APIError) {
      try await deadline.limitWait(time) { () throws(APIError) in
        await pool.wait(upTo: HostListing.patience, time)
        // Cut off by the load's own end or deadline, which is no word about the source.
        if Task.isCancelled { throw APIError(.transport, .cancelled) }
      }
    } catch {
      throw error.unsent
    }
  }

  // MARK: After an attempt

  /// A request has failed. True when another server is asked, within the same attempt: nothing was sent to this one.
  func failsOver(after error: inout APIError) -> Bool {
    guard let way = run.way, let server = way.server, !way.isRedirected, error.liesWithServer,
      !cancellation.isCancelled
    else { return false }
    way.failed(server, error)
    way.server = nil
    way.pool.withSelector {
      $0.report(ServerSelector.Outcome(connecting: error), of: server, now: call.time.now)
    }
    note(.serverFailed(server.description, label: error.label, detail: error.detail))
    if goesOver(way, .failover) { return true }
    if run.requestProgress == .unsent { error = way.refusal ?? error }
    return false
  }

  /// The server says that it is not the one for this name (RFC 9110, 15.5.20). True when another one is asked.
  func isMisdirected(_ response: HTTPResponse) -> Bool {
    guard response.status == 421, let way = run.way, let server = way.server, !way.isRedirected else {
      return false
    }
    way.pool.withSelector { $0.report(.wrong, of: server, now: call.time.now) }
    guard !way.tried.contains(server) else { return false }
    way.tried.append(server)
    guard goesOver(way, .misdirected, isUnprocessed: true) else { return false }
    note(.responded(status: response.status, metrics: response.metrics))
    return true
  }

  /// Whether another server is asked within the same attempt; if so, the load is ready for it.
  private func goesOver(_ way: HostRoute, _ occasion: ResendOccasion, isUnprocessed: Bool = false) -> Bool {
    guard objection(to: occasion, isUnprocessed: isUnprocessed) == nil, way.pool.hasMore(than: way.tried),
      !deadline.isOver(call.time)
    else { return false }
    (way.server, way.isFailover) = (nil, true)
    (run.exchange, run.outgoing) = (nil, nil)
    return true
  }

  /// A response has come: how long it took to connect, where that was done for it.
  func arrived(_ response: HTTPResponse) {
    guard let way = run.way, let server = way.server, !way.isRedirected else { return }
    if let (key, since) = way.timed.take() {
      let now = call.time.now
      // The time for which its caller has suspended it is not the server's.
      let taken = cancellation.wasHeld ? nil : now - since
      way.pool.withHedges { $0.responded(key, after: taken, status: response.status, now: now) }
    }
    let metrics = response.metrics
    if !metrics.isReused, metrics.tls > metrics.nameLookup {
      let taken = Duration.microseconds(metrics.tls - metrics.nameLookup)
      way.pool.withSelector { $0.measured(taken, of: server, now: call.time.now) }
    }
  }

  /// A retry follows an attempt that had a response: another server is asked, where the pool has one.
  ///
  /// - Returns: How long the server asks to be left alone, where no other can be asked meanwhile: its `Retry-After` is
  ///   its own, and does not hold the load up where others are well.
  func leavesBusyServer(_ error: APIError) -> Duration? {
    let asked = error.retryAfter(now: call.time.wallClock)
    guard error.evidence != nil, !run.isElsewhere, let way = run.way, let server = way.last else {
      return asked
    }
    let now = call.time.now
    if let asked { way.pool.withSelector { $0.leave(server, for: asked, now: now) } }
    if !way.tried.contains(server) { way.tried.append(server) }
    guard asked != nil else { return nil }
    return way.pool.withSelector { $0.quiet(except: way.tried, now: now) }
  }

  /// The attempt is over.
  func leaveServer(after outcome: CircuitBreaker.Outcome) {
    guard let way = run.way else { return }
    way.isFailover = false
    guard let server = way.server else { return }
    (way.server, way.last) = (nil, server)
    let result: ServerSelector.Outcome =
      switch outcome {
      case .good: .good
      case .bad: .bad
      case .unknown: .unknown
      }
    if result == .bad, !way.tried.contains(server) { way.tried.append(server) }
    way.pool.withSelector { $0.report(result, of: server, now: call.time.now) }
  }
}

extension ServerSelector.Reason {
  /// For the record.
  var text: String {
    switch self {
    case .only: "the only one"
    case .first: "the first of the list; none is measured yet"
    case .fastest(let time, let count): "the fastest of \(count) measured, \(time.shortText) to connect"
    case .kept: "in use, and no other is much faster"
    case .probe: "its rest is over, and it is asked once"
    case .allAside: "every server is aside, so all are used"
    case .wonRace(let count, let time): "the first of \(count) to connect, after \(time.shortText)"
    case .afterFailure: "the next after one that failed"
    case .hedge: "a second attempt beside one that is slow"
    }
  }
}
