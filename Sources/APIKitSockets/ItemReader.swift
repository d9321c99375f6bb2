import APIKit

/// The items of one sequence that were not taken yet.
@MainActor final class ItemReader<Item: Sendable> {
  private var items: [(item: Item, bytes: Int)] = []
  private var bytes = 0
  private var end: Result<Item?, APIError>?
  private let waiters = WaiterQueue<Void, Item?>(cancelled: .success(nil))
  /// Called when an item was taken and when the reader is released; false when no producer is left.
  private let onTaken: @MainActor @Sendable () -> Bool

  init(onTaken: @escaping @MainActor @Sendable () -> Bool) { self.onTaken = onTaken }

  deinit {
    // The producer may have waited for room here, and nothing else would tell it.
    MainDelivery.main.put { [onTaken] in _ = onTaken() }
  }

  var hasRoom: Bool { items.count < SocketInbox.messageLimit && bytes < SocketInbox.byteLimit }

  func put(_ item: Item, bytes count: Int) {
    if waiters.resumeFirst(.success(item)) { return }
    items.append((item, count))
    bytes += count
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
    // The producer may have waited for room, and bring an item at once, or the end.
    guard onTaken() else { return nil }
    if let ready = ready() { return try ready.get() }
    return try await waiters.wait(())
  }

  /// The next item, or the end; nil when there is neither.
  private func ready() -> Result<Item?, APIError>? {
    if !items.isEmpty {
      // Not kept: one that is slower than its producer is never empty.
      let (item, count) = items.removeFirst()
      bytes -= count
      return .success(item)
    }
    guard let end else { return nil }
    // A failure is thrown once.
    self.end = .success(nil)
    return end
  }
}

/// The sequences of one manager that are read; each is released when no iterator is left.
@MainActor struct ItemReaders<Item: Sendable> {
  private struct WeakReader {
    weak var reader: ItemReader<Item>?
  }
  private var readers: [WeakReader] = []

  /// A sequence of the items from now on.
  ///
  /// - Parameter onTaken: Called when an item was taken or the sequence was given up, for there may be room again; false when
  ///   no producer is left.
  mutating func sequence(onTaken: @escaping @MainActor @Sendable () -> Bool) -> StreamItems<Item> {
    let reader = ItemReader<Item>(onTaken: onTaken)
    readers.append(WeakReader(reader: reader))
    return StreamItems(reader: reader)
  }

  /// Whether each of them takes another item.
  mutating func haveRoom() -> Bool {
    if !readers.isEmpty { readers.removeAll { $0.reader == nil } }
    return readers.allSatisfy { $0.reader?.hasRoom ?? true }
  }

  func put(_ item: Item, bytes: Int) { for reader in readers { reader.reader?.put(item, bytes: bytes) } }

  /// Ends them all on the main actor's next turn: their producer is released. From any thread.
  nonisolated func release() {
    MainDelivery.main.put { [readers] in for reader in readers { reader.reader?.end(nil) } }
  }

  /// Ends them all; with an error, they throw it.
  mutating func end(_ error: APIError?) {
    for reader in readers { reader.reader?.end(error) }
    readers = []
  }
}
