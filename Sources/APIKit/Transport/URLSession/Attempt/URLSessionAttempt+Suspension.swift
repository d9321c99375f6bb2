// What only Apple's session has: Linux ends the program when a suspended task is resumed.
#if !canImport(FoundationNetworking)
  import Foundation

  extension URLSessionAttempt: SuspendableOperation {
    /// Suspends the task at the caller's wish. The system counts, so a stream's own suspension is another one.
    func suspend() {
      state.withLock { state in
        guard !state.isEnding, state.limits.suspend(at: .now) else { return }
        state.watch?.cancel()
        task.suspend()
      }
    }

    func resume() {
      let isResumed = state.withLock { state in
        guard state.limits.resume(at: .now) else { return false }
        task.resume()
        return true
      }
      if isResumed { watchLimits() }
    }
  }
#endif
