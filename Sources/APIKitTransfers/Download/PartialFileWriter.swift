import APIKit
import Dispatch

/// Takes a body on the thread that receives it, writes it to a partial file on another, and says when something is due.
///
/// A disk that is slower than the network holds up its download, and not the thread that receives for all: the transport is
/// stopped when much waits to be written, or is written and in no checkpoint. May be used from any thread.
final class PartialFileWriter: BodyWriter {
  /// How many bytes the file is given at a time. Transports give 16 KiB, which costs the system a third more.
  private static let pieceBytes = 256 << 10
  /// How many bytes may wait to be written.
  private static let maximumUnwritten: Int64 = 2 << 20
  /// How many bytes may be in no checkpoint.
  static let maximumUnsaved: Int64 = 64 << 20
  /// After how many bytes, and which time, something may be due.
  private static let dueBytes: Int64 = 4 << 20
  private static let dueTime: Duration = .milliseconds(100)

  private struct WriterState {
    /// How many bytes the file has.
    var written: Int64
    /// How many of them a checkpoint has.
    var saved: Int64
    /// How many there are with those that are not written yet.
    var given: Int64
    /// How many have come that go beyond the end of the body.
    var excess: Int64 = 0
    /// How many were written when something was due.
    var due: Int64
    /// What is to be written, in order; the last piece grows.
    var pieces: [[UInt8]] = []
    /// A piece that was written, for the next one.
    var spare: [UInt8] = []
    var fault: APIError?
    var isFull = false
    var isClosed = false
    var resume: @Sendable () -> Void = {}

    /// Takes the first piece and returns where it goes; nil when there is none, and after a fault.
    mutating func takePiece(into piece: inout [UInt8]) -> Int64? {
      guard fault == nil, !pieces.isEmpty else { return nil }
      piece = pieces.removeFirst()
      return written
    }

    /// Resumes the transport when it was paused and there is room again, or a fault to report.
    mutating func makeReady() -> (@Sendable () -> Void)? {
      let hasRoom =
        given - written < PartialFileWriter.maximumUnwritten / 2
        && given - saved < PartialFileWriter.maximumUnsaved
      guard isFull, hasRoom || fault != nil else { return nil }
      isFull = false
      return resume
    }
  }

  /// An element whenever a checkpoint or a report may be due; finished by ``end()``.
  let dues: AsyncStream<Void>
  private let due: AsyncStream<Void>.Continuation
  private let file: PartialFile
  private let endOfBody: Int64?
  private let queue = DispatchQueue(label: "APIKit.PartialFileWriter")
  private let state: Mutex<WriterState>

  /// Makes a writer.
  ///
  /// - Parameters:
  ///   - offset: Where in the file the body begins.
  ///   - end: Where it ends at most; bytes beyond are counted and not written, and the write throws.
  init(_ file: PartialFile, at offset: Int64, end: Int64?) {
    self.file = file
    endOfBody = end
    (dues, due) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    state = Mutex(WriterState(written: offset, saved: offset, given: offset, due: offset))
  }

  /// Has an element of ``dues`` every 100 ms until its task is cancelled.
  func tick(_ time: any TimeSource) async {
    while (try? await time.sleep(for: Self.dueTime)) != nil { due.yield() }
  }

  func whenReady(_ resume: @escaping @Sendable () -> Void) { state.withLock { $0.resume = resume } }

  func write(_ bytes: UnsafeRawBufferPointer) throws(APIError) -> Bool {
    let (isPieceFull, isFull) = try state.withLock { state throws(APIError) in
      guard !state.isClosed else { throw APIError(cancelled: .taskCancelled) }
      if let fault = state.fault { throw fault }
      if let endOfBody, state.given + Int64(bytes.count) > endOfBody {
        state.excess += Int64(bytes.count)
        throw APIError(.transport, .malformedResponse, "the body is longer than was announced")
      }
      state.given += Int64(bytes.count)
      if state.pieces.isEmpty || state.pieces[state.pieces.count - 1].count >= Self.pieceBytes {
        state.spare.reserveCapacity(2 * Self.pieceBytes)
        state.pieces.append(state.spare)
        state.spare = []
      }
      let last = state.pieces.count - 1
      state.pieces[last].append(contentsOf: bytes)
      state.isFull =
        state.given - state.written >= Self.maximumUnwritten
        || state.given - state.saved >= Self.maximumUnsaved
      return (state.pieces[last].count >= Self.pieceBytes, state.isFull)
    }
    if isPieceFull { queue.async { self.writePiece() } }
    return isFull
  }

  /// Has everything written that has come. Returns how many bytes the file has already; throws why no more are written.
  func flush() throws(APIError) -> Int64 {
    queue.async { self.writePiece() }
    return try state.withLock { state throws(APIError) in
      if let fault = state.fault { throw fault }
      return state.written
    }
  }

  /// Writes what comes first. Runs on the queue.
  private func writePiece() {
    var piece: [UInt8] = []
    guard let offset = state.withLock({ $0.takePiece(into: &piece) }) else { return }
    let count = Int64(piece.count)
    var fault: APIError?
    do throws(APIError) {
      try piece.withUnsafeBufferPointer { [file] (bytes) throws(APIError) in
        try file.write(UnsafeRawBufferPointer(bytes), at: offset)
      }
    } catch { fault = error }
    piece.removeAll(keepingCapacity: true)
    let (resume, isDue) = state.withLock { state in
      if let fault { state.fault = fault } else { state.written += count }
      swap(&state.spare, &piece)
      let isDue = fault != nil || state.written - state.due >= Self.dueBytes
      if isDue { state.due = state.written }
      return (state.makeReady(), isDue)
    }
    if isDue { due.yield() }
    resume?()
  }

  /// A checkpoint has these bytes.
  func saved(_ offset: Int64) {
    let resume = state.withLock { state in
      state.saved = offset
      return state.makeReady()
    }
    due.yield()
    resume?()
  }

  /// The body has ended.
  func end() { due.finish() }

  /// Writes what has come, and nothing from here on.
  ///
  /// - Returns: How many bytes the file has, with those beyond the end of the body, and why not all were written.
  func close() async -> (offset: Int64, fault: APIError?) {
    state.withLock { $0.isClosed = true }
    return await withCheckedContinuation { done in
      queue.async { [self] in
        while state.withLock({ $0.fault == nil && !$0.pieces.isEmpty }) { writePiece() }
        done.resume(returning: state.withLock { ($0.written + $0.excess, $0.fault) })
      }
    }
  }
}
