import Synchronization

/// The present operation of one piece of work, so that it can be cancelled from any thread.
///
/// The work has one operation at a time, such as an exchange or a wait in a task. Cancelling ends the
/// present one, and no other can begin.
struct Cancellation: ~Copyable {
  /// An operation that can be cancelled from any thread.
  typealias Stop = any CancellableOperation

  struct State {
    var isCancelled = false
    /// Counts operations, so that one that has ended does not replace its successor.
    var count = 0
    var operation: Stop?
  }

  let state = Mutex(State())

  /// Whether ``cancel()`` was called.
  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Cancels the present operation and prevents others. Further calls have no effect.
  func cancel() {
    let operation = state.withLock { state in
      state.isCancelled = true
      return state.operation.take()
    }
    operation?.cancel()
  }

  /// Begins an operation; after ``cancel()`` it begins nothing and returns false.
  ///
  /// - Parameter start: Starts the operation, which may end, and the next one begin, before this returns.
  func begin(_ start: () -> Stop) -> Bool {
    let number: Int? = state.withLock { state in
      guard !state.isCancelled else { return nil }
      state.count &+= 1
      state.operation = nil
      return state.count
    }
    guard let number else { return false }
    let operation = start()
    let isLate = state.withLock { state in
      if !state.isCancelled, state.count == number { state.operation = operation }
      return state.isCancelled
    }
    if isLate { operation.cancel() }
    return true
  }

  /// Lets the present operation go: it is over. Operations hold who waits for them, so keeping one would leak both.
  func clear() {
    state.withLock { state in
      state.count &+= 1
      state.operation = nil
    }
  }
}

/// An operation under way that can be cancelled from any thread, even when it has ended.
public protocol CancellableOperation: Sendable {
  /// Requests the end and returns at once.
  func cancel()
}

extension Task: CancellableOperation {}

/// An operation that has ended already.
struct NoOperation: CancellableOperation {
  func cancel() {}
}
