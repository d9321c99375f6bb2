import APIKit

/// Opens the connections of one manager, one after the other: runs the load that opens one, and waits before the
/// next. ``stop()`` ends what is under way, and so does ``release()`` from any thread.
@MainActor final class ConnectionCycle {
  /// The decision about further connections.
  var machine = ReconnectMachine(.never)
  /// Counts what is begun and stopped; what has another number is over. Whoever calls code of the application compares it
  /// afterwards: what was decided before the call counts only where it is still the same.
  private(set) var number = 0
  private nonisolated let state = Mutex(CycleState())

  private struct CycleState {
    /// The task that opens a connection, or waits before it.
    var opening: Task<Void, Never>?
    /// What belongs to the open connection, and what ends that when the manager is released.
    var open: (task: Task<Void, Never>, release: @Sendable () -> Void)?
  }

  nonisolated init() {}

  /// Nil before the first load, and where a connection carries nothing of a user.
  private var check: UserCheck?
  /// The user of the connections; nil before the first. See `LoadUser`.
  private(set) var user: LoadUser?
  /// The base URL of the last connection; nil before the first.
  private var baseURL: HTTPURL?

  /// Begins the connections of another `open`, for the user who was there when that was called.
  func restart(_ policy: ReconnectPolicy, for user: LoadUser) {
    machine = ReconnectMachine(policy)
    (check, self.user) = (nil, user)
  }

  /// Why no other connection may be opened for the user of the first one; nil where one may.
  var userObjection: APIError? {
    guard let check, let user else { return nil }
    return check.objection(to: user)
  }

  /// Whether a base URL is another one than that of the connection before: the environment was switched meanwhile.
  func isSwitched(to next: HTTPURL?) -> Bool { baseURL != nil && baseURL != next }

  /// Runs the load of a call; the completion runs on the main actor, unless it was stopped.
  ///
  /// - Parameter abandoned: Called instead, on any thread, when the load has no waiter left.
  func open(
    _ call: OpeningCall, sharing shared: SharedState, abandoned: @escaping @Sendable () -> Void,
    _ completion: @escaping @MainActor @Sendable (Result<APIResponse, APIError>) -> Void
  ) {
    let number = begin()
    (user, check, baseURL) = (call.user, UserCheck(call.call), call.call.baseURL)
    run { [weak self] in
      let (result, user) = await call.run(shared)
      // The load ends with its delivery, which closes a connection that was stopped meanwhile.
      await withCheckedContinuation { (heard: CheckedContinuation<Void, Never>) in
        MainDelivery.main.put {
          defer { heard.resume() }
          guard let self, self.number == number else { return abandoned() }
          // It may have waited for a sign-in.
          self.user = user
          completion(result)
        }
      }
    }
  }

  /// Waits, then for a network if there is none, and continues on the main actor unless it was stopped. The wait for a
  /// network counts as no attempt. Once its user has left, it continues at once: see ``userObjection``.
  func wait(
    _ duration: Duration, _ time: any TimeSource, for network: NetworkMonitor,
    then proceed: @escaping @MainActor @Sendable () -> Void
  ) {
    let number = begin()
    let (check, user) = (check, user)
    run { [weak self] in
      let wait: @Sendable () async -> Void = {
        do { try await time.sleep(for: duration) } catch { return }
        guard network.condition.isOffline else { return }
        for await condition in network.changes() where !condition.isOffline { break }
      }
      if let check, let user { await check.wait(as: { user }, wait) } else { await wait() }
      guard !Task.isCancelled else { return }
      MainDelivery.main.put {
        guard let self, self.number == number else { return }
        proceed()
      }
    }
  }

  /// Keeps what belongs to a connection that is open now: a task, which is cancelled with it, and what ends the connection
  /// when the manager is released.
  func hold(_ task: Task<Void, Never>, release: @escaping @Sendable () -> Void) {
    state.withLock { $0.open = (task, release) }
  }

  /// The open connection has ended.
  func letGo() { state.withLock { $0.open.take() }?.task.cancel() }

  /// Ends the load or wait under way, without a completion.
  func stop() {
    number += 1
    state.withLock { $0.opening }?.cancel()
  }

  /// Ends everything, because the manager is released. From any thread.
  nonisolated func release() {
    let ended = state.withLock { state in
      defer { state = CycleState() }
      return state
    }
    ended.opening?.cancel()
    ended.open?.task.cancel()
    ended.open?.release()
  }

  private func begin() -> Int {
    number += 1
    return number
  }

  private func run(_ body: @escaping @Sendable () async -> Void) {
    let before = state.withLock { $0.opening }
    let task = Task.detached {
      // A load that was stopped may be about to connect: there are never two connections.
      await before?.value
      await body()
    }
    state.withLock { $0.opening = task }
  }
}
