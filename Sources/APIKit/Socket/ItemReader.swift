/// The items of one sequence that were not taken yet.
@MainActor final class ItemReader<Item: Sendable> {
  private typealias Waiter = CheckedContinuation<Result<Item?, APIError>, Never>

  private var items: [Item] = []
  private var next = 0
  private var bytes = 0
  private var end: Result<Item?, APIError>?
  private var waiters: [(id: Int, waiter: Waiter)] = []
  private var lastWaiter = 0
  private let size: (Item) -> Int
  /// Called when an item was taken; false when no producer is left.
  private let onTaken: () -> Bool

  init(size: @escaping (Item) -> Int, onTaken: @escaping () -> Bool) {
    self.size = size
    self.onTaken = onTaken
  }

  var hasRoom: Bool { items.count - next < SocketInbox.messageLimit && bytes < SocketInbox.byteLimit }

  func put(_ item: Item) {
    if !waiters.isEmpty { return waiters.removeFirst().waiter.resume(returning: .success(item)) }
    items.append(item)
    bytes += size(item)
  }

  func end(_ error: APIError?) {
    let end: Result<Item?, APIError> = error.map { .failure($0) } ?? .success(nil)
    self.end = end
    for waiter in waiters { waiter.waiter.resume(returning: end) }
    waiters = []
  }

  func take() async throws(APIError) -> Item? {
    if let ready = ready() {
      _ = onTaken()
      return try ready.get()
    }
    // Who waited for room may bring an item at once, or the end.
    guard onTaken() else { return nil }
    lastWaiter += 1
    let id = lastWaiter
    let taken: Result<Item?, APIError> = await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        if let ready = ready() { return waiter.resume(returning: ready) }
        if Task.isCancelled { return waiter.resume(returning: .success(nil)) }
        waiters.append((id, waiter))
      }
    } onCancel: {
      MainDelivery.main.put { [weak self] in self?.cancel(id) }
    }
    return try taken.get()
  }

  /// The next item, or the end; nil when there is neither.
  private func ready() -> Result<Item?, APIError>? {
    if next < items.count {
      let item = items[next]
      next += 1
      bytes -= size(item)
      if next == items.count { (items, next) = ([], 0) }
      return .success(item)
    }
    guard let end else { return nil }
    // A failure is thrown once.
    self.end = .success(nil)
    return end
  }

  private func cancel(_ id: Int) {
    guard let index = waiters.firstIndex(where: { $0.id == id }) else { return }
    waiters.remove(at: index).waiter.resume(returning: .success(nil))
  }
}

/// A reader that is released when no iterator is left.
struct WeakReader<Item: Sendable> {
  weak var reader: ItemReader<Item>?
}
