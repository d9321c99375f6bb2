public import APIKit

/// The items of a stream or a socket; see ``BaseEventStreamManager/events()``, ``BaseLineStreamManager/lines()`` and
/// ``BaseSocketManager/messages()``.
public struct StreamItems<Item: Sendable>: AsyncSequence {
  /// An item.
  public typealias Element = Item
  /// The error of the stream.
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

/// The messages of a socket; see ``BaseSocketManager/messages()``.
public typealias SocketMessages = StreamItems<SocketMessage>
