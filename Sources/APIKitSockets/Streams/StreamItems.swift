public import APIKit

/// The items of a stream; see ``BaseEventStreamManager/events()`` and ``BaseLineStreamManager/lines()``.
public struct StreamItems<Item: Sendable>: AsyncSequence {
  /// An item.
  public typealias Element = Item
  /// What the stream failed with.
  public typealias Failure = APIError

  let reader: ItemReader<Item>

  /// Iterates. Iterators of one sequence share its items.
  public func makeAsyncIterator() -> Iterator { Iterator(reader: reader) }

  /// Takes one item after the other.
  public struct Iterator: AsyncIteratorProtocol {
    let reader: ItemReader<Item>

    /// The next item; nil when the stream has ended, or the task is cancelled.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(APIError) -> Item? {
      try await reader.take()
    }
  }
}

extension StreamRunner {
  /// A sequence of the items from now on.
  func items(size: @escaping (Item) -> Int) -> StreamItems<Item> {
    let reader = ItemReader<Item>(size: size) { [weak self] in
      self?.readOn()
      return self != nil
    }
    readers.append(WeakReader(reader: reader))
    return StreamItems(reader: reader)
  }
}
