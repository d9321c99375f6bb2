/// The records of the latest flights of the process, whether or not they have landed.
///
/// When it is full, a new flight replaces the oldest. It is kept in memory only.
public final class FlightLog: Sendable {
  /// The log of the process.
  public static let shared = FlightLog()

  private let ring: Mutex<LatestRing<FlightRecorder>>

  /// Makes a log with a capacity; the default is 256 flights, and 0 keeps none.
  public init(capacity: Int = 256) { ring = Mutex(LatestRing(capacity: capacity)) }

  /// The number of flights that are kept. Lowering it removes the oldest.
  public var capacity: Int {
    get { ring.withLock { $0.capacity } }
    set { ring.withLock { $0 = LatestRing(capacity: newValue, $0.ordered) } }
  }

  /// The records, oldest first.
  public var records: [FlightRecord] { ring.withLock { $0.ordered }.map(\.record) }

  /// The record of one flight; nil when it is no longer kept.
  public func record(of flight: FlightID) -> FlightRecord? {
    recorder(of: flight)?.record
  }

  /// The API of one flight; nil when it is no longer kept.
  package func api(of flight: FlightID) -> LandedLoad.API? {
    recorder(of: flight)?.api
  }

  private func recorder(of flight: FlightID) -> FlightRecorder? {
    ring.withLock { $0.elements.last { $0.flight == flight } }
  }

  func add(_ recorder: FlightRecorder) {
    // The recorder that it replaces is released outside the lock.
    _ = ring.withLock { $0.append(recorder) }
  }
}
