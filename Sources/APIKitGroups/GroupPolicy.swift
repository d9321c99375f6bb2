import APIKit

/// When a ``ManagerGroup`` ends, and whether it has succeeded.
public enum GroupPolicy: Sendable, Hashable {
  /// All members must succeed. The first failure cancels the others and becomes the failure of the group.
  case failFast
  /// All members run to their end, and the group succeeds with any results.
  case settleAll
  /// This number of members must succeed; then the others are cancelled. The group fails as soon as too few
  /// are left.
  case quorum(Int)
  /// One member must succeed; then the others are cancelled. The group fails when all have failed.
  case firstSuccess
}

/// The progress of a group.
public struct GroupProgress: Sendable, Hashable {
  /// The number of members that have ended.
  public var settled: Int
  /// The number of all members.
  public var total: Int
  /// The completed fraction, from 0 to 1. Every member has the same weight, and counts with the fraction
  /// that it reports.
  public var fraction: Double

  /// Makes a progress.
  public init(settled: Int, total: Int, fraction: Double) {
    self.settled = settled
    self.total = total
    self.fraction = fraction
  }
}
