import Synchronization

/// What the services' error hooks made of refused sign-ins.
///
/// A refused sign-in concerns every load of its user, so the hook is called once for all that are refused alike: those
/// that fail while it runs, and those that were sent before it was done.
final class Resolutions: Sendable {
  /// What is refused alike.
  struct Key: Hashable, Sendable {
    private let service: String
    private let base: HTTPURL?
    private let label: String
    private let identity: LoadIdentity

    /// Nil for a failure that concerns its own load only.
    init?(_ failure: APIError, of call: APICall) {
      // A load that a hook makes, or that signs in, would wait for itself.
      guard call.resolving.isEmpty, call.terms.signInRule != .exempt else { return nil }
      let isRefusal = call.identity.authenticator?.rules.isRefusal ?? Authenticator.Rules().isRefusal
      guard failure.place == .auth || isRefusal(failure) else { return nil }
      service = call.service.name
      base = call.baseURL
      label = failure.label
      identity = LoadIdentity(call)
      guard identity.isKnown else { return nil }
    }
  }

  private struct State {
    var table = JoinTable<Key>()
    var waiters: [FlightID: UnsafeContinuation<ErrorResolution?, Never>] = [:]
    var runs: [FlightID: Task<Void, Never>] = [:]
    /// The latest resolutions, with their numbers.
    var past: [Key: (number: Int, resolution: ErrorResolution)] = [:]
  }

  private let state = Mutex(State())
  private let ended = Atomic<Int>(0)

  /// The number of resolutions so far. An attempt that begins takes it down.
  var count: Int { ended.load(ordering: .relaxed) }

  /// How many loads wait for one.
  var waiterCount: Int { state.withLock { $0.waiters.count } }

  /// The resolution for a load whose attempt began when there were `count` of them; `resolve` asks the hook, in a task
  /// of its own: a load that is cancelled meanwhile ends at once, and the others still get the resolution. `following` is
  /// called in place of `resolve` when the hook was already asked for another load.
  func resolution(
    for call: APICall, _ key: Key, since count: Int,
    _ resolve: @escaping @Sendable () async -> ErrorResolution, following: () -> Void
  ) async throws(APIError) -> ErrorResolution {
    let flight = call.flightID
    let resolution = await withTaskCancellationHandler {
      await withUnsafeContinuation { waiter in
        let (known, role) = state.withLock { state -> (ErrorResolution?, JoinTable<Key>.Role?) in
          if let past = state.past[key], past.number > count { return (past.resolution, nil) }
          // A cancellation before this point has found no load to wake.
          guard !Task.isCancelled else { return (nil, nil) }
          state.waiters[flight] = waiter
          return (nil, state.table.enter(flight, key))
        }
        switch role {
        case nil: waiter.resume(returning: known)
        case .follow(let leader):
          call.recorder.record(.note("hook", "shares the resolution of flight \(leader)"))
          following()
        case .lead: start(flight, key, resolve)
        }
      }
    } onCancel: {
      leave(flight, key)
    }
    guard let resolution else { throw APIError(.transport, .cancelled) }
    return resolution
  }

  private func start(
    _ flight: FlightID, _ key: Key, _ resolve: @escaping @Sendable () async -> ErrorResolution
  ) {
    let task = Task.detached { [self] in finish(flight, key, await resolve()) }
    // It may be over, or given up, by now.
    let isWanted = state.withLock { state in
      guard state.table.isLed(by: flight, key) else { return false }
      state.runs[flight] = task
      return true
    }
    if !isWanted { task.cancel() }
  }

  private func finish(_ flight: FlightID, _ key: Key, _ resolution: ErrorResolution) {
    let waiters = state.withLock { state in
      state.runs[flight] = nil
      let waiters = state.table.finish(flight, key).compactMap { state.waiters.removeValue(forKey: $0) }
      guard !waiters.isEmpty else { return waiters }
      state.past[key] = (ended.wrappingAdd(1, ordering: .relaxed).newValue, resolution)
      if state.past.count > Self.most, let oldest = state.past.min(by: { $0.value.number < $1.value.number })
      {
        state.past[oldest.key] = nil
      }
      return waiters
    }
    for waiter in waiters { waiter.resume(returning: resolution) }
  }

  private func leave(_ flight: FlightID, _ key: Key) {
    let (waiter, run) = state.withLock { state in
      let abandoned = state.table.leave(flight, key)
      return (
        state.waiters.removeValue(forKey: flight), abandoned.flatMap { state.runs.removeValue(forKey: $0) }
      )
    }
    run?.cancel()
    waiter?.resume(returning: nil)
  }

  /// Resolutions that are kept; each is of use only while loads are out that were sent before it.
  private static let most = 32
}
