import APIKit

/// Collects values across threads, in the order they come.
final class Record<Value: Sendable>: Sendable {
  private let values = Mutex<[Value]>([])
  var all: [Value] { values.withLock { $0 } }
  func add(_ value: Value) { values.withLock { $0.append(value) } }
  func removeAll() { values.withLock { $0 = [] } }
}
