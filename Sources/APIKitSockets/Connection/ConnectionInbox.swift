import APIKit

/// An item that a connection brings to its manager.
protocol InboxItem: Sendable {
  /// How many bytes it keeps; nil for an item that takes no room.
  var keptBytes: Int? { get }
  /// Whether the connection has ended with it.
  var isEnd: Bool { get }
}

/// The items of a connection, in order: put in on the connection's thread or in its task, taken out on the main
/// actor, with one hop for all that were put in meanwhile. Reading stops while too many were not taken.
final class ConnectionInbox<Item: InboxItem>: MainDeliverable {
  private struct InboxState {
    var items: [Item] = []
    /// Of the items that take room, those that were not taken.
    var count = 0
    var bytes = 0
    var isScheduled = false
    var isPaused = false
    var isReleased = false
    var hasEnded = false
    /// The task that waits until there is room.
    var waiter: CheckedContinuation<Void, Never>?
    /// Has the connection read on.
    var onRoom: (@Sendable () -> Void)?

    mutating func resumesReading() -> (@Sendable () -> Void)? {
      guard isPaused else { return nil }
      isPaused = false
      if let waiter = waiter.take() { return { waiter.resume() } }
      return onRoom
    }
  }

  private let state: Mutex<InboxState>
  /// When reading stops: so many items, or so many bytes of them (``byteLimit``), that were not taken.
  private let limit: Int
  static var byteLimit: Int { 1 << 20 }

  /// Called on the main actor when there are items to take.
  @MainActor var onItems: ((ConnectionInbox) -> Void)?
  @MainActor private var taken: [Item] = []
  @MainActor private var next = 0
  /// Items that were taken and are not counted yet.
  @MainActor private var used = (count: 0, bytes: 0)

  /// - Parameters:
  ///   - limit: How many items may wait before reading stops.
  ///   - onRoom: Has the connection read on, after a ``put(_:)`` that was false. Kept until ``letGo()``.
  init(limit: Int, onRoom: (@Sendable () -> Void)? = nil) {
    self.limit = limit
    state = Mutex(InboxState(onRoom: onRoom))
  }

  /// Whether the connection has ended, and its end is among the items or was taken.
  var hasEnded: Bool { state.withLock { $0.hasEnded } }

  /// Puts items in. False when no more are to be read until there is room.
  func put(_ items: [Item]) -> Bool {
    let (isFirst, hasRoom) = state.withLock { state -> (Bool, Bool) in
      guard !state.isReleased else { return (false, true) }
      state.items += items
      for item in items {
        if let bytes = item.keptBytes {
          state.count += 1
          state.bytes += bytes
        }
        if item.isEnd { state.hasEnded = true }
      }
      let hasRoom = state.count < limit && state.bytes < Self.byteLimit
      if !hasRoom { state.isPaused = true }
      defer { state.isScheduled = true }
      return (!state.isScheduled, hasRoom)
    }
    if isFirst { MainDelivery.main.put(self) }
    return hasRoom
  }

  /// Puts items in, and returns when there is room for others.
  func putAndWait(_ items: [Item]) async {
    guard !items.isEmpty, !put(items) else { return }
    await withCheckedContinuation { waiter in
      let waits = state.withLock { state in
        guard state.isPaused, !state.isReleased else { return false }
        state.waiter = waiter
        return true
      }
      if !waits { waiter.resume() }
    }
  }

  /// The consumer is gone.
  func release() {
    let waiter = state.withLock { state in
      state.isReleased = true
      (state.items, state.onRoom) = ([], nil)
      return state.waiter.take()
    }
    waiter?.resume()
  }

  /// The connection has ended.
  func letGo() { state.withLock { $0.onRoom = nil } }

  @MainActor func deliver() {
    state.withLock { $0.isScheduled = false }
    onItems?(self)
  }

  /// The next item; nil when there is none now.
  @MainActor func take() -> Item? {
    if next == taken.count {
      taken.removeAll(keepingCapacity: true)
      next = 0
      countUsed { swap(&$0.items, &taken) }
      guard !taken.isEmpty else { return nil }
    }
    let item = taken[next]
    next += 1
    if let bytes = item.keptBytes {
      used.count += 1
      used.bytes += bytes
      // Not for each, or every item would take the lock.
      if used.count >= limit / 8 || used.bytes >= Self.byteLimit / 8 { countUsed() }
    }
    return item
  }

  /// Counts the items that were taken: reading resumes when half of the room is free.
  @MainActor private func countUsed(_ change: (inout InboxState) -> Void = { _ in }) {
    let (count, bytes) = used
    used = (0, 0)
    let onRoom = state.withLock { state in
      state.count -= count
      state.bytes -= bytes
      change(&state)
      let isHalfFree = state.count <= limit / 2 && state.bytes <= Self.byteLimit / 2
      return isHalfFree ? state.resumesReading() : nil
    }
    onRoom?()
  }
}
