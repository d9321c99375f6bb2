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
  // Counted, so that an event takes constant time, however many members there are.
  /// The sum of the parts.
  private var completed = 0.0
  /// How many members have started: those before this one.
  private var started = 0
  private var successes = 0
  private var failures = 0
  private var firstFailed: Int?

  init(count: Int, policy: GroupPolicy, maximumInFlight: Int) {
    self.policy = policy
    self.maximumInFlight = max(1, maximumInFlight)
    members = Array(repeating: .waiting, count: count)
    parts = Array(repeating: 0, count: count)
  }

  var progress: GroupProgress {
    let settled = end == nil ? successes + failures : members.count
    return GroupProgress(
      settled: settled, total: members.count,
      fraction: settled == members.count ? 1 : min(1, completed / Double(members.count)))
  }

  /// A member reports its completed fraction. False when the member is not in flight; then the report is
  /// ignored.
  mutating func report(_ member: Int, _ part: Double) -> Bool {
    guard members[member] == .flying else { return false }
    let more = min(1, part) - parts[member]
    guard more > 0 else { return true }
    parts[member] += more
    completed += more
    return true
  }

  /// A member has ended; ``advance()`` returns the actions that follow. False when the member is not in
  /// flight.
  ///
  /// The two are separate because the delegate is called in between, and may cancel the run there.
  mutating func settle(_ member: Int, succeeded: Bool) -> Bool {
    guard report(member, 1) else { return false }
    members[member] = succeeded ? .succeeded : .failed
    if succeeded {
      successes += 1
    } else {
      failures += 1
      firstFailed = min(firstFailed ?? member, member)
    }
    return true
  }

  /// Returns the members to start, or the end of the run. No action is returned twice.
  mutating func advance() -> [Action] {
    guard end == nil else { return [] }
    if let verdict { return finish(verdict) }
    let free = maximumInFlight - (started - successes - failures)
    let next = members.indices[started...].prefix(free)
    for member in next { members[member] = .flying }
    started = next.endIndex
    return next.map(Action.start)
  }

  /// The deadline has passed. A run that only waits for all ends succeeds with those there are.
  mutating func timeUp() -> [Action] { finish(policy == .settleAll ? .succeeded : .timedOut) }

  mutating func cancel(because reason: CancellationReason) -> [Action] { finish(.cancelled(reason)) }

  private var verdict: End? {
    let open = members.count - successes - failures
    let needed: Int
    switch policy {
    case .failFast:
      if let firstFailed { return .failed(by: firstFailed) }
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
