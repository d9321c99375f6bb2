import Dispatch

/// Elements that wait for their consumer: at most so many, in order. For those without room something stands that says how
/// many they were.
struct BoundedBuffer<Element> {
  /// How many may wait; at least 1.
  let capacity: Int
  /// How many had no room, from the beginning.
  private(set) var dropped = 0
  private var waiting: [Element] = []
  /// The first of those that had no room since the last look, and how many they are.
  private var lost: (first: Element, count: Int)?

  init(capacity: Int) { self.capacity = max(1, capacity) }

  var isEmpty: Bool { waiting.isEmpty }

  /// Adds an element; without room it is counted.
  mutating func put(_ element: Element) {
    guard waiting.count >= capacity else { return waiting.append(element) }
    dropped += 1
    lost = (lost?.first ?? element, (lost?.count ?? 0) + 1)
  }

  /// Takes all.
  ///
  /// - Parameter mark: Makes what stands for those that had no room, from the first of them and their number.
  mutating func take(_ mark: (Element, Int) -> Element?) -> [Element] {
    var taken = waiting
    waiting = []
    if let lost = lost.take(), let mark = mark(lost.first, lost.count) { taken.append(mark) }
    return taken
  }
}

/// Hands elements to a function that may take its time: on a queue of its own, one at a time and in order. Whoever puts them
/// never waits; see ``BoundedBuffer``. May be used from any thread.
final class BoundedQueue<Element: Sendable>: Sendable {
  struct Counts {
    /// Those that the function has taken.
    var taken = 0
    /// Those for which there was no room.
    var dropped = 0
    /// Those for which it has thrown an error.
    var failed = 0
  }

  private struct QueueState {
    var buffer: BoundedBuffer<Element>
    var isDraining = false
    var isClosed = false
    var taken = 0
    var failed = 0
    var flushers: [CheckedContinuation<Void, Never>] = []
  }

  private let state: Mutex<QueueState>
  private let queue: DispatchQueue
  private let delay: DispatchTimeInterval?
  private let mark: @Sendable (Element, Int) -> Element?
  private let work: @Sendable (Element) throws -> Void

  /// Makes a queue.
  ///
  /// - Parameters:
  ///   - delay: How long the queue gathers elements before it begins; nil to begin at once. To wake a thread costs more
  ///     than to take an element.
  ///   - mark: Makes what stands for elements without room; none by default.
  ///   - work: Takes one element. An element for which it throws is counted.
  init(
    _ label: String, capacity: Int, gathering delay: DispatchTimeInterval? = nil,
    mark: @escaping @Sendable (Element, Int) -> Element? = { _, _ in nil },
    work: @escaping @Sendable (Element) throws -> Void
  ) {
    state = Mutex(QueueState(buffer: BoundedBuffer(capacity: capacity)))
    queue = DispatchQueue(label: label, qos: .utility)
    (self.delay, self.mark, self.work) = (delay, mark, work)
  }

  var counts: Counts {
    state.withLock { Counts(taken: $0.taken, dropped: $0.buffer.dropped, failed: $0.failed) }
  }

  /// Adds an element at the end.
  func put(_ element: Element) {
    let mustStart = state.withLock { state in
      guard !state.isClosed else { return false }
      state.buffer.put(element)
      defer { state.isDraining = true }
      return !state.isDraining
    }
    guard mustStart else { return }
    guard let delay else { return queue.async { self.drain() } }
    queue.asyncAfter(deadline: .now() + delay) { self.drain() }
  }

  /// Begins no further call of the function.
  func close() { state.withLock { $0.isClosed = true } }

  /// Returns when all that wait by now are taken. Does not end when the function does not return.
  func flush() async {
    await withCheckedContinuation { continuation in
      let isIdle = state.withLock { state in
        if state.isDraining { state.flushers.append(continuation) }
        return !state.isDraining
      }
      if isIdle { continuation.resume() }
    }
  }

  private func drain() {
    while true {
      let (batch, flushers) = state.withLock { state -> ([Element], [CheckedContinuation<Void, Never>]) in
        let batch = state.buffer.take(mark)
        guard batch.isEmpty else { return (batch, []) }
        state.isDraining = false
        defer { state.flushers = [] }
        return (batch, state.flushers)
      }
      for flusher in flushers { flusher.resume() }
      if batch.isEmpty { return }
      for element in batch {
        guard !state.withLock({ $0.isClosed }) else { break }
        let hasFailed: Bool
        do {
          try work(element)
          hasFailed = false
        } catch {
          hasFailed = true
        }
        state.withLock { if hasFailed { $0.failed += 1 } else { $0.taken += 1 } }
      }
    }
  }
}
