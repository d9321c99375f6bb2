/// When a ``ManagerGroup`` is done, and whether that is a success.
public enum GroupPolicy: Sendable, Hashable {
  /// All must succeed; the first failure cancels the others and is the group's.
  case failFast
  /// All run to their ends, whatever those are; the group succeeds then.
  case settleAll
  /// So many must succeed; then the others are cancelled. Fails as soon as too few are left.
  case quorum(Int)
  /// The first to succeed is enough; then the others are cancelled. Fails when all have.
  case firstSuccess
}

/// How far a group has come.
public struct GroupProgress: Sendable, Hashable {
  /// Members that have ended.
  public var settled: Int
  /// All members.
  public var total: Int
  /// The part that is done, from 0 to 1: each member counts alike, with the part it reports itself.
  public var fraction: Double

  /// Makes a progress.
  public init(settled: Int, total: Int, fraction: Double) {
    self.settled = settled
    self.total = total
    self.fraction = fraction
  }
}
