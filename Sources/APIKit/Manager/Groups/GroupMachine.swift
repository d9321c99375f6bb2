/// Which member of a group starts when, and when the group is over: a state machine without tasks or time.
///
/// Events go in, actions come out, to be carried out in their order. Members are numbered from 0.
struct GroupMachine {
  enum End: Equatable {
    case succeeded
    /// This member's failure is the group's.
    case failed(by: Int)
    /// Not enough members can succeed any more.
    case tooFew
    case timedOut
    case cancelled
  }

  enum Action: Equatable {
    case start(Int)
    case cancel(Int)
    /// The last action of a run.
    case finish(End)
  }

  /// Legal moves: waiting → flying → succeeded or failed; waiting or flying → dropped when the group ends.
  enum MemberState: Equatable {
    case waiting
    case flying
    case succeeded
    case failed
    case dropped
  }

  let policy: GroupPolicy
  let maximumInFlight: Int
  private(set) var members: [MemberState]
  private(set) var end: End?

  init(count: Int, policy: GroupPolicy, maximumInFlight: Int) {
    self.policy = policy
    self.maximumInFlight = max(1, maximumInFlight)
    members = Array(repeating: .waiting, count: count)
  }

  /// Members that have ended by themselves.
  var settledCount: Int { members.count { $0 == .succeeded || $0 == .failed } }

  mutating func start() -> [Action] { proceed() }

  /// A member has landed. Nothing follows when it was dropped before.
  mutating func landed(_ member: Int, succeeded: Bool) -> [Action] {
    guard end == nil, members[member] == .flying else { return [] }
    members[member] = succeeded ? .succeeded : .failed
    return proceed(lastFailure: succeeded ? nil : member)
  }

  /// The shared deadline has passed. A group that only wants to see all ends has seen what there was.
  mutating func timeUp() -> [Action] {
    guard end == nil else { return [] }
    return finish(policy == .settleAll ? .succeeded : .timedOut)
  }

  mutating func cancel() -> [Action] { end == nil ? finish(.cancelled) : [] }

  private mutating func proceed(lastFailure: Int? = nil) -> [Action] {
    if let verdict = verdict(lastFailure) { return finish(verdict) }
    var actions: [Action] = []
    var free = maximumInFlight - members.count { $0 == .flying }
    for member in members.indices where free > 0 && members[member] == .waiting {
      members[member] = .flying
      actions.append(.start(member))
      free -= 1
    }
    return actions
  }

  private func verdict(_ lastFailure: Int?) -> End? {
    let successes = members.count { $0 == .succeeded }
    let open = members.count { $0 == .waiting || $0 == .flying }
    switch policy {
    case .failFast:
      if let lastFailure { return .failed(by: lastFailure) }
      return open == 0 ? .succeeded : nil
    case .settleAll: return open == 0 ? .succeeded : nil
    case .quorum(let needed): return verdict(successes, open, needed)
    case .firstSuccess: return verdict(successes, open, 1)
    }
  }

  private func verdict(_ successes: Int, _ open: Int, _ needed: Int) -> End? {
    if successes >= needed { return .succeeded }
    return successes + open < needed ? .tooFew : nil
  }

  private mutating func finish(_ end: End) -> [Action] {
    self.end = end
    var actions: [Action] = []
    for member in members.indices {
      if members[member] == .flying { actions.append(.cancel(member)) }
      if members[member] == .flying || members[member] == .waiting { members[member] = .dropped }
    }
    return actions + [.finish(end)]
  }
}
