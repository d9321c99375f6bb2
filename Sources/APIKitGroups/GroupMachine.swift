import APIKit

/// Decides when each member of a run starts and when the run is over: a state machine without tasks or
/// time.
///
/// Events go in, actions come out, to be carried out in their order. Members are numbered from 0 and start
/// in that order. A chain is a run under ``GroupPolicy/failFast`` with one member in flight: each starts
/// when the one before has succeeded.
struct GroupMachine {
  enum End: Equatable {
    case succeeded
    /// The run fails with the failure of this member.
    case failed(by: Int)
    /// Too few members are left that can still succeed.
    case tooFew
    case timedOut
    case cancelled(CancellationReason)
  }

  enum Action: Equatable {
    case start(Int)
    case cancel(Int)
    /// The last action of a run.
    case finish(End)
  }

  /// Legal moves: waiting → flying → succeeded or failed; waiting or flying → dropped when the run ends.
  enum MemberState: Equatable {
    case waiting
    case flying
    case succeeded
    case failed
    case dropped

    var isOpen: Bool { self == .waiting || self == .flying }
  }

  let policy: GroupPolicy
  let maximumInFlight: Int
  private(set) var members: [MemberState]
  private(set) var end: End?
  /// The completed fraction of each member, from 0 to 1.
  private var parts: [Double]

  init(count: Int, policy: GroupPolicy, maximumInFlight: Int) {
    self.policy = policy
    self.maximumInFlight = max(1, maximumInFlight)
    members = Array(repeating: .waiting, count: count)
    parts = Array(repeating: 0, count: count)
  }

  var progress: GroupProgress {
    GroupProgress(
      settled: members.count { !$0.isOpen }, total: members.count,
      fraction: end != nil || parts.isEmpty ? 1 : parts.reduce(0, +) / Double(parts.count))
  }

  /// A member reports its completed fraction. False when the member is not in flight; then the report is
  /// ignored.
  mutating func report(_ member: Int, _ part: Double) -> Bool {
    guard members[member] == .flying else { return false }
    parts[member] = max(parts[member], min(1, part))
    return true
  }

  /// A member has ended; ``advance()`` returns the actions that follow. False when the member is not in
  /// flight.
  ///
  /// The two are separate because the delegate is called in between, and may cancel the run there.
  mutating func settle(_ member: Int, succeeded: Bool) -> Bool {
    guard report(member, 1) else { return false }
    members[member] = succeeded ? .succeeded : .failed
    return true
  }

  /// Returns the members to start, or the end of the run. No action is returned twice.
  mutating func advance() -> [Action] {
    guard end == nil else { return [] }
    if let verdict { return finish(verdict) }
    let free = maximumInFlight - members.count { $0 == .flying }
    let next = members.indices.filter { members[$0] == .waiting }.prefix(free)
    for member in next { members[member] = .flying }
    return next.map(Action.start)
  }

  /// The deadline has passed. A run that only waits for all ends succeeds with those there are.
  mutating func timeUp() -> [Action] { finish(policy == .settleAll ? .succeeded : .timedOut) }

  mutating func cancel(because reason: CancellationReason) -> [Action] { finish(.cancelled(reason)) }

  private var verdict: End? {
    let successes = members.count { $0 == .succeeded }
    let open = members.count { $0.isOpen }
    let needed: Int
    switch policy {
    case .failFast:
      if let failed = members.firstIndex(of: .failed) { return .failed(by: failed) }
      return open == 0 ? .succeeded : nil
    case .settleAll: return open == 0 ? .succeeded : nil
    case .quorum(let count): needed = count
    case .firstSuccess: needed = 1
    }
    if successes >= needed { return .succeeded }
    return successes + open < needed ? .tooFew : nil
  }

  private mutating func finish(_ end: End) -> [Action] {
    guard self.end == nil else { return [] }
    self.end = end
    let flying = members.indices.filter { members[$0] == .flying }
    members = members.map { $0.isOpen ? .dropped : $0 }
    return flying.map(Action.cancel) + [.finish(end)]
  }
}
