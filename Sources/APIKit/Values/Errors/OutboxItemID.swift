/// The id of an item that waits in an outbox: unique in its folder, and never given twice.
public struct OutboxItemID: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The number, from 1.
  public let rawValue: Int64

  /// An id that was written down before.
  public init(rawValue: Int64) { self.rawValue = rawValue }

  /// The number.
  public var description: String { "\(rawValue)" }

  /// Whether one was given before the other.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
