public import APIKit

/// A group of loads that are started and cancelled together and deliver one result.
///
/// ```swift
/// let group = ManagerGroup(.failFast, deadline: .seconds(10))
/// let homes = group.add(homeList.loading(["city": "Ames"]))
/// let prices = group.add(priceIndex.loading())
/// let results = try await group.landing()
/// show(results.value(of: homes), results.value(of: prices))
/// ```
/// ``BaseManagerGroup`` describes starting, cancelling and the deadline.
@MainActor public final class ManagerGroup: BaseManagerGroup {
  /// Receives the results of the runs. Weak.
  public weak var delegate: (any ManagerGroupDelegate)?
  /// When a run ends, and whether it has succeeded.
  public let policy: GroupPolicy
  /// The largest number of members in flight at once; by default there is no limit.
  public var maximumInFlight: Int
  /// Whether the progress includes the progress of transfers. The default is false: only ended members
  /// count.
  public var reportsProgress = false

  /// Makes a group without members.
  public init(
    _ policy: GroupPolicy = .failFast, name: String = "group", maximumInFlight: Int = .max,
    deadline: Duration? = nil
  ) {
    self.policy = policy
    self.maximumInFlight = maximumInFlight
    super.init(name: name, deadline: deadline)
  }

  /// Adds a member, which takes part from the next run on.
  @discardableResult
  public func add<Member: GroupMember>(_ member: Member) -> MemberKey<Member.Value> {
    slots.append(MemberSlot(name: { member.memberName }, member: { _ in member }))
    return MemberKey(group: ObjectIdentifier(self), index: slots.count - 1)
  }

  /// Starts all members and waits for the end of the run.
  ///
  /// Cancelling the task cancels the run. Throws the error of the run; the results of its members are in
  /// ``BaseManagerGroup/results`` in any case.
  public func landing() async throws(APIError) -> GroupResults { try await awaited(nil) }

  override func makeMachine() -> GroupMachine {
    GroupMachine(count: slots.count, policy: policy, maximumInFlight: maximumInFlight)
  }

  override func wantsReports(isMember: Bool) -> Bool { reportsProgress }

  override func tell(_ event: GroupEvent) {
    switch event {
    case .settled(let index): delegate?.group(self, didLandMemberAt: index, results: results)
    case .progressed: delegate?.group(self, didProgress: progress)
    case .succeeded: delegate?.group(self, didSucceedWith: results)
    case .failed(let error): delegate?.group(self, didFailWith: error, results: results)
    case .cancelled(let flight, let reason): delegate?.group(self, didCancel: flight, because: reason)
    }
  }
}

extension ManagerGroup: GroupMember {
  /// Runs the group as a member of a group or a chain.
  public func run(report: (@MainActor (Double) -> Void)?) async throws(APIError) -> GroupResults {
    try await awaited(report)
  }
}
