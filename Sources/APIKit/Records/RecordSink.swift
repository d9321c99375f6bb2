/// Writes the record of each load that has landed, off the path of the load.
///
/// Make a sink with a function of the application, or `jsonLines(to:maximumBytes:files:)` of APIKitReports; it writes while
/// ``isOn`` is set. Records wait in a queue of a limited length: when the function is slow or never returns, further records
/// are dropped and counted, and no load waits.
///
/// ```swift
/// let sink = RecordSink.jsonLines(to: "/var/log/app/loads.jsonl")
/// sink.isOn = true
/// ```
/// Records are safe to log: the values of secret names are masked. Safe on any thread.
public final class RecordSink: FlightObserver {
  /// The counts of written, dropped and failed records.
  public struct Counts: Sendable, Hashable {
    /// The number of written records.
    public var written = 0
    /// The number of records for which the queue had no room.
    public var dropped = 0
    /// The number of records that could not be written, e.g. because the disk was full.
    public var failed = 0
  }

  /// Follows each load in place, for what measures by the moment at which it is called. Must not wait.
  struct Follower: Sendable {
    /// The load has taken off.
    var begin: @Sendable (FlightID, LandedLoad.API) -> Void
    /// It has landed: once for each that has taken off.
    var end: @Sendable (LandedLoad) -> Void
  }

  private let queue: BoundedQueue<FlightRecorder>
  private let follower: Follower?

  /// Makes a sink, off.
  ///
  /// - Parameters:
  ///   - name: A name for its queue.
  ///   - capacity: The largest number of waiting records; the default is 1,000.
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
    self.follower = follower
    queue = BoundedQueue("APIKit.RecordSink.\(name)", capacity: capacity) { try write($0.record) }
  }

  /// Whether landings are written; false at first. While it is on, the process keeps the sink.
  public var isOn: Bool {
    get { FlightEvents.shared.contains(self) }
    set { FlightEvents.shared.set(self, isOn: newValue) }
  }

  /// The counts of written, dropped and failed records.
  public var counts: Counts {
    let counts = queue.counts
    return Counts(written: counts.taken, dropped: counts.dropped, failed: counts.failed)
  }

  /// Returns when all records that wait by now are written. Returns early when its task is cancelled, because the function may
  /// take any time.
  public func flush() async {
    _ = await Task<Void, Never>.leavable { [queue] in await queue.flush() }
  }

  var wants: FlightEvents.Interest { follower == nil ? .landings : [.landings, .takeoffs] }

  func tookOff(_ recorder: FlightRecorder) { follower?.begin(recorder.flight, recorder.api) }

  func landed(_ load: LandedLoad, _ recorder: FlightRecorder) {
    // A load that was cancelled before its takeoff has not begun.
    if let follower, recorder.hasTakenOff { follower.end(load) }
    queue.put(recorder)
  }
}
