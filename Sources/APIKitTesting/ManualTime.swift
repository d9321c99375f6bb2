public import APIKit
import Synchronization

/// A clock that moves only when told to, for tests.
public final class ManualTime: TimeSource {
  private struct Sleeper {
    let id: Int
    let due: Duration
    let continuation: CheckedContinuation<Void, any Error>
  }
  private struct State {
    var now: Duration = .zero
    var wallClock: Double
    var nextID = 0
    var sleepers: [Sleeper] = []
    var cancelled: Set<Int> = []
  }

  private let state: Mutex<State>

  /// A clock at zero.
  ///
  /// - Parameter wallClock: The wall clock's seconds since 1970; the default is the start of 2026.
  public init(wallClock: Double = 1_767_225_600) { state = Mutex(State(wallClock: wallClock)) }

  /// Time moved so far.
  public var now: Duration { state.withLock { $0.now } }

  /// Seconds since 1970; moves with the clock, and jumps when set.
  public var wallClock: Double {
    get { state.withLock { $0.wallClock } }
    set { state.withLock { $0.wallClock = newValue } }
  }

  /// How many tasks sleep on this clock.
  public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  /// Moves the clock and wakes who is due, earliest first.
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

  /// Returns when the clock has been moved so far.
  public func sleep(for duration: Duration) async throws {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        let result: Result<Void, any Error>? = state.withLock { state in
          if state.cancelled.remove(id) != nil { return .failure(CancellationError()) }
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
