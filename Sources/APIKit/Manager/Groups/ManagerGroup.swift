/// Loads that belong together: started, cancelled and landed as one.
///
/// ```swift
/// let group = ManagerGroup(.failFast, deadline: .seconds(10))
/// let homes = group.add(homeList.loading(["city": "Ames"]))
/// let prices = group.add(priceIndex.loading())
/// let results = try await group.landing()
/// show(results.value(of: homes), results.value(of: prices))
/// ```
/// Lives on the main actor and holds its members. Releasing the last reference cancels what is in the air.
/// A member that is cancelled from elsewhere counts as failed.
@MainActor public final class ManagerGroup {
  /// Where the runs land. Weak.
  public weak var delegate: (any ManagerGroupDelegate)?
  /// When a run is done.
  public let policy: GroupPolicy
  /// How many members fly at once; the default is no limit.
  public var maximumInFlight: Int
  /// The longest time from the start of a run to its end; nil, the default, is no limit.
  ///
  /// A run that exceeds it fails with ``APIError/Reason/deadlineExceeded``, or settles with what there is
  /// under ``GroupPolicy/settleAll``.
  public var deadline: Duration?
  /// Whether transfers are part of the progress; the default is false, and ended members alone count.
  public var reportsProgress = false
  /// The group's name as a member of another.
  public var memberName: String

  /// What the members of the last run, or of the one in the air, landed with.
  public private(set) lazy var results = GroupResults(members: [], group: ObjectIdentifier(self))

  /// The clock of the deadline; a test puts a manual one in.
  var time: any TimeSource = SystemTime()
  private var members: [any GroupMember] = []
  private var run: GroupRun?

  /// Makes a group without members.
  public init(
    _ policy: GroupPolicy = .failFast, name: String = "group", maximumInFlight: Int = .max,
    deadline: Duration? = nil
  ) {
    self.policy = policy
    self.maximumInFlight = maximumInFlight
    self.deadline = deadline
    memberName = name
  }

  /// Adds a member; it takes part from the next run on.
  ///
  /// - Returns: The key to its result.
  @discardableResult
  public func add<Member: GroupMember>(_ member: Member) -> MemberKey<Member.Value> {
    members.append(member)
    return MemberKey(group: ObjectIdentifier(self), index: members.count - 1)
  }

  // MARK: Runs

  /// Whether a run is in the air.
  public var isLoading: Bool { run != nil }

  /// Starts all members, as many at once as allowed. Refused with ``APIError/Reason/alreadyLoading`` while a
  /// run is in the air.
  @discardableResult public func load() -> Takeoff { start(.next()) }

  /// Starts all members and waits for the end of the run.
  ///
  /// Cancelling the task cancels the run. Throws what the run failed with; what did land is in
  /// ``results`` all the same.
  public func landing() async throws(APIError) -> GroupResults { try await awaited(nil) }

  /// Cancels the run in the air, if there is one, and its members.
  public func cancel() {
    if let run { end(run.flight, because: .byCaller) }
  }

  /// How far the run has come.
  public var progress: GroupProgress {
    guard let run else {
      let settled = results.members.count { $0.result != nil }
      return GroupProgress(settled: settled, total: members.count, fraction: settled > 0 ? 1 : 0)
    }
    let count = run.fractions.count
    return GroupProgress(
      settled: run.machine.settledCount, total: count,
      fraction: count == 0 ? 1 : run.fractions.reduce(0, +) / Double(count))
  }
}

extension ManagerGroup: GroupMember {
  /// Runs the group as a member of another.
  public func run(report: (@MainActor (Double) -> Void)?) async throws(APIError) -> GroupResults {
    try await awaited(report)
  }
}

// MARK: - Insides

/// One run of a group. Its tasks die with it.
@MainActor private final class GroupRun {
  let flight: FlightID
  var machine: GroupMachine
  var tasks: [Int: Task<Void, Never>] = [:]
  var timer: Task<Void, Never>?
  var fractions: [Double]
  var waiter: CheckedContinuation<Result<GroupResults, APIError>, Never>?
  var report: (@MainActor (Double) -> Void)?

  init(_ flight: FlightID, _ machine: GroupMachine) {
    self.flight = flight
    self.machine = machine
    fractions = Array(repeating: 0, count: machine.members.count)
  }

  deinit {
    timer?.cancel()
    for task in tasks.values { task.cancel() }
  }
}

extension ManagerGroup {
  private func awaited(_ report: (@MainActor (Double) -> Void)?) async throws(APIError) -> GroupResults {
    let flight = FlightID.next()
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        if case .refused(let error) = start(flight, waiter, report) {
          waiter.resume(returning: .failure(error))
        }
      }
    } onCancel: {
      MainDelivery.main.put { [weak self] in self?.end(flight, because: .taskCancelled) }
    }
    return try result.get()
  }

  private func start(
    _ flight: FlightID, _ waiter: CheckedContinuation<Result<GroupResults, APIError>, Never>? = nil,
    _ report: (@MainActor (Double) -> Void)? = nil
  ) -> Takeoff {
    guard run == nil else {
      return .refused(APIError(.takeoff, .alreadyLoading, "a run of \(memberName) is in the air already"))
    }
    let run = GroupRun(
      flight,
      GroupMachine(count: members.count, policy: policy, maximumInFlight: maximumInFlight))
    run.waiter = waiter
    run.report = report
    self.run = run
    results.members = members.map { GroupResults.Member(name: $0.memberName) }
    if let deadline {
      let time = time
      run.timer = Task.detached { [weak self] in
        do { try await time.sleep(for: deadline) } catch { return }
        MainDelivery.main.put { self?.timeIsUp(flight) }
      }
    }
    let actions = run.machine.start()
    if case .finish = actions.last {
      // The caller of `load` is back before its delegate is called.
      MainDelivery.main.put { [weak self] in self?.perform(actions, of: flight) }
    } else {
      perform(actions, of: flight)
    }
    return .flying(flight)
  }

  /// Carries out what the machine says. Stops when a callback has ended the run.
  private func perform(_ actions: [GroupMachine.Action], of flight: FlightID) {
    for action in actions {
      guard let run, run.flight == flight else { return }
      switch action {
      case .start(let member): start(member, in: run)
      case .cancel(let member): run.tasks.removeValue(forKey: member)?.cancel()
      case .finish(let end): finish(run, end)
      }
    }
  }

  private func start(_ index: Int, in run: GroupRun) {
    let flight = run.flight
    let member = members[index]
    let wantsReports = reportsProgress
    run.tasks[index] = Task { [weak self] in
      let report: @MainActor (Double) -> Void = { self?.moved(index, to: $0, of: flight) }
      let result = await member.result(wantsReports ? report : nil)
      self?.landed(index, result, of: flight)
    }
  }

  private func moved(_ index: Int, to fraction: Double, of flight: FlightID) {
    guard let run, run.flight == flight, run.machine.members[index] == .flying else { return }
    run.fractions[index] = max(run.fractions[index], min(1, fraction))
    tellProgress()
  }

  private func landed(_ index: Int, _ result: Result<any Sendable, APIError>, of flight: FlightID) {
    guard let run, run.flight == flight, run.machine.members[index] == .flying else { return }
    run.tasks[index] = nil
    run.fractions[index] = 1
    results.members[index].result = result
    let isSuccess = if case .success = result { true } else { false }
    let actions = run.machine.landed(index, succeeded: isSuccess)
    delegate?.group(self, didLandMemberAt: index, results: results)
    // The delegate may have cancelled the run, and even started another.
    guard self.run === run else { return }
    tellProgress()
    perform(actions, of: flight)
  }

  private func tellProgress() {
    let progress = progress
    run?.report?(progress.fraction)
    delegate?.group(self, didProgress: progress)
  }

  private func timeIsUp(_ flight: FlightID) {
    guard let run, run.flight == flight else { return }
    let late = APIError(
      .takeoff, .deadlineExceeded, "not finished before the group's deadline of \(deadlineText)")
    let open = run.machine.members.indices.filter {
      run.machine.members[$0] == .waiting || run.machine.members[$0] == .flying
    }
    for index in open { results.members[index].result = .failure(late) }
    perform(run.machine.timeUp(), of: flight)
  }

  private func end(_ flight: FlightID, because reason: CancellationReason) {
    guard let run, run.flight == flight else { return }
    retire(run)
    delegate?.group(self, didCancel: flight, because: reason)
    run.waiter?.resume(returning: .failure(APIError(.takeoff, .cancelled, "cancelled: \(reason)")))
  }

  /// Takes a run out of the books and cancels what is left of it.
  private func retire(_ run: GroupRun) {
    self.run = nil
    run.timer?.cancel()
    for task in run.tasks.values { task.cancel() }
    run.tasks = [:]
    for index in results.members.indices where results.members[index].result == nil {
      results.members[index].result = .failure(
        APIError(.takeoff, .cancelled, "\(memberName) ended before \(results.members[index].name)"))
    }
  }

  private func finish(_ run: GroupRun, _ end: GroupMachine.End) {
    let error = error(for: end)
    retire(run)
    let results = results
    if let error {
      delegate?.group(self, didFailWith: error, results: results)
      run.waiter?.resume(returning: .failure(error))
    } else {
      delegate?.group(self, didSucceedWith: results)
      run.waiter?.resume(returning: .success(results))
    }
  }

  private func error(for end: GroupMachine.End) -> APIError? {
    switch end {
    case .succeeded: return nil
    case .failed(let member):
      if case .failure(let error)? = results.members[member].result { return error }
      return APIError(.takeoff, .memberFailed)
    case .tooFew, .cancelled:
      let needed = if case .quorum(let needed) = policy { needed } else { 1 }
      let failure = results.failures.first
      return APIError(
        .takeoff, .quorumMissed,
        "\(results.successCount) of \(results.members.count) members of \(memberName) succeeded, \(needed) "
          + "had to" + (failure.map { "; \($0.name): \($0.error.detail)" } ?? ""),
        underlying: failure?.error)
    case .timedOut:
      return APIError(
        .takeoff, .deadlineExceeded,
        "\(memberName) was not finished before its deadline of \(deadlineText): "
          + "\(results.successCount) of \(results.members.count) members had succeeded")
    }
  }

  private var deadlineText: String { deadline?.shortText ?? "none" }
}

extension GroupMember {
  /// The end of a run as a value, whatever the type of the member.
  fileprivate func result(_ report: (@MainActor (Double) -> Void)?) async -> Result<any Sendable, APIError> {
    do throws(APIError) { return .success(try await run(report: report)) } catch { return .failure(error) }
  }
}
