/// A ``ManagerChain`` of whatever output: what a delegate of several chains sees.
@MainActor public class AnyManagerChain {
  /// Where the runs land. Weak.
  public weak var delegate: (any ManagerChainDelegate)?
  /// The longest time from the start of a run to its end; nil, the default, is no limit. A run that exceeds it
  /// fails with ``APIError/Reason/deadlineExceeded``.
  public var deadline: Duration?
  /// The chain's name in errors, and as a member of another.
  public var memberName = "chain"
  /// How many links there are.
  public var linkCount: Int { links.count }
  /// The link at which the last run failed: its place from 0, and its name; nil when it did not.
  public private(set) var failedLink: (index: Int, name: String)?

  /// The clock of the deadline; a test puts a manual one in.
  var time: any TimeSource = SystemTime()
  let links: [ChainLink]
  private(set) var value: (any Sendable)?
  private var run: ChainRun?

  init(links: [ChainLink]) { self.links = links }

  /// Whether a run is in the air.
  public var isLoading: Bool { run != nil }

  /// Starts the first link. Refused with ``APIError/Reason/alreadyLoading`` while a run is in the air.
  @discardableResult public func load() -> Takeoff { start(.next(), nil, nil) }

  /// Cancels the run in the air, if there is one, with the link it is at.
  public func cancel() {
    if let run { end(run.flight, because: .byCaller) }
  }

  // MARK: Insides

  func awaited(_ report: (@MainActor (Double) -> Void)?) async throws(APIError) -> any Sendable {
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
    _ flight: FlightID, _ waiter: CheckedContinuation<Result<any Sendable, APIError>, Never>?,
    _ report: (@MainActor (Double) -> Void)?
  ) -> Takeoff {
    guard run == nil else {
      return .refused(APIError(.takeoff, .alreadyLoading, "a run of \(memberName) is in the air already"))
    }
    (value, failedLink) = (nil, nil)
    let run = ChainRun(flight, ChainMachine(count: links.count), waiter, report)
    self.run = run
    if let deadline {
      let time = time
      run.timer = Task.detached { [weak self] in
        do { try await time.sleep(for: deadline) } catch { return }
        MainDelivery.main.put { self?.timeIsUp(flight) }
      }
    }
    perform(run.machine.start(), in: run)
    return .flying(flight)
  }

  /// Carries out what the machine says.
  private func perform(_ actions: [ChainMachine.Action], in run: ChainRun) {
    for action in actions {
      switch action {
      case .start(let index): start(index, in: run)
      case .cancel: run.task?.cancel()
      case .finish(let end): finish(run, end)
      }
    }
  }

  private func start(_ index: Int, in run: ChainRun) {
    let (flight, link, input) = (run.flight, links[index], run.value)
    let reports = run.report != nil
    run.task = Task { [weak self] in
      let report: @MainActor (Double) -> Void = { self?.moved(index, to: $0, of: flight) }
      do throws(APIError) {
        let value = try await link.run(input, reports ? report : nil)
        self?.landed(index, value, of: flight)
      } catch {
        self?.failed(index, error, of: flight)
      }
    }
  }

  /// A link says how far it is; nobody hears of one that is over.
  private func moved(_ index: Int, to part: Double, of flight: FlightID) {
    guard let run, run.flight == flight, let fraction = run.machine.fraction(of: index, at: part) else {
      return
    }
    run.report?(fraction)
  }

  private func landed(_ index: Int, _ value: any Sendable, of flight: FlightID) {
    moved(index, to: 1, of: flight)
    guard let run, run.flight == flight, run.machine.position == index else { return }
    run.value = value
    delegate?.chain(self, didLandLinkAt: index)
    // The delegate may have cancelled the run, and even started another.
    guard self.run === run else { return }
    perform(run.machine.landed(index), in: run)
  }

  private func failed(_ index: Int, _ error: APIError, of flight: FlightID) {
    guard let run, run.flight == flight else { return }
    run.error = error
    perform(run.machine.failed(index), in: run)
  }

  private func timeIsUp(_ flight: FlightID) {
    guard let run, run.flight == flight else { return }
    perform(run.machine.timeUp(), in: run)
  }

  private func end(_ flight: FlightID, because reason: CancellationReason) {
    guard let run, run.flight == flight else { return }
    run.reason = reason
    perform(run.machine.cancel(), in: run)
  }

  private func finish(_ run: ChainRun, _ end: ChainMachine.End) {
    self.run = nil
    run.timer?.cancel()
    switch end {
    case .succeeded:
      value = run.value
      delegate?.chainDidSucceed(self)
      run.waiter?.resume(returning: .success(run.value))
    case .failed(let index): fail(run, index, run.error ?? APIError(.takeoff, .memberFailed))
    case .timedOut(let index):
      let late = APIError(
        .takeoff, .deadlineExceeded,
        "\(memberName) was not finished before its deadline of \(deadline?.shortText ?? "none"): "
          + "it was at link \(index + 1) of \(links.count)")
      fail(run, index, late)
    case .cancelled:
      delegate?.chain(self, didCancel: run.flight, because: run.reason)
      run.waiter?.resume(returning: .failure(APIError(.takeoff, .cancelled, "cancelled: \(run.reason)")))
    }
  }

  private func fail(_ run: ChainRun, _ index: Int, _ error: APIError) {
    failedLink = (index, links[index].name)
    delegate?.chain(self, didFailWith: error)
    run.waiter?.resume(returning: .failure(error))
  }
}

/// Where the results of a ``ManagerChain`` land.
///
/// Held weakly; called on the main actor, exactly once for every run, which is over by then. One delegate may
/// serve several chains: compare with `===`, and read ``ManagerChain/output``.
@MainActor public protocol ManagerChainDelegate: AnyObject {
  /// The last link has landed.
  func chainDidSucceed(_ chain: AnyManagerChain)

  /// A link has failed, or the deadline has passed; ``AnyManagerChain/failedLink`` says where.
  func chain(_ chain: AnyManagerChain, didFailWith error: APIError)

  /// The run was cancelled. The default does nothing.
  func chain(_ chain: AnyManagerChain, didCancel flight: FlightID, because reason: CancellationReason)

  /// A link has landed, and the next is about to be built. The chain may be cancelled from here. The default
  /// does nothing.
  func chain(_ chain: AnyManagerChain, didLandLinkAt index: Int)
}

extension ManagerChainDelegate {
  /// Does nothing.
  public func chain(
    _ chain: AnyManagerChain, didCancel flight: FlightID, because reason: CancellationReason
  ) {}
  /// Does nothing.
  public func chain(_ chain: AnyManagerChain, didLandLinkAt index: Int) {}
}

/// One run of a chain. Its tasks die with it.
@MainActor private final class ChainRun {
  let flight: FlightID
  var machine: ChainMachine
  let waiter: CheckedContinuation<Result<any Sendable, APIError>, Never>?
  let report: (@MainActor (Double) -> Void)?
  var task: Task<Void, Never>?
  var timer: Task<Void, Never>?
  /// What the link before has landed with.
  var value: any Sendable = ()
  /// Why a link has failed, and why the run was cancelled, for the machine's last action.
  var error: APIError?
  var reason = CancellationReason.byCaller

  init(
    _ flight: FlightID, _ machine: ChainMachine,
    _ waiter: CheckedContinuation<Result<any Sendable, APIError>, Never>?,
    _ report: (@MainActor (Double) -> Void)?
  ) {
    (self.flight, self.machine, self.waiter, self.report) = (flight, machine, waiter, report)
  }

  deinit {
    timer?.cancel()
    task?.cancel()
  }
}

extension ChainLink {
  /// Builds the link and runs it.
  fileprivate func run(
    _ input: any Sendable, _ report: (@MainActor (Double) -> Void)?
  ) async throws(APIError) -> any Sendable {
    let member: any GroupMember
    do { member = try build(input) } catch { throw APIError(member: error, name, "could not be built") }
    return try await Self.run(member, report)
  }

  private static func run(
    _ member: some GroupMember, _ report: (@MainActor (Double) -> Void)?
  ) async throws(APIError) -> any Sendable {
    try await member.run(report: report)
  }
}
