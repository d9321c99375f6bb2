import APIKit

/// Holds requests of a ``StubTransport`` until the test lets them pass.
///
/// ```swift
/// let gate = StubGate()
/// stub.on("/rents", .held(by: gate, .json("[]")))
/// rents.load()
/// await gate.waitForArrivals(1)
/// rents.cancel()
/// gate.open()
/// ```
/// May be used from any thread.
public final class StubGate: Sendable {
  private struct GateState {
    var isOpen: Bool
    var passes = 0
    var arrivals = 0
    var nextID: UInt64 = 0
    var held: [(id: UInt64, continuation: CheckedContinuation<Bool, Never>)] = []
    var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state: Mutex<GateState>

  /// Makes a gate; closed by default.
  public init(isOpen: Bool = false) { state = Mutex(GateState(isOpen: isOpen)) }

  /// The number of requests that are held now.
  public var waiting: Int { state.withLock { $0.held.count } }

  /// Lets all held and all later requests pass.
  public func open() {
    let released = state.withLock { state in
      state.isOpen = true
      defer { state.held = [] }
      return state.held
    }
    for one in released { one.continuation.resume(returning: true) }
  }

  /// Lets `count` requests pass, the oldest first. When fewer are held, the rest of the count applies to
  /// later requests.
  public func pass(_ count: Int = 1) {
    let released = state.withLock { state in
      let now = min(count, state.held.count)
      state.passes += count - now
      defer { state.held.removeFirst(now) }
      return Array(state.held.prefix(now))
    }
    for one in released { one.continuation.resume(returning: true) }
  }

  /// Holds every later request; what is left of ``pass(_:)`` no longer applies.
  public func close() {
    state.withLock { state in
      state.isOpen = false
      state.passes = 0
    }
  }

  /// Returns when this many requests have arrived since the gate was made, whether they were held or not.
  /// Does not end when the task is cancelled.
  public func waitForArrivals(_ count: Int) async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let isThere = state.withLock { state in
        if state.arrivals < count { state.watchers.append((count, continuation)) }
        return state.arrivals >= count
      }
      if isThere { continuation.resume() }
    }
  }

  /// Returns true when the request may pass, false when its task was cancelled while it waited.
  package func arrive() async -> Bool {
    let (passes, id, reached) = state.withLock { state in
      state.arrivals += 1
      let arrivals = state.arrivals
      let reached = state.watchers.filter { $0.count <= arrivals }.map(\.continuation)
      state.watchers.removeAll { $0.count <= arrivals }
      defer { state.nextID += 1 }
      if state.isOpen { return (true, state.nextID, reached) }
      if state.passes > 0 {
        state.passes -= 1
        return (true, state.nextID, reached)
      }
      return (false, state.nextID, reached)
    }
    // Tasks that wait for arrivals are resumed only when the request is among the held ones, so that
    // ``waiting`` counts it. A request that passes at once is never among them.
    if passes {
      for one in reached { one.resume() }
      return true
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
        let outcome: Bool? = state.withLock { state in
          if Task.isCancelled { return false }
          if state.isOpen { return true }
          if state.passes > 0 {
            state.passes -= 1
            return true
          }
          state.held.append((id, continuation))
          return nil
        }
        if let outcome { continuation.resume(returning: outcome) }
        for one in reached { one.resume() }
      }
    } onCancel: {
      let left = state.withLock { state -> CheckedContinuation<Bool, Never>? in
        guard let index = state.held.firstIndex(where: { $0.id == id }) else { return nil }
        return state.held.remove(at: index).continuation
      }
      left?.resume(returning: false)
    }
  }
}
