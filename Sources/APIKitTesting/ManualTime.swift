public import APIKit

/// A clock for tests, which moves only when the test moves it. May be used from any thread.
public final class ManualTime: TimeSource {
  private struct Sleeper {
    let id: Int
    let due: Duration
    let continuation: CheckedContinuation<Void, any Error>
  }
  private struct ManualTimeState {
    var now: Duration = .zero
    var wallClock: Double
    var nextID = 0
    var sleepers: [Sleeper] = []
    var cancelled: Set<Int> = []
  }

  private let state: Mutex<ManualTimeState>

  /// Makes a clock at zero.
  ///
  /// - Parameter wallClock: The wall clock in seconds since 1970; the default is the start of 2026, UTC.
  public init(wallClock: Double = 1_767_225_600) { state = Mutex(ManualTimeState(wallClock: wallClock)) }

  /// The time by which the clock was moved.
  public var now: Duration { state.withLock { $0.now } }

  /// The wall clock in seconds since 1970. Moves with the clock; setting it moves nothing else.
  public var wallClock: Double {
    get { state.withLock { $0.wallClock } }
    set { state.withLock { $0.wallClock = newValue } }
  }

  /// The number of tasks that sleep on this clock now.
  public var sleeperCount: Int { state.withLock { $0.sleepers.count } }
  /// How many sleeps are remembered that were cancelled.
  package var cancelledCount: Int { state.withLock { $0.cancelled.count } }

  /// Moves the clock and resumes the tasks whose sleep ends, the earliest first.
  public func advance(by duration: Duration) {
    let due = state.withLock { state in
      state.now += duration
      state.wallClock += duration / .seconds(1)
      let due = state.sleepers.filter { $0.due <= state.now }.sorted { $0.due < $1.due }
      state.sleepers.removeAll { $0.due <= state.now }
      return due
    }
    for sleeper in due { sleeper.continuation.resume() }
  }

  /// Moves the clock when tasks sleep on it, so that the test does not move it before the load
  /// waits.
  ///
  /// - Parameters:
  ///   - duration: The time by which it is moved.
  ///   - count: The number of tasks that must sleep.
  /// - Throws: `APIError.Reason.totalTimeout` when fewer sleep after 10 seconds of real time, or when the task is cancelled.
  public func advance(by duration: Duration, whenAsleep count: Int) async throws(APIError) {
    let start = ContinuousClock.now
    while sleeperCount < count {
      guard ContinuousClock.now - start < .seconds(10), !Task.isCancelled else {
        throw APIError(.takeoff, .totalTimeout, "\(sleeperCount) of \(count) tasks sleep on the clock")
      }
      try? await Task.sleep(for: .milliseconds(1))
    }
    advance(by: duration)
  }

  /// Returns when the clock has been moved by `duration`. Throws `CancellationError` when the task is
  /// cancelled.
  public func sleep(for duration: Duration) async throws {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    // A task that is cancelled after it was woken leaves its number.
    defer { state.withLock { _ = $0.cancelled.remove(id) } }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        let result: Result<Void, any Error>? = state.withLock { state in
          if state.cancelled.contains(id) { return .failure(CancellationError()) }
          if duration <= .zero { return .success(()) }
          state.sleepers.append(Sleeper(id: id, due: state.now + duration, continuation: continuation))
          return nil
        }
        if let result { continuation.resume(with: result) }
      }
    } onCancel: {
      let sleeper = state.withLock { state -> Sleeper? in
        guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else {
          state.cancelled.insert(id)
          return nil
        }
        return state.sleepers.remove(at: index)
      }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
  }
}
