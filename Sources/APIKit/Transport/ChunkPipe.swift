import Synchronization

/// Passes the chunks of a body from a transport's thread to the reader of a ``ResponseStream``.
///
/// The writer learns when at least `mark` bytes are unread, so that it can stop reading, and again when all
/// were taken. May be used from any thread, by one reader at a time.
final class ChunkPipe: Sendable {
  private typealias Reader = CheckedContinuation<Result<[UInt8]?, APIError>, Never>

  private struct State {
    var chunks: [[UInt8]] = []
    var next = 0
    var unread = 0
    var isPaused = false
    var end: Result<Void, APIError>?
    var reader: Reader?
  }

  private let state = Mutex(State())
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
    ResponseStream(onAbandon: onCancel) { () async throws(APIError) in try await self.take() }
  }

  /// Appends a chunk; true when the writer should pause until `onDrain` is called.
  func write(_ chunk: [UInt8]) -> Bool {
    let (reader, shouldPause) = state.withLock { state -> (Reader?, Bool) in
      guard state.end == nil else { return (nil, false) }
      if let reader = state.reader {
        state.reader = nil
        return (reader, false)
      }
      state.chunks.append(chunk)
      state.unread += chunk.count
      if state.unread >= mark, !state.isPaused {
        state.isPaused = true
        return (nil, true)
      }
      return (nil, false)
    }
    reader?.resume(returning: .success(chunk))
    return shouldPause
  }

  /// Ends the body, with success or an error; chunks written before can still be read.
  func finish(_ end: Result<Void, APIError>) {
    let reader = state.withLock { state -> Reader? in
      guard state.end == nil else { return nil }
      state.end = end
      defer { state.reader = nil }
      return state.reader
    }
    reader?.resume(returning: end.map { nil })
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
