public import Foundation
import Synchronization

/// Watches the machine's way to the network, and tells of changes to whoever listens.
///
/// The one thing of the framework that crosses layers, so it is told by a notification and by an
/// `AsyncStream`. Flights ask it only when their manager has a ``NetworkGate``. Watching begins with the
/// first question: netlink on Linux, `NWPathMonitor` on Apple platforms. In a test, ``force(_:)`` a
/// condition. Safe on any thread.
public final class NetworkMonitor: Sendable {
  /// The monitor of the process.
  public static let shared = NetworkMonitor()

  /// Posted on the main queue after a change; `object` is the monitor, ``conditionKey`` in `userInfo` holds
  /// the new ``NetworkCondition``.
  public static let didChange = Notification.Name("APIKit.NetworkMonitor.didChange")
  /// The key of the condition in the notification's `userInfo`.
  public static let conditionKey = "condition"

  private struct State {
    var system = NetworkCondition.unknown
    var forced: NetworkCondition?
    var isWatching = false
    var watch: (any Sendable)?
    var nextID = 0
    var observers: [Int: AsyncStream<NetworkCondition>.Continuation] = [:]
    var condition: NetworkCondition { forced ?? system }
  }

  private let state = Mutex(State())
  /// Held while watching begins: who asks meanwhile waits for the first answer.
  private let beginning = Mutex(())
  private let watchesSystem: Bool

  /// Makes a monitor.
  ///
  /// - Parameter watchesSystem: Whether it asks the system; false knows only what it is told with
  ///   ``force(_:)``. The default is true.
  public init(watchesSystem: Bool = true) { self.watchesSystem = watchesSystem }

  deinit {
    for observer in state.withLock({ $0.observers.values }) { observer.finish() }
  }

  /// The condition now.
  public var condition: NetworkCondition {
    watch()
    return state.withLock { $0.condition }
  }

  /// The condition now and after every change, until the monitor is released. Each call gives a stream of its
  /// own; a listener that is slow misses what has been overtaken, never the latest.
  public func changes() -> AsyncStream<NetworkCondition> {
    watch()
    let (stream, continuation) = AsyncStream.makeStream(
      of: NetworkCondition.self, bufferingPolicy: .bufferingNewest(1))
    let id = state.withLock { state in
      state.nextID += 1
      state.observers[state.nextID] = continuation
      continuation.yield(state.condition)
      return state.nextID
    }
    continuation.onTermination = { [weak self] _ in
      _ = self?.state.withLock { $0.observers.removeValue(forKey: id) }
    }
    return stream
  }

  /// Sets the condition by hand, whatever the system says; nil gives the word back to the system.
  public func force(_ condition: NetworkCondition?) { change { $0.forced = condition } }

  // MARK: Insides

  /// How many listen; for tests.
  var observerCount: Int { state.withLock { $0.observers.count } }

  private func watch() {
    guard watchesSystem, !isWatching else { return }
    beginning.withLock { _ in
      guard !isWatching else { return }
      let watch = SystemNetwork.watch { [weak self] condition in self?.change { $0.system = condition } }
      state.withLock { ($0.watch, $0.isWatching) = (watch, true) }
    }
  }

  private var isWatching: Bool { state.withLock { $0.isWatching } }

  private func change(_ body: (inout State) -> Void) {
    let news = state.withLock { state -> NetworkCondition? in
      let before = state.condition
      body(&state)
      guard state.condition != before else { return nil }
      // Within the lock, so that nobody hears two changes in the wrong order; yielding calls nobody back.
      for observer in state.observers.values { observer.yield(state.condition) }
      return state.condition
    }
    guard let news else { return }
    DispatchQueue.main.async {
      NotificationCenter.default.post(
        name: Self.didChange, object: self, userInfo: [Self.conditionKey: news])
    }
  }
}
