// What only Apple's session has: Linux ends the program when a suspended task is resumed.
#if !canImport(FoundationNetworking)
  import Foundation
  import Synchronization

  extension URLSessionAttempt: SuspendableOperation {
    /// Suspends the task at the caller's wish. The system counts, so a stream's own suspension is another one.
    func suspend() {
      state.withLock { state in
        guard !state.isOver, state.suspended == nil else { return }
        state.suspended = .now
        state.watch?.cancel()
        task.suspend()
      }
    }

    func resume() {
      let isResumed = state.withLock { state in
        guard let since = state.suspended.take() else { return false }
        state.timeSuspended += ContinuousClock.now - since
        state.lastActivity = .now
        task.resume()
        return true
      }
      if isResumed { watchLimits() }
    }
  }
#endif
