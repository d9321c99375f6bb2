/// The body of a response, chunk by chunk while it arrives; iterate once.
///
/// Back-pressure: the transport reads on only when the chunk before was taken. Leaving the loop early
/// cancels the transfer. A failure of the wire is thrown from the iteration as an ``APIError``.
public struct ResponseStream: AsyncSequence, Sendable {
  /// One piece of the body, as received.
  public typealias Element = [UInt8]
  /// What the iteration throws.
  public typealias Failure = APIError

  private let pull: @Sendable () async throws(APIError) -> [UInt8]?
  private let owner: Owner

  /// Makes a stream over a transport's own source.
  ///
  /// - Parameters:
  ///   - onAbandon: Called once, when the last copy of the stream and its iterators is gone.
  ///   - pull: Gives the next chunk; nil at the end of the body.
  public init(
    onAbandon: @escaping @Sendable () -> Void = {},
    pull: @escaping @Sendable () async throws(APIError) -> [UInt8]?
  ) {
    self.pull = pull
    owner = Owner(onAbandon)
  }

  /// Starts the iteration.
  public func makeAsyncIterator() -> Iterator { Iterator(pull: pull, owner: owner) }

  /// Takes one chunk after the other.
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

  /// All chunks together, at most `maximumBytes` of them.
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

  /// Tells the transport when nobody can read on.
  final class Owner: Sendable {
    private let onAbandon: @Sendable () -> Void
    init(_ onAbandon: @escaping @Sendable () -> Void) { self.onAbandon = onAbandon }
    deinit { onAbandon() }
  }
}
