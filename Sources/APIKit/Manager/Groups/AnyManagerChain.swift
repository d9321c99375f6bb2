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
    if let run { end(run.flight, .cancelled(.byCaller)) }
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
      LandingStrip.main.put { [weak self] in self?.end(flight, .cancelled(.taskCancelled)) }
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
    let run = ChainRun(flight, waiter)
    self.run = run
    if let deadline {
      let time = time
      run.timer = Task.detached { [weak self] in
        do { try await time.sleep(for: deadline) } catch { return }
        LandingStrip.main.put { self?.timeIsUp(flight, deadline) }
      }
    }
    let links = links
    run.task = Task { [weak self] in
      var value: any Sendable = ()
      for (index, link) in links.enumerated() {
        let part: @MainActor (Double) -> Void = { report?((Double(index) + $0) / Double(links.count)) }
        do throws(APIError) {
          value = try await link.run(value, report == nil ? nil : part)
        } catch {
          self?.failed(index, error, of: flight)
          return
        }
        part(1)
        guard self?.landed(index, value, of: flight) == true else { return }
      }
    }
    return .flying(flight)
  }

  /// A link has landed. False when the run is over meanwhile.
  private func landed(_ index: Int, _ value: any Sendable, of flight: FlightID) -> Bool {
    guard let run, run.flight == flight else { return false }
    run.index = index + 1
    delegate?.chain(self, didLandLinkAt: index)
    // The delegate may have cancelled the run.
    guard self.run === run else { return false }
    if index == links.count - 1 { end(flight, .succeeded(value)) }
    return true
  }

  private func failed(_ index: Int, _ error: APIError, of flight: FlightID) {
    guard run?.flight == flight else { return }
    failedLink = (index, links[index].name)
    end(flight, .failed(error))
  }

  private func timeIsUp(_ flight: FlightID, _ deadline: Duration) {
    guard let run, run.flight == flight else { return }
    failed(
      run.index,
      APIError(
        .takeoff, .deadlineExceeded,
        "\(memberName) was not finished before its deadline of \(deadline.shortText): "
          + "it was at link \(run.index + 1) of \(links.count)"),
      of: flight)
  }

  private enum End {
    case succeeded(any Sendable)
    case failed(APIError)
    case cancelled(CancellationReason)
  }

  private func end(_ flight: FlightID, _ end: End) {
    guard let run, run.flight == flight else { return }
    self.run = nil
    run.timer?.cancel()
    run.task?.cancel()
    switch end {
    case .succeeded(let value):
      self.value = value
      delegate?.chainDidSucceed(self)
      run.waiter?.resume(returning: .success(value))
    case .failed(let error):
      delegate?.chain(self, didFailWith: error)
      run.waiter?.resume(returning: .failure(error))
    case .cancelled(let reason):
      delegate?.chain(self, didCancel: flight, because: reason)
      run.waiter?.resume(returning: .failure(APIError(.takeoff, .cancelled, "cancelled: \(reason)")))
    }
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
  var waiter: CheckedContinuation<Result<any Sendable, APIError>, Never>?
  var task: Task<Void, Never>?
  var timer: Task<Void, Never>?
  /// The link it is at, from 0.
  var index = 0

  init(_ flight: FlightID, _ waiter: CheckedContinuation<Result<any Sendable, APIError>, Never>?) {
    self.flight = flight
    self.waiter = waiter
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
