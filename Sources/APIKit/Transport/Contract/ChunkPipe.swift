/// Passes the chunks of a body from a transport's thread to the reader of a ``ResponseStream``, or to a ``BodyWriter``.
///
/// The transport learns when at least `mark` bytes are unread, so that it can stop receiving, and again when all
/// were taken. May be used from any thread, by one reader at a time; bytes are written by one thread at a time.
final class ChunkPipe: Sendable {
  private typealias Reader = CheckedContinuation<Result<[UInt8]?, APIError>, Never>

  private struct PipeState {
    var chunks: [[UInt8]] = []
    var next = 0
    var unread = 0
    var isPaused = false
    var end: Result<Void, APIError>?
    var metrics: TransportMetrics?
    var reader: Reader?
    /// The writer that takes the bytes instead of a reader.
    var writer: (any BodyWriter)?
  }

  /// The taker of bytes.
  private enum Taker {
    case reader(Reader)
    case writer(any BodyWriter)
    /// They were appended, or are not wanted any more.
    case nobody(shouldPause: Bool)
  }

  private let state = Mutex(PipeState())
  private let mark: Int
  private let onDrain: @Sendable () -> Void
  private let onCancel: @Sendable () -> Void

  /// Makes a pipe.
  ///
  /// - Parameters:
  ///   - mark: How many bytes may be unread before the writer should pause.
  ///   - onDrain: Called when the reader has taken all chunks of a paused pipe.
  ///   - onCancel: Called when the reader's task is cancelled or the stream is released.
  init(mark: Int, onDrain: @escaping @Sendable () -> Void, onCancel: @escaping @Sendable () -> Void) {
    self.mark = mark
    self.onDrain = onDrain
    self.onCancel = onCancel
  }

  /// The stream for the reader.
  var stream: ResponseStream {
    ResponseStream(onAbandon: onCancel) { () async throws(APIError) in
      try await self.take()
    } pour: { (writer) async throws(APIError) in
      try await self.pour(into: writer)
    } measured: {
      self.state.withLock { $0.metrics }
    }
  }

  /// Passes bytes on; true when the transport should pause until `onDrain` is called. Throws what the writer throws.
  func write(_ bytes: UnsafeRawBufferPointer) throws(APIError) -> Bool {
    if let writer = state.withLock({ $0.end == nil ? $0.writer : nil }) { return try writer.write(bytes) }
    let chunk = [UInt8](bytes)
    switch append(chunk) {
    case .nobody(let shouldPause): return shouldPause
    case .writer(let writer): return try writer.write(bytes)
    case .reader(let reader):
      reader.resume(returning: .success(chunk))
      return false
    }
  }

  private func append(_ chunk: [UInt8]) -> Taker {
    state.withLock { state in
      guard state.end == nil else { return .nobody(shouldPause: false) }
      // It may have come since the transport has looked.
      if let writer = state.writer { return .writer(writer) }
      if let reader = state.reader {
        state.reader = nil
        return .reader(reader)
      }
      state.chunks.append(chunk)
      state.unread += chunk.count
      guard state.unread >= mark, !state.isPaused else { return .nobody(shouldPause: false) }
      state.isPaused = true
      return .nobody(shouldPause: true)
    }
  }

  /// Ends the body, with success or an error; chunks written before can still be read.
  ///
  /// - Parameter metrics: What was measured of the attempt until then, where the transport tells.
  func finish(_ end: Result<Void, APIError>, metrics: TransportMetrics? = nil) {
    let reader = state.withLock { state -> Reader? in
      guard state.end == nil else { return nil }
      (state.end, state.writer, state.metrics) = (end, nil, metrics)
      defer { state.reader = nil }
      return state.reader
    }
    reader?.resume(returning: end.map { nil })
  }

  /// Has the transport's thread write to a writer what comes from now on, and returns at the end of the body.
  private func pour(into writer: any BodyWriter) async throws(APIError) {
    writer.whenReady(onDrain)
    var isReady = true
    // Chunks that have arrived before go first.
    while let chunk = nextChunk(before: writer) {
      do throws(APIError) {
        isReady = try !writer.write(chunk)
      } catch {
        finish(.failure(error))
        onCancel()
        throw error
      }
    }
    let wasPaused = state.withLock { state in
      defer { state.isPaused = false }
      return state.isPaused
    }
    // A writer that is not ready calls it by itself.
    if wasPaused, isReady { onDrain() }
    _ = try await take()
  }

  /// The next chunk that has come before the writer; nil once it has had all, and the transport's thread writes.
  private func nextChunk(before writer: any BodyWriter) -> [UInt8]? {
    state.withLock { state in
      guard state.next < state.chunks.count else {
        (state.chunks, state.next, state.unread) = ([], 0, 0)
        if state.end == nil { state.writer = writer }
        return nil
      }
      defer { state.next += 1 }
      return state.chunks[state.next]
    }
  }

  private func take() async throws(APIError) -> [UInt8]? {
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: Reader) in
        var drained = false
        let outcome = state.withLock { state -> Result<[UInt8]?, APIError>? in
          if Task.isCancelled { return .failure(APIError(.transport, .cancelled)) }
          if state.next < state.chunks.count {
            let chunk = state.chunks[state.next]
            state.chunks[state.next] = []
            state.next += 1
            state.unread -= chunk.count
            if state.next == state.chunks.count {
              state.chunks.removeAll(keepingCapacity: true)
              state.next = 0
              drained = state.isPaused
              state.isPaused = false
            }
            return .success(chunk)
          }
          if let end = state.end { return end.map { nil } }
          state.reader = continuation
          return nil
        }
        if drained { onDrain() }
        if let outcome { continuation.resume(returning: outcome) }
      }
    } onCancel: {
      finish(.failure(APIError(.transport, .cancelled)))
      onCancel()
    }
    return try result.get()
  }
}
