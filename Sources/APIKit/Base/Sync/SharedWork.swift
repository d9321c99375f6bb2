import Synchronization

/// Pieces of work that are done once for all who ask while they are under way.
///
/// A waiter may leave at any time; work without a waiter is cancelled.
final class SharedWork<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private struct Work {
    let number: Int
    var task: Task<Void, Never>?
    var waiters: [Int: CheckedContinuation<Value?, Never>] = [:]
    /// Whether it goes on without a waiter.
    var isWanted: Bool
  }

  private struct State {
    var works: [Key: Work] = [:]
    var count = 0
  }

  private let state = Mutex(State())

  /// How many wait for any of the works.
  var waiterCount: Int { state.withLock { $0.works.values.reduce(0) { $0 + $1.waiters.count } } }

  /// Begins the work for a key unless it is under way, without a waiter.
  func begin(_ key: Key, _ work: @escaping @Sendable () async -> Value) {
    let number = state.withLock { state -> Int? in
      guard state.works[key] == nil else { return nil }
      state.count += 1
      state.works[key] = Work(number: state.count, isWanted: true)
      return state.count
    }
    if let number { start(number, key, work) }
  }

  /// What the work for a key comes to, begun here unless it is under way; nil when the caller's task was cancelled.
  ///
  /// - Parameter isWanted: Whether it goes on when the last waiter has left.
  func value(_ key: Key, isWanted: Bool = false, _ work: @escaping @Sendable () async -> Value) async
    -> Value?
  {
    let waiter = state.withLock { state in
      state.count += 1
      return state.count
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let (number, isGone) = state.withLock { state -> (Int?, Bool) in
          guard !Task.isCancelled else { return (nil, true) }
          guard state.works[key] == nil else {
            state.works[key]?.waiters[waiter] = continuation
            if isWanted { state.works[key]?.isWanted = true }
            return (nil, false)
          }
          state.count += 1
          state.works[key] = Work(number: state.count, waiters: [waiter: continuation], isWanted: isWanted)
          return (state.count, false)
        }
        if isGone { continuation.resume(returning: nil) }
        if let number { start(number, key, work) }
      }
    } onCancel: {
      let (continuation, task) = state.withLock {
        state -> (CheckedContinuation<Value?, Never>?, Task<Void, Never>?) in
        guard let continuation = state.works[key]?.waiters.removeValue(forKey: waiter) else {
          return (nil, nil)
        }
        guard let left = state.works[key], left.waiters.isEmpty, !left.isWanted else {
          return (continuation, nil)
        }
        state.works[key] = nil
        return (continuation, left.task)
      }
      task?.cancel()
      continuation?.resume(returning: nil)
    }
  }

  private func start(_ number: Int, _ key: Key, _ work: @escaping @Sendable () async -> Value) {
    let task = Task.detached { [self] in
      let value = await work()
      let waiters = state.withLock { state in
        state.works[key]?.number == number ? state.works.removeValue(forKey: key)?.waiters : nil
      }
      for waiter in waiters ?? [:] { waiter.value.resume(returning: value) }
    }
    let isAbandoned = state.withLock { state in
      guard state.works[key]?.number == number else { return true }
      state.works[key]?.task = task
      return false
    }
    // It has ended already, or everybody has left before it could be kept.
    if isAbandoned { task.cancel() }
  }
}
