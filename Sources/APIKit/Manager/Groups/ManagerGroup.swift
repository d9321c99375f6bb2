/// Loads that belong together: started, cancelled and landed as one.
///
/// ```swift
/// let group = ManagerGroup(.failFast, deadline: .seconds(10))
/// let homes = group.add(homeList.loading(["city": "Ames"]))
/// let prices = group.add(priceIndex.loading())
/// let results = try await group.landing()
/// show(results.value(of: homes), results.value(of: prices))
/// ```
/// Starting, cancelling and the deadline are those of ``BaseManagerGroup``.
@MainActor public final class ManagerGroup: BaseManagerGroup {
  /// Where the runs land. Weak.
  public weak var delegate: (any ManagerGroupDelegate)?
  /// When a run is done.
  public let policy: GroupPolicy
  /// How many members fly at once; the default is no limit.
  public var maximumInFlight: Int
  /// Whether transfers are part of the progress; the default is false, and ended members alone count.
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

  /// Adds a member; it takes part from the next run on.
  ///
  /// - Returns: The key to its result.
  @discardableResult
  public func add<Member: GroupMember>(_ member: Member) -> MemberKey<Member.Value> {
    slots.append(MemberSlot(name: { member.memberName }, member: { _ in member }))
    return MemberKey(group: ObjectIdentifier(self), index: slots.count - 1)
  }

  /// Starts all members and waits for the end of the run.
  ///
  /// Cancelling the task cancels the run. Throws what the run failed with; what did land is in
  /// ``BaseManagerGroup/results`` all the same.
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
  /// Runs the group as a member of another.
  public func run(report: (@MainActor (Double) -> Void)?) async throws(APIError) -> GroupResults {
    try await awaited(report)
  }
}
