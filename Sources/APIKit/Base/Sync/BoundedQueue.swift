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

  /// Adds elements; those without room are counted.
  mutating func put(_ elements: [Element]) {
    let room = max(0, capacity - waiting.count)
    if waiting.isEmpty, elements.count <= room { return waiting = elements }
    waiting += elements.prefix(room)
    guard elements.count > room else { return }
    dropped += elements.count - room
    lost = (lost?.first ?? elements[room], (lost?.count ?? 0) + elements.count - room)
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
    var flushers: [CheckedContinuation<Void, Never>] = []
  }

  private let state: Mutex<QueueState>
  // Without the lock, which would cost as much as the rest of an element.
  private let isClosed = AtomicFlag()
  private let taken = AtomicInt()
  private let failed = AtomicInt()
  private let queue: DispatchQueue
  /// How many elements may wait.
  let capacity: Int
  private let mark: @Sendable (Element, Int) -> Element?
  private let work: @Sendable (Element) throws -> Void

  /// Makes a queue.
  ///
  /// - Parameters:
  ///   - mark: Makes what stands for elements without room; none by default.
  ///   - work: Takes one element. An element for which it throws is counted.
  init(
    _ label: String, capacity: Int,
    mark: @escaping @Sendable (Element, Int) -> Element? = { _, _ in nil },
    work: @escaping @Sendable (Element) throws -> Void
  ) {
    state = Mutex(QueueState(buffer: BoundedBuffer(capacity: capacity)))
    queue = DispatchQueue(label: label, qos: .utility)
    (self.capacity, self.mark, self.work) = (capacity, mark, work)
  }

  var counts: Counts {
    Counts(taken: taken.load(), dropped: state.withLock { $0.buffer.dropped }, failed: failed.load())
  }

  /// Adds an element at the end.
  func put(_ element: Element) { put { $0.put(element) } }

  /// Adds elements at the end.
  func put(_ elements: [Element]) { put { $0.put(elements) } }

  private func put(_ body: (inout BoundedBuffer<Element>) -> Void) {
    let mustDrain = state.withLock { state in
      guard !isClosed.load() else { return false }
      body(&state.buffer)
      defer { state.isDraining = true }
      return !state.isDraining
    }
    if mustDrain { queue.async { self.drain() } }
  }

  /// Begins no further call of the function.
  func close() { isClosed.store(true) }

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

  /// Calls the function for all that wait.
  private func drain() {
    while true {
      var (batch, flushers) = state.withLock { state -> ([Element], [CheckedContinuation<Void, Never>]) in
        let batch = state.buffer.take(mark)
        if !batch.isEmpty, !isClosed.load() { return (batch, []) }
        state.isDraining = false
        defer { state.flushers = [] }
        return ([], state.flushers)
      }
      for flusher in flushers { flusher.resume() }
      if batch.isEmpty { return }
      // From its end each is moved out, and not copied.
      batch.withUnsafeMutableBufferPointer { $0.reverse() }
      while !isClosed.load(), let element = batch.popLast() {
        do {
          try work(element)
          taken.add(1)
        } catch {
          failed.add(1)
        }
      }
    }
  }
}
