public import APIKit

/// The messages of a socket; see ``BaseSocketManager/messages()``.
public struct SocketMessages: AsyncSequence {
  /// A message.
  public typealias Element = SocketMessage
  /// What the socket failed with.
  public typealias Failure = APIError

  let reader: ItemReader<SocketMessage>

  /// Iterates. Iterators of one sequence share its messages.
  public func makeAsyncIterator() -> Iterator { Iterator(reader: reader) }

  /// Takes one message after the other.
  public struct Iterator: AsyncIteratorProtocol {
    let reader: ItemReader<SocketMessage>

    /// The next message; nil when the socket is closed, or the task cancelled.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(APIError) -> SocketMessage? {
      try await reader.take()
    }
  }
}
