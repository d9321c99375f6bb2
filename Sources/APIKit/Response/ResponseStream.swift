/// The body of a response in chunks while it is received; it can be iterated once.
///
/// Back-pressure: the transport receives more only after the chunk before was consumed. Leaving the loop
/// early cancels the transfer. The iteration throws failures of the transport as an ``APIError``.
public struct ResponseStream: AsyncSequence, Sendable {
  /// One piece of the body, as received.
  public typealias Element = [UInt8]
  /// The error that the iteration throws.
  public typealias Failure = APIError

  private let pull: @Sendable () async throws(APIError) -> [UInt8]?
  private let owner: Owner

  /// Makes a stream over a transport's own source.
  ///
  /// - Parameters:
  ///   - onAbandon: Called once, when the last copy of the stream and its iterators is released.
  ///   - pull: Returns the next chunk; nil at the end of the body.
  public init(
    onAbandon: @escaping @Sendable () -> Void = {},
    pull: @escaping @Sendable () async throws(APIError) -> [UInt8]?
  ) {
    self.pull = pull
    owner = Owner(onAbandon)
  }

  /// Starts the iteration.
  public func makeAsyncIterator() -> Iterator { Iterator(pull: pull, owner: owner) }

  /// Returns the chunks in order.
  public struct Iterator: AsyncIteratorProtocol {
    let pull: @Sendable () async throws(APIError) -> [UInt8]?
    let owner: Owner

    /// The next chunk, or nil at the end of the body.
    public mutating func next() async throws(APIError) -> [UInt8]? { try await pull() }

    /// The next chunk, or nil at the end of the body.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(APIError) -> [UInt8]? {
      try await pull()
    }
  }

  /// The whole body, of at most `maximumBytes` bytes.
  ///
  /// Throws ``APIError/Reason/responseTooLarge`` beyond the limit.
  public func collect(maximumBytes: Int) async throws(APIError) -> [UInt8] {
    var all: [UInt8] = []
    var iterator = makeAsyncIterator()
    while let chunk = try await iterator.next() {
      guard all.count + chunk.count <= maximumBytes else {
        throw APIError(.transport, .responseTooLarge, "the body is larger than \(maximumBytes) bytes")
      }
      all += chunk
    }
    return all
  }

  /// Notifies the transport when the stream and its iterators are released.
  final class Owner: Sendable {
    private let onAbandon: @Sendable () -> Void
    init(_ onAbandon: @escaping @Sendable () -> Void) { self.onAbandon = onAbandon }
    deinit { onAbandon() }
  }
}
