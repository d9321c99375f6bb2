/// The present operation of one piece of work, so that it can be cancelled, or held, from any thread.
///
/// The work has one operation at a time, such as an exchange or a wait in a task. Cancelling ends the
/// present one, and no other can begin.
struct Cancellation: ~Copyable {
  /// An operation that can be cancelled from any thread.
  typealias Stop = any CancellableOperation

  struct CancellationState {
    var isCancelled = false
    /// Counts operations, so that one that has ended does not replace its successor.
    var count = 0
    /// The last one that has reported its end.
    var ended = 0
    var operation: Stop?
    /// Whether the last operation was held.
    var hasBeenHeld = false
    /// The same of the last one that has reported its end.
    var wasHeld = false
    /// The task that waits until the work is no longer held.
    var waiter: CheckedContinuation<Void, Never>?
  }

  let state = Mutex(CancellationState())
  private let held = AtomicFlag()

  /// Whether ``cancel()`` was called.
  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Cancels the present operation and prevents others. Further calls have no effect.
  func cancel() {
    let (operation, waiter) = state.withLock { state in
      state.isCancelled = true
      return (state.operation.take(), state.waiter.take())
    }
    operation?.cancel()
    waiter?.resume()
  }

  /// Begins an operation; after ``cancel()`` it begins nothing and returns false.
  ///
  /// - Parameter start: Starts the operation, which may end, and the next one begin, before this returns.
  func begin(_ start: () -> Stop) -> Bool { begin { _ in start() } }

  /// The same with the number of the operation, for ``end(_:)``.
  func begin(_ start: (Int) -> Stop) -> Bool {
    let number: Int? = state.withLock { state in
      guard !state.isCancelled else { return nil }
      state.count &+= 1
      state.operation = nil
      state.hasBeenHeld = isHeld
      return state.count
    }
    guard let number else { return false }
    let operation = start(number)
    let isLate = state.withLock { state in
      if !state.isCancelled, state.count == number { state.operation = operation }
      return state.isCancelled
    }
    if isLate { operation.cancel() }
    if isHeld { suspend(operation) }
    return true
  }

  // MARK: Holding

  /// Whether the work is held.
  var isHeld: Bool { held.load() }

  /// Whether the last operation that has reported its end was held for some of its time.
  var wasHeld: Bool { state.withLock { $0.wasHeld } }

  /// Suspends the present operation, if it can be, and has the work wait where it asks ``isHeld``.
  func hold() {
    let operation = state.withLock { state in
      held.store(true)
      state.hasBeenHeld = true
      return state.operation
    }
    if let operation { suspend(operation) }
  }

  /// Lets the work continue.
  func resume() {
    let (operation, waiter) = state.withLock { state in
      held.store(false)
      return (state.operation, state.waiter.take())
    }
    (operation as? any SuspendableOperation)?.resume()
    waiter?.resume()
  }

  private func suspend(_ operation: Stop) {
    guard let operation = operation as? any SuspendableOperation else { return }
    operation.suspend()
    // The work may have been let go by another thread, which came before.
    if !isHeld { operation.resume() }
  }

  /// Keeps a waiter until the work continues; false when there is nothing to wait for.
  func keep(_ waiter: CheckedContinuation<Void, Never>) -> Bool {
    state.withLock { state in
      guard isHeld, !state.isCancelled else { return false }
      state.waiter = waiter
      return true
    }
  }

  /// Notes the end of an operation by its number. Returns false when its end was reported before, so that a duplicate
  /// completion is ignored.
  func end(_ number: Int) -> Bool {
    state.withLock { state in
      guard number > state.ended else { return false }
      state.ended = number
      state.wasHeld = state.hasBeenHeld
      state.count &+= 1
      state.operation = nil
      return true
    }
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

/// An operation under way that can also be suspended, from any thread, even when it has ended.
///
/// Calls may be repeated; the last one counts.
public protocol SuspendableOperation: CancellableOperation {
  /// Requests that nothing more is sent or read, and returns at once. The operation may still end. Its limits in time do
  /// not count until ``resume()``.
  func suspend()
  /// Resumes it.
  func resume()
}

extension Task: CancellableOperation {}

extension Task where Failure == Never {
  /// The value of work of the application's, which runs in a task of its own. Nil when the present task is cancelled before:
  /// it does not wait for work that ignores that.
  package static func leavable(_ work: @escaping @Sendable () async -> Success) async -> Success? {
    await SingleFlight<Int, Success>().value(0, work)
  }

  /// The value; cancelling the task that waits for it cancels this one.
  package nonisolated(nonsending) func cancellableValue() async -> Success {
    await withTaskCancellationHandler {
      await value
    } onCancel: {
      cancel()
    }
  }
}

extension Task where Success == Void, Failure == Never {
  /// Does work to its end, and returns then, or when the present task is cancelled.
  static func finishing(_ work: @escaping @Sendable () async -> Void) async {
    let task = Task.detached(operation: work)
    _ = await leavable { await task.value }
  }
}

/// An operation that has ended already.
package struct NoOperation: CancellableOperation {
  package init() {}
  package func cancel() {}
}
