extension HostPool {
  /// The connections that a race is about: of one transport to one origin, for requests of one kind.
  struct RaceKey: Hashable, Sendable {
    let transport: ObjectIdentifier
    let origin: String
    let hasBody: Bool
    /// Each load has its own: a race ends at the limits of the request for which it connects.
    let timeouts: HTTPTimeouts
  }

  /// Opens a connection to a server; how long that took, nil where one was open.
  typealias Connect = @Sendable (PooledHost) async throws(APIError) -> Duration?

  /// Races the servers for a connection, once for all who ask; nil when the caller's task was cancelled.
  func race(
    _ hosts: [PooledHost], _ key: RaceKey, time: any TimeSource, connect: @escaping Connect
  ) async -> HostRace.Outcome? {
    await races.value(key) {
      let outcome = await HostRace(time: time, connect: connect).run(PooledHost.alternatingFamilies(hosts))
      self.state.withLock { state in
        for failure in outcome.failures {
          state.selector.report(
            ServerSelector.Outcome(connecting: failure.error), of: failure.host, now: time.now)
        }
        guard let winner = outcome.winner else { return }
        state.selector.connected(to: winner.host, in: winner.time, now: time.now)
        state.selector.take(winner.host)
      }
      return outcome
    }
  }

  /// Whether a round of measuring is due; it counts as begun then.
  func beginsRound(_ now: Duration) -> Bool {
    guard let measuringInterval else { return false }
    return state.withLock { state in
      if let last = state.measured, now - last < measuringInterval { return false }
      guard state.selector.candidates.count > 1 else { return false }
      state.measured = now
      return true
    }
  }

  /// Measures every server that is not at rest, once for all who ask.
  func measure(_ time: any TimeSource, _ connect: @escaping Connect) async {
    _ = await rounds.value(0) { await self.round(time, connect) }
  }

  /// Measures behind the loads.
  func measureBehind(_ time: any TimeSource, _ connect: @escaping Connect) {
    rounds.begin(0) { await self.round(time, connect) }
  }

  private func round(_ time: any TimeSource, _ connect: @escaping Connect) async {
    let hosts = state.withLock { state in
      state.measured = time.now
      return state.selector.beginRound(now: time.now)
    }
    await withTaskGroup(of: Void.self) { group in
      for host in hosts {
        group.addTask {
          do throws(APIError) {
            let taken = try await connect(host)
            self.state.withLock { $0.selector.connected(to: host, in: taken, now: time.now) }
          } catch {
            self.withSelector {
              $0.report(ServerSelector.Outcome(connecting: error), of: host, now: time.now)
            }
          }
        }
      }
    }
  }
}

extension HTTPTransport {
  /// How connections to the servers of a pool are opened for a request; nil where the transport opens none ahead.
  ///
  /// - Parameters:
  ///   - request: The request, before a server was chosen.
  ///   - keeping: Whether the connection stays for the next request.
  func connecting(for request: HTTPRequest, keeping: Bool) -> HostPool.Connect? {
    guard let transport = connector else { return nil }
    return { (host) async throws(APIError) in
      var request = request
      host.direct(&request)
      return try await transport.connect(for: HTTPExchange(request), keeping: keeping)
    }
  }
}
