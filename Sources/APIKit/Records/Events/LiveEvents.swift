/// The events of loads as a sequence for one `for await` loop: see ``FlightEvents/events(capacity:)``.
///
/// It begins when it is made, and ends when the task that reads it is cancelled. Unread events are released
/// with the sequence and its iterator.
public struct LiveEvents: AsyncSequence, Sendable {
  private let reading: Reading

  init(_ buffer: FlightEventBuffer) { reading = Reading(buffer) }

  /// How many events had no room so far.
  public var dropped: Int {
    FlightEvents.shared.passOn()
    return reading.buffer.dropped
  }

  /// Reads on where the iterator before has stopped.
  public func makeAsyncIterator() -> Iterator { Iterator(reading) }

  /// Reads the events.
  public struct Iterator: AsyncIteratorProtocol {
    private let reading: Reading
    private var batch: ArraySlice<LiveEvent> = []

    fileprivate init(_ reading: Reading) { self.reading = reading }

    /// The next event; nil when the task is cancelled.
    public mutating func next() async -> LiveEvent? {
      while true {
        if Task.isCancelled { return nil }
        if let event = batch.popFirst() { return event }
        batch = reading.buffer.take()[...]
        if batch.isEmpty { await reading.buffer.wait() }
      }
    }
  }

  /// Ends the sequence with the last reference to it.
  fileprivate final class Reading: Sendable {
    let buffer: FlightEventBuffer
    init(_ buffer: FlightEventBuffer) { self.buffer = buffer }
    deinit { FlightEvents.shared.remove(buffer) }
  }
}

/// The events that wait for a loop.
final class FlightEventBuffer: Sendable {
  private struct BufferState {
    var events: BoundedBuffer<LiveEvent>
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  /// How many may wait.
  let capacity: Int
  private let state: Mutex<BufferState>

  init(capacity: Int) {
    self.capacity = capacity
    state = Mutex(BufferState(events: BoundedBuffer(capacity: capacity)))
  }

  var dropped: Int { state.withLock { $0.events.dropped } }

  func put(_ events: [LiveEvent]) {
    state.withLock { $0.events.put(events) }
    wake()
  }

  func take() -> [LiveEvent] {
    state.withLock { $0.events.take { first, count in first.replacing(.dropped(count)) } }
  }

  /// Returns when there may be events, or the task is cancelled.
  func wait() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        let mustWait = state.withLock { state in
          guard state.events.isEmpty, !Task.isCancelled else { return false }
          state.waiters.append(waiter)
          return true
        }
        if !mustWait { waiter.resume() }
      }
    } onCancel: {
      wake()
    }
  }

  private func wake() {
    let waiters = state.withLock { state in
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }
}
