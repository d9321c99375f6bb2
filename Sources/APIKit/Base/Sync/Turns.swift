import Synchronization

/// Lets one task at a time do something in a place, in the order in which they come.
final class Turns: Sendable {
  struct Key: Hashable, Sendable {
    let place: ObjectIdentifier
    let name: String
  }

  /// The renewals of stores that are used by this process only.
  static let renewals = Turns()

  /// Who waits behind the one whose turn it is.
  private let lines = Mutex<[Key: [CheckedContinuation<Void, Never>]]>([:])

  func take<Value: Sendable>(_ key: Key, _ work: @Sendable () async -> Value) async -> Value {
    await withCheckedContinuation { waiter in
      let isFree = lines.withLock { lines in
        guard lines[key] != nil else {
          lines[key] = []
          return true
        }
        lines[key]?.append(waiter)
        return false
      }
      if isFree { waiter.resume() }
    }
    let value = await work()
    let next = lines.withLock { lines -> CheckedContinuation<Void, Never>? in
      guard lines[key]?.isEmpty == false else {
        lines[key] = nil
        return nil
      }
      return lines[key]?.removeFirst()
    }
    next?.resume()
    return value
  }
}
