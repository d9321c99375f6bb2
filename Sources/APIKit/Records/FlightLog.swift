import Synchronization

/// The records of the latest flights of the process, whether or not they have landed.
///
/// When it is full, a new flight replaces the oldest. It is kept in memory only.
public final class FlightLog: Sendable {
  /// The log of the process.
  public static let shared = FlightLog()

  private struct Ring {
    var recorders: [FlightRecorder] = []
    var next = 0
    var capacity: Int
  }

  private let ring: Mutex<Ring>

  /// Makes a log with a capacity; the default is 256 flights, and 0 keeps none.
  public init(capacity: Int = 256) { ring = Mutex(Ring(capacity: max(0, capacity))) }

  /// The number of flights that are kept. Lowering it removes the oldest.
  public var capacity: Int {
    get { ring.withLock { $0.capacity } }
    set {
      ring.withLock { ring in
        let ordered = Array(ring.recorders[ring.next...] + ring.recorders[..<ring.next])
        ring = Ring(recorders: ordered.suffix(max(0, newValue)), next: 0, capacity: max(0, newValue))
      }
    }
  }

  /// The records, oldest first.
  public var records: [FlightRecord] {
    let recorders = ring.withLock { ring in
      Array(ring.recorders[ring.next...] + ring.recorders[..<ring.next])
    }
    return recorders.map(\.record)
  }

  /// The record of one flight; nil when it is no longer kept.
  public func record(of flight: FlightID) -> FlightRecord? {
    ring.withLock { ring in ring.recorders.last { $0.flight == flight } }?.record
  }

  /// What one flight is about; nil when it is no longer kept.
  package func subject(of flight: FlightID) -> (service: String, apiName: String)? {
    ring.withLock { ring in ring.recorders.last { $0.flight == flight } }?.subject
  }

  func add(_ recorder: FlightRecorder) {
    // The replaced recorder is released outside the lock.
    let forgotten: FlightRecorder? = ring.withLock { ring in
      guard ring.capacity > 0 else { return nil }
      guard ring.recorders.count == ring.capacity else {
        ring.recorders.append(recorder)
        return nil
      }
      let oldest = ring.recorders[ring.next]
      ring.recorders[ring.next] = recorder
      ring.next = (ring.next + 1) % ring.capacity
      return oldest
    }
    _ = forgotten
  }
}
