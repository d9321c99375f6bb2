import Synchronization

/// The records of the last flights of the process, in the air and landed.
///
/// A ring: when it is full, the oldest flight makes room. Kept in memory only.
public final class FlightLog: Sendable {
  /// The log of the process.
  public static let shared = FlightLog()

  private struct Ring {
    var recorders: [FlightRecorder] = []
    var next = 0
    var capacity: Int
  }

  private let ring: Mutex<Ring>

  /// Makes a log of so many flights; the default is 256, and 0 keeps none.
  public init(capacity: Int = 256) { ring = Mutex(Ring(capacity: max(0, capacity))) }

  /// How many flights are kept. A smaller number forgets the oldest.
  public var capacity: Int {
    get { ring.withLock { $0.capacity } }
    set {
      ring.withLock { ring in
        let ordered = Array(ring.recorders[ring.next...] + ring.recorders[..<ring.next])
        ring = Ring(recorders: ordered.suffix(max(0, newValue)), next: 0, capacity: max(0, newValue))
      }
    }
  }

  /// The records kept, the oldest first.
  public var records: [FlightRecord] {
    let recorders = ring.withLock { ring in
      Array(ring.recorders[ring.next...] + ring.recorders[..<ring.next])
    }
    return recorders.map(\.record)
  }

  /// The record of one flight; nil when it is not kept.
  public func record(of flight: FlightID) -> FlightRecord? {
    ring.withLock { ring in ring.recorders.last { $0.flight == flight } }?.record
  }

  func add(_ recorder: FlightRecorder) {
    // What falls out of the ring is released after the lock is left.
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
