public import APIKit

/// Holds requests of a ``StubTransport`` until the test lets them pass.
///
/// ```swift
/// let gate = StubGate()
/// stub.on("/rents", .held(by: gate, .json("[]")))
/// rents.load()
/// try await gate.waitForArrivals(1)
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
    var waiters = CountWaiters()

    /// Counts a request; returns who waited for it.
    mutating func arrive() -> [CountWaiters.Continuation] {
      arrivals += 1
      return waiters.reached(arrivals)
    }

    /// Whether a request may pass now, which uses up one of ``passes``.
    mutating func pass() -> Bool {
      guard !isOpen else { return true }
      guard passes > 0 else { return false }
      passes -= 1
      return true
    }
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
  /// later requests. None passes for a count below 1.
  public func pass(_ count: Int = 1) {
    guard count > 0 else { return }
    let released = state.withLock { state in
      let now = min(count, state.held.count)
      state.passes += min(count - now, .max - state.passes)
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
  ///
  /// Throws `APIError.Reason.totalTimeout` when there are fewer after `limit`, or when the task is cancelled. The default limit
  /// is 10 seconds of real time.
  public func waitForArrivals(_ count: Int, within limit: Duration = .seconds(10)) async throws(APIError) {
    guard await wait(for: count, within: limit) else {
      let arrivals = state.withLock { $0.arrivals }
      throw APIError(
        .transport, .totalTimeout, "\(arrivals) of \(count) requests came to the gate in \(limit)")
    }
  }

  /// Returns true when the request may pass, false when its task was cancelled while it waited.
  package func arrive() async -> Bool {
    // One that passes at once takes no more than a lock.
    let passed = state.withLock { state in state.pass() ? state.arrive() : nil }
    if let passed {
      for one in passed { one.resume(returning: true) }
      return true
    }
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
        let (outcome, reached) = state.withLock { state -> (Bool?, [CountWaiters.Continuation]) in
          // Who waits for arrivals finds the request among the held ones, which ``waiting`` counts.
          if Task.isCancelled { return (false, state.arrive()) }
          if state.pass() { return (true, state.arrive()) }
          state.held.append((id, continuation))
          return (nil, state.arrive())
        }
        if let outcome { continuation.resume(returning: outcome) }
        for one in reached { one.resume(returning: true) }
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

extension StubGate: CountOwner {
  func withWaiters<Value: Sendable>(_ body: (inout CountWaiters, _ count: Int) -> Value) -> Value {
    state.withLock { body(&$0.waiters, $0.arrivals) }
  }
}
