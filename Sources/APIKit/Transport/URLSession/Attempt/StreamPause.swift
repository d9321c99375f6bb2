/// Whether the task of a streamed response is suspended.
///
/// The writer of a ``ChunkPipe`` reports that it is full, and the reader that it was drained; each report of the
/// one is followed by one of the other. They come from two threads, so the reader's may arrive first, when the
/// writer has not yet suspended the task: then it must not be suspended at all, or nothing would resume it.
struct StreamPause {
  /// Legal moves: flowing → paused → flowing, and flowing → drainedFirst → flowing.
  private enum StreamPauseState {
    /// Bytes arrive.
    case flowing
    /// The task is suspended.
    case paused
    /// The pipe was drained before the writer reported that it was full.
    case drainedFirst
  }

  private var state = StreamPauseState.flowing

  /// Whether the task is suspended.
  var isPaused: Bool { state == .paused }

  /// The pipe is full; true when the task is to be suspended.
  mutating func filled() -> Bool {
    state = state == .drainedFirst ? .flowing : .paused
    return isPaused
  }

  /// The pipe was drained; true when the task is to be resumed.
  mutating func drained() -> Bool {
    defer { state = state == .paused ? .flowing : .drainedFirst }
    return isPaused
  }
}
