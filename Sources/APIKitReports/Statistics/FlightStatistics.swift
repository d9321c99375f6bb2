public import APIKit

/// Numbers about the loads that have landed: the last 1,000 one by one, all of them in histograms.
///
/// Off until ``isOn`` is set. A load that is refused at takeoff has not landed and is not counted.
///
/// ```swift
/// FlightStatistics.shared.isOn = true
/// // Later:
/// let report = FlightStatistics.shared.report
/// print(report)
/// for load in report.slow(longerThan: .seconds(2)) { print(load.api, load.duration) }
/// ```
/// It keeps less than 1 KiB for each of the last loads, and for at most 200 APIs a histogram; further APIs are
/// counted under ``other``. Safe on any thread.
public final class FlightStatistics: Sendable {
  /// The statistics of the process.
  public static let shared = FlightStatistics()

  /// The name of all APIs beyond the first 200.
  public static let other = LandedLoad.API(service: "other", method: HTTPMethod(rawValue: "-"), name: "other")
  static let mostAPIs = 200

  /// The counters of one API since the beginning. They only rise.
  package struct Totals: Sendable {
    package let api: LandedLoad.API
    package var (succeeded, failed, cancelled) = (0, 0, 0)
    package var reasons: [String: Int] = [:]
    package var (sent, received): (Int64, Int64) = (0, 0)
    package var durations = DurationHistogram()

    init(_ api: LandedLoad.API) { self.api = api }
  }

  private struct StatisticsState {
    /// Counts while it is on, and keeps the statistics then.
    var observer: LandingObserver?
    var loads: LatestRing<LandedLoad>
    var indexes: [LandedLoad.API: Int] = [:]
    var totals: [Totals] = []
    /// Whose load came last: loads of one API often come one after another.
    var latest = 0
  }

  /// The number of loads that are kept one by one.
  public let capacity: Int
  private let state: Mutex<StatisticsState>

  /// Makes statistics of their own, off. The default keeps 1,000 loads one by one; the least is 1.
  public init(capacity: Int = 1000) {
    self.capacity = max(1, capacity)
    state = Mutex(StatisticsState(loads: LatestRing(capacity: self.capacity)))
  }

  /// Whether landings are counted; false at first. While it is on, the process keeps the object.
  public var isOn: Bool {
    get { state.withLock { $0.observer != nil } }
    set {
      state.withLock { state in
        guard newValue != (state.observer != nil) else { return }
        let observer = state.observer ?? LandingObserver { [self] in add($0) }
        observer.isOn = newValue
        state.observer = newValue ? observer : nil
      }
    }
  }

  /// Forgets all loads and counts.
  public func reset() {
    state.withLock { $0 = StatisticsState(observer: $0.observer, loads: LatestRing(capacity: capacity)) }
  }

  /// The counts so far.
  public var report: StatisticsReport {
    let state = state.withLock { $0 }
    return StatisticsReport(loads: state.loads.ordered, totals: state.totals)
  }

  /// Counts a load.
  public func add(_ load: LandedLoad) {
    state.withLock { state in
      state.loads.append(load)
      if state.latest >= state.totals.count || state.totals[state.latest].api != load.api {
        state.latest = Self.index(of: load.api, in: &state)
      }
      state.totals[state.latest].add(load)
    }
  }

  private static func index(of api: LandedLoad.API, in state: inout StatisticsState) -> Int {
    if let index = state.indexes[api] { return index }
    let isFull = state.totals.count >= mostAPIs
    // The names beyond the limit are not kept: there may be any number of them.
    if isFull, let index = state.indexes[other] { return index }
    state.totals.append(Totals(isFull ? other : api))
    state.indexes[isFull ? other : api] = state.totals.count - 1
    return state.totals.count - 1
  }
}

extension FlightStatistics.Totals {
  /// Labels are the framework's, an application's own are few; as a bound against texts that vary.
  private static let mostReasons = 100

  mutating func add(_ load: LandedLoad) {
    switch load.outcome {
    case .succeeded: succeeded += 1
    case .failed: failed += 1
    case .cancelled: cancelled += 1
    }
    if load.outcome == .failed, let reason = load.reason {
      let isKnown = reasons.count < Self.mostReasons || reasons[reason] != nil
      reasons[isKnown ? reason : FlightStatistics.other.name, default: 0] += 1
    }
    if load.outcome != .cancelled { durations.add(load.duration) }
    sent += load.bytesSent
    received += load.bytesReceived
  }
}
