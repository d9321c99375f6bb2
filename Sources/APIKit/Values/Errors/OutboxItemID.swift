/// The id of an item that waits in an outbox: unique in its folder, and never given twice.
public struct OutboxItemID: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The number, from 1.
  public let rawValue: Int64

  /// Makes an id of a number that was stored before.
  public init(rawValue: Int64) { self.rawValue = rawValue }

  /// The number.
  public var description: String { "\(rawValue)" }

  /// Orders ids by the time at which they were given.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
