import Synchronization

/// What is under way for one piece of work, so that it can be cancelled from any thread.
///
/// The work begins one operation after the other: an exchange, a wait in a task. Cancelling ends the present one;
/// none begins afterwards.
struct Cancellation: ~Copyable {
  /// An operation that can be told to stop, from any thread.
  typealias Stop = any CancellableOperation

  struct State {
    var isCancelled = false
    /// Counts operations, so that one that is over is not kept in place of the one that followed it.
    var count = 0
    var operation: Stop?
  }

  let state = Mutex(State())

  /// Whether ``cancel()`` was called.
  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Ends the present operation and lets no other begin. Called again it does nothing.
  func cancel() {
    let operation = state.withLock { state in
      state.isCancelled = true
      return state.operation.take()
    }
    operation?.cancel()
  }

  /// Begins an operation; false, and nothing is begun, after ``cancel()``.
  ///
  /// - Parameter start: Starts the operation, which may end, and the next begin, before this returns.
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

  /// Lets the present operation go: it is over.
  func clear() { state.withLock { $0.operation = nil } }
}

/// Something under way that can be told to stop, from any thread; it may be over already.
public protocol CancellableOperation: Sendable {
  /// Asks for the end. Returns at once.
  func cancel()
}

extension Task: CancellableOperation {}

/// An operation that is over already.
struct NoOperation: CancellableOperation {
  func cancel() {}
}
