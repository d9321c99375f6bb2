/// The number of one flight: unique in the process, rising from 1, never used again.
public struct FlightID: RawRepresentable, Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The number.
  public let rawValue: UInt64

  /// Makes an id from its number.
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// The number.
  public var description: String { String(rawValue) }

  /// Orders flights by their numbers, so that earlier ones come first.
  public static func < (left: FlightID, right: FlightID) -> Bool { left.rawValue < right.rawValue }
}

extension FlightID {
  private static let last = AtomicInt()

  /// An id that is unique in this process.
  package static func next() -> FlightID {
    FlightID(rawValue: UInt64(last.add(1)))
  }
}
