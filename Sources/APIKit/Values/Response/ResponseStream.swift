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
  /// How a writer gets the whole body; nil where it can only be read in chunks.
  private let direct: (@Sendable (any BodyWriter) async throws(APIError) -> Void)?
  private let measured: @Sendable () -> TransportMetrics?

  /// Makes a stream over a transport's own source.
  ///
  /// - Parameters:
  ///   - onAbandon: Called once, when the last copy of the stream and its iterators is released.
  ///   - pull: Returns the next chunk; nil at the end of the body.
  public init(
    onAbandon: @escaping @Sendable () -> Void = {},
    pull: @escaping @Sendable () async throws(APIError) -> [UInt8]?
  ) {
    self.init(onAbandon: onAbandon, pull: pull, pour: nil, measured: { nil })
  }

  /// Makes a stream whose source can also give the whole body to a writer, and tell what was measured at its end.
  init(
    onAbandon: @escaping @Sendable () -> Void,
    pull: @escaping @Sendable () async throws(APIError) -> [UInt8]?,
    pour: (@Sendable (any BodyWriter) async throws(APIError) -> Void)?,
    measured: @escaping @Sendable () -> TransportMetrics?
  ) {
    self.pull = pull
    owner = Owner(onAbandon)
    direct = pour
    self.measured = measured
  }

  /// The metrics of the whole attempt once the body has ended; nil before, and if the transport does not report them.
  /// Those of a body that broke are in its error as well (``APIError/metrics``); those of the head are
  /// ``HTTPResponse/metrics``.
  public var metrics: TransportMetrics? { measured() }

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
        throw APIError(bodyLargerThan: maximumBytes)
      }
      all += chunk
    }
    return all
  }

  /// Gives the whole body to a writer, on the thread that receives it where that is possible. Returns at the end of the body.
  package func pour(into writer: any BodyWriter) async throws(APIError) {
    if let direct { return try await direct(writer) }
    let (ready, readiness) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    writer.whenReady { readiness.yield() }
    var waiting = ready.makeAsyncIterator()
    var iterator = makeAsyncIterator()
    while let chunk = try await iterator.next() {
      // A signal from before the writer was full ends one wait too early; the writer takes the bytes all the same.
      if try writer.write(chunk) { await waiting.next() }
    }
  }

  /// The same stream, of whose chunks the beginning is copied on their way.
  ///
  /// - Parameters:
  ///   - limit: The most bytes that are copied.
  ///   - done: Called once with the beginning and the number of all bytes: at the end of the body, when it breaks, or when the
  ///     stream is released before.
  package func keepingBeginning(
    _ limit: Int,
    _ done: @escaping @Sendable (_ beginning: [UInt8], _ count: Int64, _ error: APIError?) -> Void
  ) -> ResponseStream {
    let beginning = BodyBeginning(limit, done)
    return ResponseStream(
      onAbandon: { beginning.end(nil) },
      pull: { () async throws(APIError) in
        do throws(APIError) {
          let chunk = try await pull()
          if let chunk { chunk.withUnsafeBytes { beginning.take($0) } } else { beginning.end(nil) }
          return chunk
        } catch {
          beginning.end(error)
          throw error
        }
      },
      pour: { (writer) async throws(APIError) in
        do throws(APIError) {
          try await pour(into: BodyBeginning.Writer(beginning, writer))
          beginning.end(nil)
        } catch {
          beginning.end(error)
          throw error
        }
      }, measured: measured)
  }

  /// Notifies the transport when the stream and its iterators are released.
  final class Owner: Sendable {
    private let onAbandon: @Sendable () -> Void
    init(_ onAbandon: @escaping @Sendable () -> Void) { self.onAbandon = onAbandon }
    deinit { onAbandon() }
  }
}

/// The beginning of a body that passes by.
private final class BodyBeginning: Sendable {
  private typealias Done = @Sendable (_ beginning: [UInt8], _ count: Int64, _ error: APIError?) -> Void

  private struct BeginningState {
    var bytes: [UInt8] = []
    var count: Int64 = 0
    var done: Done?
  }

  private let limit: Int
  private let state: Mutex<BeginningState>

  init(
    _ limit: Int,
    _ done: @escaping @Sendable (_ beginning: [UInt8], _ count: Int64, _ error: APIError?) -> Void
  ) {
    self.limit = limit
    state = Mutex(BeginningState(done: done))
  }

  func take(_ bytes: UnsafeRawBufferPointer) {
    state.withLock { state in
      state.count += Int64(bytes.count)
      let room = limit - state.bytes.count
      if room > 0 { state.bytes += bytes.prefix(room) }
    }
  }

  func end(_ error: APIError?) {
    let (last, done) = state.withLock { state in
      defer { state.done = nil }
      return (state, state.done)
    }
    done?(last.bytes, last.count, error)
  }

  /// Shows a writer's bytes to the beginning.
  final class Writer: BodyWriter {
    private let beginning: BodyBeginning
    private let writer: any BodyWriter

    init(_ beginning: BodyBeginning, _ writer: any BodyWriter) {
      (self.beginning, self.writer) = (beginning, writer)
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(APIError) -> Bool {
      beginning.take(bytes)
      return try writer.write(bytes)
    }

    func whenReady(_ resume: @escaping @Sendable () -> Void) { writer.whenReady(resume) }
  }
}
