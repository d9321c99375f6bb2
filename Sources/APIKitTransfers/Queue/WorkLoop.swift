import APIKit

/// Work that is asked for again and again: one run is under way at a time, and whoever asks meanwhile has one more made.
@MainActor final class WorkLoop {
  private(set) var task: Task<Void, Never>?
  /// Whether another run was asked for while one is under way: it may not have seen what has come.
  private(set) var isWantedAgain = false
  private var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
  private var lastWaiter: UInt64 = 0

  /// - Parameter end: Called when no further run is wanted.
  func run(_ work: @escaping @MainActor () async -> Void, then end: @escaping @MainActor () -> Void = {}) {
    guard task == nil else {
      isWantedAgain = true
      return
    }
    task = Task {
      repeat {
        isWantedAgain = false
        await work()
      } while isWantedAgain && !Task.isCancelled
      task = nil
      end()
    }
  }

  /// Returns at the next ``wake()``, and when its task is cancelled.
  func wait() async {
    lastWaiter += 1
    let id = lastWaiter
    await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        if Task.isCancelled { return waiter.resume() }
        waiters[id] = waiter
      }
    } onCancel: {
      MainDelivery.main.put { [weak self] in self?.waiters.removeValue(forKey: id)?.resume() }
    }
  }

  func wake() {
    let woken = waiters.values
    waiters = [:]
    for waiter in woken { waiter.resume() }
  }
}
