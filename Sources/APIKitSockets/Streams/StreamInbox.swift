import APIKit
import Synchronization

/// What a stream brings to its manager, in order: put in by the task that reads it, taken out on the main actor. The task
/// waits while much was not taken.
final class StreamInbox<Item: Sendable>: MainDeliverable {
  /// How many items may wait before reading stops, and how many bytes of them: what was put in at once is taken as a whole.
  static var limit: Int { 1024 }
  static var byteLimit: Int { SocketInbox.byteLimit }

  private struct State {
    var items: [Item] = []
    var count = 0
    /// Of ``items``, and of those with what was taken and not used yet.
    var (itemBytes, bytes) = (0, 0)
    var isScheduled = false
    var isReleased = false
    var waiter: CheckedContinuation<Void, Never>?

    var hasRoom: Bool { count < StreamInbox.limit && bytes < StreamInbox.byteLimit }
  }
  private let state = Mutex(State())

  /// Called on the main actor when there are items to take.
  @MainActor var onItems: ((StreamInbox) -> Void)?
  @MainActor private var taken: [Item] = []
  @MainActor private var next = 0
  @MainActor private var takenBytes = 0

  init() {}

  /// Puts items in, and returns when there is room for others.
  ///
  /// - Parameter bytes: How many bytes they were made of.
  func put(_ items: [Item], bytes: Int) async {
    guard !items.isEmpty else { return }
    let isFirst = state.withLock { state in
      guard !state.isReleased else { return false }
      state.items += items
      state.count += items.count
      state.itemBytes += bytes
      state.bytes += bytes
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if isFirst { MainDelivery.main.put(self) }
    await withCheckedContinuation { waiter in
      let mayGoOn = state.withLock { state in
        if state.isReleased || state.hasRoom { return true }
        state.waiter = waiter
        return false
      }
      if mayGoOn { waiter.resume() }
    }
  }

  /// The consumer is gone.
  func release() {
    let waiter = state.withLock { state in
      state.isReleased = true
      state.items = []
      return state.waiter.take()
    }
    waiter?.resume()
  }

  @MainActor func deliver() {
    state.withLock { $0.isScheduled = false }
    onItems?(self)
  }

  /// The next item; nil when there is none now.
  @MainActor func take() -> Item? {
    if next == taken.count {
      let (count, bytes) = (taken.count, takenBytes)
      taken.removeAll(keepingCapacity: true)
      next = 0
      let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
        state.count -= count
        state.bytes -= bytes
        swap(&state.items, &taken)
        (takenBytes, state.itemBytes) = (state.itemBytes, 0)
        return state.hasRoom ? state.waiter.take() : nil
      }
      waiter?.resume()
      guard !taken.isEmpty else { return nil }
    }
    defer { next += 1 }
    return taken[next]
  }
}
