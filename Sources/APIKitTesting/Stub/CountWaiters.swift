import APIKit

/// Tasks that wait for a count to be reached. Its owner counts, and holds its own lock meanwhile.
struct CountWaiters {
  typealias Continuation = CheckedContinuation<Bool, Never>

  private struct Waiter {
    let id: UInt64
    let count: Int
    /// Nil until it waits.
    var continuation: Continuation?
  }

  private var waiters: [Waiter] = []
  private var nextID: UInt64 = 0

  /// Makes a waiter, which may be removed from now on.
  fileprivate mutating func enter(_ count: Int) -> UInt64 {
    nextID += 1
    waiters.append(Waiter(id: nextID, count: count))
    return nextID
  }

  /// False where the waiter was removed before it came to wait.
  fileprivate mutating func hold(_ id: UInt64, _ continuation: Continuation) -> Bool {
    guard let index = waiters.firstIndex(where: { $0.id == id }) else { return false }
    waiters[index].continuation = continuation
    return true
  }

  fileprivate mutating func remove(_ id: UInt64) -> Continuation? {
    waiters.firstIndex { $0.id == id }.flatMap { waiters.remove(at: $0).continuation }
  }

  /// Those who wait for this count or less, to be resumed with true outside of the lock.
  mutating func reached(_ count: Int) -> [Continuation] {
    guard !waiters.isEmpty else { return [] }
    let reached = waiters.filter { $0.count <= count }.compactMap(\.continuation)
    waiters.removeAll { $0.count <= count && $0.continuation != nil }
    return reached
  }
}

/// What counts, and lets tasks wait for a count.
protocol CountOwner: AnyObject, Sendable {
  /// Calls with those who wait and the present count, within the lock.
  func withWaiters<Value: Sendable>(_ body: (inout CountWaiters, _ count: Int) -> Value) -> Value
}

extension CountOwner {
  /// Waits until a count is reached; false when it is not within the limit, or when the task is cancelled.
  func wait(for count: Int, within limit: Duration) async -> Bool {
    let id = withWaiters { waiters, _ in waiters.enter(count) }
    let timer = Task { [self] in
      try await SystemTime().sleep(for: limit)
      dismiss(id)
    }
    defer {
      timer.cancel()
      dismiss(id)
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CountWaiters.Continuation) in
        let outcome: Bool? = withWaiters { waiters, present in
          if present >= count { return true }
          return waiters.hold(id, continuation) ? nil : false
        }
        if let outcome { continuation.resume(returning: outcome) }
      }
    } onCancel: {
      dismiss(id)
    }
  }

  private func dismiss(_ id: UInt64) {
    withWaiters { waiters, _ in waiters.remove(id) }?.resume(returning: false)
  }
}
