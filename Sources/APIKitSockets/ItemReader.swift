import APIKit

/// The items of one sequence that were not taken yet.
@MainActor final class ItemReader<Item: Sendable> {
  private var items: [Item] = []
  private var next = 0
  private var bytes = 0
  private var end: Result<Item?, APIError>?
  private let waiters = WaiterQueue<Void, Item?>(cancelled: .success(nil))
  private let size: (Item) -> Int
  /// Called when an item was taken; false when no producer is left.
  private let onTaken: () -> Bool

  init(size: @escaping (Item) -> Int, onTaken: @escaping () -> Bool) {
    self.size = size
    self.onTaken = onTaken
  }

  var hasRoom: Bool { items.count - next < SocketInbox.messageLimit && bytes < SocketInbox.byteLimit }

  func put(_ item: Item) {
    if waiters.resumeFirst(.success(item)) { return }
    items.append(item)
    bytes += size(item)
  }

  func end(_ error: APIError?) {
    let end: Result<Item?, APIError> = error.map { .failure($0) } ?? .success(nil)
    self.end = end
    waiters.resumeAll(end)
  }

  func take() async throws(APIError) -> Item? {
    if let ready = ready() {
      _ = onTaken()
      return try ready.get()
    }
    // Who waited for room may bring an item at once, or the end.
    guard onTaken() else { return nil }
    if let ready = ready() { return try ready.get() }
    return try await waiters.wait(())
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
}

/// A reader that is released when no iterator is left.
struct WeakReader<Item: Sendable> {
  weak var reader: ItemReader<Item>?
}
