public import APIKit

/// The common base of ``ManagerGroup`` and ``ManagerChain``: it runs their members, one run at a time.
///
/// Isolated to the main actor. It holds its members strongly. Releasing the last reference cancels the run
/// in flight and its members, and nothing is delivered. A member that is cancelled from elsewhere counts as
/// failed.
@MainActor public class BaseManagerGroup {
  /// The longest time from the start of a run to its end. The default, nil, means no limit.
  ///
  /// A run that exceeds it fails with `APIError.Reason.deadlineExceeded`. Under ``GroupPolicy/settleAll``
  /// it succeeds instead, with the results so far.
  public var deadline: Duration?
  /// The name in errors, also when this is a member of another group or chain.
  public var memberName: String
  /// The result of each member of the run in flight, or of the last one.
  public private(set) lazy var results = GroupResults(members: [], group: ObjectIdentifier(self))

  /// The clock of the deadline; a test sets `ManualTime` of APIKitTesting. The default is the system's.
  public var time: any TimeSource = SystemTime()
  var slots: [MemberSlot]
  /// The state machine of the run in flight, or of the last one; nil before the first.
  private(set) var machine: GroupMachine?
  private var run: GroupRun?

  init(_ slots: [MemberSlot] = [], name: String, deadline: Duration? = nil) {
    self.slots = slots
    memberName = name
    self.deadline = deadline
  }

  deinit {
    run?.timer?.cancel()
    run?.tasks.values.forEach { $0.cancel() }
  }

  // MARK: Runs

  /// Whether a run is in flight.
  public var isLoading: Bool { run != nil }

  /// The progress of the run in flight, or of the last one.
  public var progress: GroupProgress {
    machine?.progress ?? GroupProgress(settled: 0, total: slots.count, fraction: 0)
  }

  /// Starts a run. Its members start after this has returned.
  @discardableResult public func load() -> Takeoff { begin(GroupRun(flight: .next())) }

  /// Cancels the run in flight, if there is one, and its members. The cancellation is delivered before this
  /// returns.
  public func cancel() {
    if let run { end(run.flight, because: .byCaller) }
  }

  // MARK: What a subclass states

  /// The state machine of the next run. The default is that of a chain.
  func makeMachine() -> GroupMachine {
    GroupMachine(count: slots.count, policy: .failFast, maximumInFlight: 1)
  }

  /// Whether the members report their progress. `isMember` is true when this run reports to a group or
  /// chain itself.
  func wantsReports(isMember: Bool) -> Bool { isMember }

  /// Calls the delegate.
  func tell(_ event: GroupEvent) {}
}

/// What is delivered to a delegate.
enum GroupEvent {
  /// This member has ended without being cancelled by the run.
  case settled(Int)
  case progressed
  case succeeded
  case failed(APIError)
  case cancelled(FlightID, CancellationReason)
}

/// A member of a group, or a link of a chain.
@MainActor struct MemberSlot {
  let name: @MainActor () -> String
  /// Returns the member for one run, built from the value of the member before it.
  let member: @MainActor (any Sendable) throws -> any GroupMember

  func run(
    after previous: any Sendable, _ report: (@MainActor (Double) -> Void)?
  ) async -> Result<any Sendable, APIError> {
    let member: any GroupMember
    // The run may have ended before this began.
    guard !Task.isCancelled else { return .failure(APIError(cancelled: .taskCancelled)) }
    do { member = try self.member(previous) } catch {
      return .failure(APIError(member: error, name(), "could not be built"))
    }
    // That was code of the application, which may have ended the run.
    guard !Task.isCancelled else { return .failure(APIError(cancelled: .taskCancelled)) }
    do throws(APIError) { return .success(try await member.run(report: report)) } catch {
      return .failure(error)
    }
  }
}

// MARK: - Insides

/// One run, from its start to its end.
private struct GroupRun {
  let flight: FlightID
  /// Reports progress to the group or chain of which this one is a member.
  var report: (@MainActor (Double) -> Void)?
  var waiter: MainSlot<Result<GroupResults, APIError>>?
  var tasks: [Int: Task<Void, Never>] = [:]
  var timer: Task<Void, Never>?
}

extension BaseManagerGroup {
  /// Starts a run and waits for its end. Cancelling the task cancels the run.
  func awaited(_ report: (@MainActor (Double) -> Void)?) async throws(APIError) -> GroupResults {
    let flight = FlightID.next()
    let result = await withTaskCancellationHandler {
      let waiter = MainSlot<Result<GroupResults, APIError>>()
      let run = GroupRun(flight: flight, report: report, waiter: waiter)
      if case .refused(let error) = begin(run) { waiter.resume(returning: .failure(error)) }
      return await waiter.wait()
    } onCancel: {
      MainDelivery.main.put { [weak self] in self?.end(flight, because: .taskCancelled) }
    }
    return try result.get()
  }

  private func begin(_ run: GroupRun) -> Takeoff {
    guard self.run == nil else {
      return .refused(APIError(.takeoff, .alreadyLoading, "a run of \(memberName) is already in flight"))
    }
    let flight = run.flight
    self.run = run
    machine = makeMachine()
    results.members = slots.map { GroupResults.Member(name: $0.name()) }
    if let deadline {
      let time = time
      self.run?.timer = Task.detached { [weak self] in
        do { try await time.sleep(running: deadline) } catch { return }
        MainDelivery.main.put { self?.timeIsUp(flight) }
      }
    }
    // On the next turn: a run without members ends at once, and `load` must return before the delegate is
    // called.
    MainDelivery.main.put { [weak self] in self?.advance(flight) }
    return .flying(flight)
  }

  /// Every event carries the id of its run, because a delegate may have ended that run and started another
  /// in a callback.
  private func advance(_ flight: FlightID) {
    guard run?.flight == flight else { return }
    perform(machine?.advance())
  }

  private func timeIsUp(_ flight: FlightID) {
    guard run?.flight == flight else { return }
    closeResults(
      APIError(.takeoff, .deadlineExceeded, "not finished before the deadline of \(deadlineText)"))
    perform(machine?.timeUp())
  }

  private func end(_ flight: FlightID, because reason: CancellationReason) {
    guard run?.flight == flight else { return }
    perform(machine?.cancel(because: reason))
  }

  private func perform(_ actions: [GroupMachine.Action]?) {
    for action in actions ?? [] {
      switch action {
      case .start(let member): start(member)
      case .cancel(let member): run?.tasks.removeValue(forKey: member)?.cancel()
      case .finish(let end): finish(end)
      }
    }
  }

  private func start(_ index: Int) {
    // No copy of the run is kept: its tasks would be copied where one is added.
    guard let flight = run?.flight else { return }
    let slot = slots[index]
    let previous = index == 0 ? () : results.members[index - 1].value ?? ()
    let wantsReports = wantsReports(isMember: run?.report != nil)
    self.run?.tasks[index] = Task { [weak self] in
      let report: @MainActor (Double) -> Void = { self?.moved(index, to: $0, of: flight) }
      let result = await slot.run(after: previous, wantsReports ? report : nil)
      self?.settled(index, result, of: flight)
    }
  }

  private func moved(_ index: Int, to part: Double, of flight: FlightID) {
    guard run?.flight == flight, machine?.report(index, part) == true else { return }
    tellProgress(of: flight)
  }

  private func settled(_ index: Int, _ result: Result<any Sendable, APIError>, of flight: FlightID) {
    let isSuccess = if case .success = result { true } else { false }
    guard run?.flight == flight, machine?.settle(index, succeeded: isSuccess) == true else { return }
    run?.tasks[index] = nil
    results.members[index].result = result
    tell(.settled(index))
    guard run?.flight == flight else { return }
    tellProgress(of: flight)
    advance(flight)
  }

  private func tellProgress(of flight: FlightID) {
    run?.report?(progress.fraction)
    // The delegate of an outer group, who was told, may have ended the run.
    guard run?.flight == flight else { return }
    tell(.progressed)
  }

  private func finish(_ end: GroupMachine.End) {
    guard let run else { return }
    let error = error(for: end)
    closeResults(APIError(.takeoff, .cancelled, "\(memberName) ended before this member did"))
    self.run = nil
    run.timer?.cancel()
    // A copy, because the delegate may start the next run, which empties the results.
    let results = results
    if case .cancelled(let reason) = end {
      tell(.cancelled(run.flight, reason))
    } else {
      tell(error.map { .failed($0) } ?? .succeeded)
    }
    run.waiter?.resume(returning: error.map { .failure($0) } ?? .success(results))
  }

  /// Sets the result of every member that has not ended.
  private func closeResults(_ error: APIError) {
    for index in results.members.indices where results.members[index].result == nil {
      results.members[index].result = .failure(error)
    }
  }

  private func error(for end: GroupMachine.End) -> APIError? {
    let count = "\(results.successCount) of \(results.members.count) members"
    let failure = results.failures.first
    switch end {
    case .succeeded: return nil
    case .failed: return failure?.error ?? APIError(.takeoff, .memberFailed)
    case .tooFew:
      let needed = if case .quorum(let needed)? = machine?.policy { needed } else { 1 }
      return APIError(
        .takeoff, .quorumMissed,
        "\(count) of \(memberName) succeeded, \(needed) had to"
          + (failure.map { "; \($0.name): \($0.error.detail)" } ?? ""),
        underlying: failure?.error)
    case .timedOut:
      return APIError(
        .takeoff, .deadlineExceeded,
        "\(memberName) was not finished before its deadline of \(deadlineText): \(count) had succeeded")
    case .cancelled(let reason): return APIError(.takeoff, .cancelled, "cancelled: \(reason)")
    }
  }

  private var deadlineText: String { deadline?.shortText ?? "none" }
}
