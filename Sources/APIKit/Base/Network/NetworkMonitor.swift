public import Foundation

/// Watches whether and how the machine is connected to a network, and reports changes.
///
/// Any layer may need it, so it posts a notification and has an `AsyncStream`. Flights use it only when
/// their manager has a ``NetworkGate``. Watching begins with the first use of ``condition`` or
/// ``changes()``: over netlink on Linux, with `NWPathMonitor` on Apple platforms. In a test, set a
/// condition with ``force(_:)``. Safe on any thread.
public final class NetworkMonitor: Sendable {
  /// The monitor of the process.
  public static let shared = NetworkMonitor()

  /// Posted on the main queue after a change; `object` is the monitor, and `userInfo` has the new
  /// ``NetworkCondition`` under ``conditionKey``.
  public static let didChange = Notification.Name("APIKit.NetworkMonitor.didChange")
  /// The key of the condition in the notification's `userInfo`.
  public static let conditionKey = "condition"

  private struct MonitorState {
    var system = NetworkCondition.unknown
    var forced: NetworkCondition?
    var isWatching = false
    /// Whether the system has reported, or is no longer waited for.
    var hasReported = false
    var watch: (any Sendable)?
    var nextID = 0
    /// The streams, and whether each has changes of the network, too, that leave the condition as it is.
    var observers: [Int: (ofNetworks: Bool, stream: AsyncStream<NetworkCondition>.Continuation)] = [:]
    var way = NetworkWay()
    var condition: NetworkCondition { forced ?? system }
  }

  private let state = Mutex(MonitorState())
  /// Held while watching begins; other callers wait until it has begun.
  private let beginning = Mutex(())
  private let system: Source?

  /// Reports the condition of a system, at once or later, and after every change until its result is released.
  typealias Source = NetworkHub.Source

  /// Makes a monitor.
  ///
  /// - Parameter watchesSystem: Whether it watches the system; with false it has only the condition set
  ///   with ``force(_:)``. The default is true.
  public convenience init(watchesSystem: Bool = true) {
    let system: Source = { tell in NetworkHub.shared.observe(tell) }
    self.init(watching: watchesSystem ? system : nil)
  }

  /// Makes a monitor of a system; with nil it has only the condition set with ``force(_:)``.
  init(watching system: Source?) { self.system = system }

  deinit {
    for observer in state.withLock({ $0.observers.values }) { observer.stream.finish() }
  }

  /// The present condition; ``NetworkCondition/unknown`` until the system has reported one.
  public var condition: NetworkCondition {
    watch()
    return state.withLock { $0.condition }
  }

  /// The present condition and those after each change, until the monitor is released. Each call returns a
  /// stream of its own. A slow reader may miss conditions in between, but never the latest.
  public func changes() -> AsyncStream<NetworkCondition> { stream(ofNetworks: false) }

  /// The condition after each change of the network, until the monitor is released: also when one Wi-Fi takes the place of
  /// another, or the machine gets another address, which the condition does not show.
  ///
  /// Transports discard their idle connections and resolved names themselves. An application should measure its hosts anew:
  ///
  /// ```swift
  /// for await _ in NetworkMonitor.shared.networkChanges() { measurements.removeAll() }
  /// ```
  ///
  /// A slow reader may miss changes in between, but never the latest.
  public func networkChanges() -> AsyncStream<NetworkCondition> { stream(ofNetworks: true) }

  private func stream(ofNetworks: Bool) -> AsyncStream<NetworkCondition> {
    watch()
    let (stream, continuation) = AsyncStream.makeStream(
      of: NetworkCondition.self, bufferingPolicy: .bufferingNewest(1))
    let id = state.withLock { state in
      state.nextID += 1
      state.observers[state.nextID] = (ofNetworks, continuation)
      if !ofNetworks { continuation.yield(state.condition) }
      return state.nextID
    }
    // In a task: a cancelled task calls this under a lock of its own, for which a change waits that is being yielded.
    continuation.onTermination = { [weak self] _ in
      Task.detached { _ = self?.state.withLock { $0.observers.removeValue(forKey: id) } }
    }
    return stream
  }

  /// Sets the condition, whatever the system reports; nil returns to the system's.
  public func force(_ condition: NetworkCondition?) {
    change { state in
      state.forced = condition
      return false
    }
  }

  // MARK: Insides

  /// The number of streams in use; for tests.
  var observerCount: Int { state.withLock { $0.observers.count } }

  /// Whether the system is watched and has not reported yet: on Apple platforms the first report comes some
  /// milliseconds after watching has begun, on Linux before the first question is answered.
  var awaitsFirstReport: Bool {
    watch()
    return state.withLock { $0.isWatching && !$0.hasReported && $0.forced == nil }
  }

  /// Waits for a first report no longer.
  func giveUpFirstReport() { state.withLock { $0.hasReported = true } }

  private func watch() {
    guard let system, !isWatching else { return }
    beginning.withLock { _ in
      guard !isWatching else { return }
      let watch = system { [weak self] report in
        self?.change { state in
          (state.system, state.hasReported) = (report.condition, true)
          return state.way.changes(to: report) && state.forced == nil
        }
      }
      state.withLock { ($0.watch, $0.isWatching) = (watch, true) }
    }
  }

  private var isWatching: Bool { state.withLock { $0.isWatching } }

  /// - Parameter body: Changes the state; true when the network is another one, whatever its condition.
  private func change(_ body: (inout MonitorState) -> Bool) {
    let news = state.withLock { state -> NetworkCondition? in
      let before = state.condition
      let isOther = body(&state)
      let isNews = state.condition != before
      // Done under the lock so that all streams get the changes in order; `yield` calls no other code.
      for (ofNetworks, stream) in state.observers.values where isNews || isOther && ofNetworks {
        stream.yield(state.condition)
      }
      return isNews ? state.condition : nil
    }
    guard let news else { return }
    DispatchQueue.main.async {
      NotificationCenter.default.post(
        name: Self.didChange, object: self, userInfo: [Self.conditionKey: news])
    }
  }
}
