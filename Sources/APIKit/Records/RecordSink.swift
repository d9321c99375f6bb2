import Dispatch

/// Writes the record of each load that has landed, off the path of the load.
///
/// Make one with a function of the application's, or `jsonLines(to:maximumBytes:files:)` of APIKitReports; it writes while ``isOn`` is
/// set. Records wait in a queue of a limited length: when the function is slow or never returns, further records are
/// dropped and counted, and no load waits.
///
/// ```swift
/// let sink = RecordSink.jsonLines(to: "/var/log/app/loads.jsonl")
/// sink.isOn = true
/// ```
/// Records are safe to log: the values of secret names are masked. Safe on any thread.
public final class RecordSink: LandingObserver {
  /// What has become of the records so far.
  public struct Counts: Sendable, Hashable {
    /// Those that were written.
    public var written = 0
    /// Those for which the queue had no room.
    public var dropped = 0
    /// Those that could not be written, e.g. because the disk was full.
    public var failed = 0
  }

  /// Follows each load in place, for what measures by the moment at which it is called. Must not wait.
  struct Follower: Sendable {
    /// The load has taken off.
    var begin: @Sendable (FlightID, LandedLoad.API) -> Void
    /// It has landed: once for each that has taken off.
    var end: @Sendable (LandedLoad) -> Void
  }

  private struct SinkState {
    var waiting: [FlightRecorder] = []
    var isDraining = false
    var counts = Counts()
    var flushers: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(SinkState())
  private let capacity: Int
  private let queue: DispatchQueue
  private let write: @Sendable (FlightRecord) throws -> Void
  private let follower: Follower?

  /// Makes a sink, off.
  ///
  /// - Parameters:
  ///   - name: A name for its queue.
  ///   - capacity: How many records may wait; the default is 1,000.
  ///   - write: Writes one record. Called on a queue of the sink's own, one record at a time, in the order of the
  ///     landings. It may take as long as it needs; a record for which it throws is counted as failed.
  public convenience init(
    _ name: String = "records", capacity: Int = 1000, write: @escaping @Sendable (FlightRecord) throws -> Void
  ) {
    self.init(name, capacity: capacity, follower: nil, write: write)
  }

  init(
    _ name: String, capacity: Int = 1000, follower: Follower?,
    write: @escaping @Sendable (FlightRecord) throws -> Void
  ) {
    self.capacity = max(1, capacity)
    self.write = write
    self.follower = follower
    queue = DispatchQueue(label: "APIKit.RecordSink.\(name)", qos: .utility)
  }

  /// Whether landings are written; false at first. While it is on, the process keeps the sink.
  public var isOn: Bool {
    get { LandingObservers.contains(self) }
    set { LandingObservers.set(self, isOn: newValue) }
  }

  /// What has become of the records so far.
  public var counts: Counts { state.withLock { $0.counts } }

  /// Returns when all records that wait by now are written. Does not end when the function does not return.
  public func flush() async {
    await withCheckedContinuation { continuation in
      let isIdle = state.withLock { state in
        if state.isDraining { state.flushers.append(continuation) }
        return !state.isDraining
      }
      if isIdle { continuation.resume() }
    }
  }

  var followsFlights: Bool { follower != nil }

  func tookOff(_ recorder: FlightRecorder) { follower?.begin(recorder.flight, recorder.api) }

  func landed(_ load: LandedLoad, _ recorder: FlightRecorder) {
    // A load that was cancelled before its takeoff has not begun.
    if let follower, recorder.hasTakenOff { follower.end(load) }
    let mustStart = state.withLock { state in
      guard state.waiting.count < capacity else {
        state.counts.dropped += 1
        return false
      }
      state.waiting.append(recorder)
      defer { state.isDraining = true }
      return !state.isDraining
    }
    if mustStart { queue.async { self.drain() } }
  }

  private func drain() {
    while true {
      let (batch, flushers) = state.withLock {
        state -> ([FlightRecorder], [CheckedContinuation<Void, Never>]) in
        let batch = state.waiting
        state.waiting = []
        guard batch.isEmpty else { return (batch, []) }
        state.isDraining = false
        defer { state.flushers = [] }
        return (batch, state.flushers)
      }
      for flusher in flushers { flusher.resume() }
      if batch.isEmpty { return }
      for recorder in batch {
        var (written, failed) = (0, 0)
        do {
          try write(recorder.record)
          written = 1
        } catch {
          failed = 1
        }
        state.withLock { state in
          state.counts.written += written
          state.counts.failed += failed
        }
      }
    }
  }
}
