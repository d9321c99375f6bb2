/// An asynchronous mutex for each key: one task at a time does its work, in the order in which they come.
final class KeyedMutex<Key: Hashable & Sendable>: Sendable {
  /// The tasks that wait behind the one at work.
  private let queues = Mutex<[Key: [CheckedContinuation<Void, Never>]]>([:])

  func withLock<Value: Sendable>(_ key: Key, _ work: @Sendable () async -> Value) async -> Value {
    await withCheckedContinuation { waiter in
      let isFree = queues.withLock { queues in
        guard queues[key] != nil else {
          queues[key] = []
          return true
        }
        queues[key]?.append(waiter)
        return false
      }
      if isFree { waiter.resume() }
    }
    let value = await work()
    let next = queues.withLock { queues -> CheckedContinuation<Void, Never>? in
      guard queues[key]?.isEmpty == false else {
        queues[key] = nil
        return nil
      }
      return queues[key]?.removeFirst()
    }
    next?.resume()
    return value
  }
}
