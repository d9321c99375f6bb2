/// Does work once for all who ask for it while it is under way, in a task of its own.
///
/// A waiter may leave at any time; work without a waiter is cancelled.
package final class SingleFlight<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  package typealias Work = @Sendable () async -> Value

  private let machine = Mutex(
    SingleFlightMachine<Key, CheckedContinuation<Value?, Never>, Task<Void, Never>>())
  private let lastID = AtomicInt()

  package init() {}

  /// How many wait for any of the works.
  package var waiterCount: Int { machine.withLock { $0.waiterCount } }

  /// Has the work for a key done, whether anyone waits for it or not.
  func begin(_ key: Key, _ work: @escaping Work) {
    machine.withLock { $0.begin(key) { run(work, $0) } }
  }

  /// The outcome of the work for a key, which begins here unless it is under way; nil when the caller's task is cancelled.
  ///
  /// - Parameters:
  ///   - id: Tells the caller from the others; one of the single flight's own by default. Not both within one.
  ///   - following: Called with the id of the one that the work began for, when that is another.
  package func value(
    _ key: Key, as id: UInt64? = nil, following: (UInt64) -> Void = { _ in }, _ work: @escaping Work
  ) async -> Value? {
    let id = id ?? UInt64(lastID.add(1))
    return await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        let role = machine.withLock { machine in
          // The cancellation handler has run already, and found no waiter.
          Task.isCancelled ? nil : machine.enter(id, key, waiter: waiter) { run(work, $0) }
        }
        switch role {
        case .leads: break
        case .follows(let leader): following(leader)
        case nil: waiter.resume(returning: nil)
        }
      }
    } onCancel: {
      let left = machine.withLock { $0.leave(id) }
      left?.abandoned?.operation.cancel()
      left?.waiter.resume(returning: nil)
    }
  }

  private func run(_ work: @escaping Work, _ number: Int) -> Task<Void, Never> {
    Task.detached { [self] in
      let value = await work()
      let done = machine.withLock { $0.finish(number) }
      for waiter in done?.waiters ?? [] { waiter.resume(returning: value) }
    }
  }
}
