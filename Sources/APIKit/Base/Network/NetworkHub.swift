/// What the system says of its network, watched once for all of a process.
///
/// Watching begins with the first observer and does not end.
final class NetworkHub: Sendable {
  /// The hub of the process.
  static let shared = NetworkHub { tell in SystemNetwork.watch(tell) }

  /// What the system says.
  struct Report: Sendable, Equatable {
    var condition: NetworkCondition
    /// The way out of the machine as a text: interface, gateways, addresses. Two networks of one kind differ in it.
    var way = ""
  }

  /// Reports at once or soon, and after every change until its result is released.
  typealias Source = @Sendable (_ tell: @escaping @Sendable (Report) -> Void) -> (any Sendable)?

  private struct HubState {
    var latest: Report?
    /// The number of the latest report.
    var count = 0
    var observers: [Int: Observer] = [:]
    var nextID = 0
    var isWatching = false
    var watch: (any Sendable)?
  }

  private let source: Source
  private let state = Mutex(HubState())
  /// Held while watching begins; other callers wait until it has begun.
  private let beginning = Mutex(())

  init(_ source: @escaping Source) { self.source = source }

  /// Observes until the result is released. The observer is called at once with the latest report, if there is one, and
  /// then with each further one, on the watch's thread; it must not wait.
  func observe(_ body: @escaping @Sendable (Report) -> Void) -> any Sendable {
    begin()
    let observer = Observer(body)
    let (id, latest, number) = state.withLock { state in
      state.nextID += 1
      state.observers[state.nextID] = observer
      return (state.nextID, state.latest, state.count)
    }
    if let latest { observer.tell(latest, number) }
    // Keeps the hub.
    return Observation { _ = self.state.withLock { $0.observers.removeValue(forKey: id) } }
  }

  /// The number of observers; for tests.
  var observerCount: Int { state.withLock { $0.observers.count } }

  private func begin() {
    guard !state.withLock({ $0.isWatching }) else { return }
    beginning.withLock { _ in
      guard !state.withLock({ $0.isWatching }) else { return }
      let watch = source { [weak self] report in self?.tell(report) }
      state.withLock { ($0.watch, $0.isWatching) = (watch, true) }
    }
  }

  private func tell(_ report: Report) {
    let (observers, number) = state.withLock { state in
      state.latest = report
      state.count += 1
      return (Array(state.observers.values), state.count)
    }
    for observer in observers { observer.tell(report, number) }
  }

  /// Gets its reports in order, though the first comes on another thread.
  private final class Observer: Sendable {
    private let body: @Sendable (Report) -> Void
    private let told = Mutex(0)

    init(_ body: @escaping @Sendable (Report) -> Void) { self.body = body }

    func tell(_ report: Report, _ number: Int) {
      told.withLock { told in
        guard number > told else { return }
        told = number
        body(report)
      }
    }
  }

  private final class Observation: Sendable {
    private let end: @Sendable () -> Void

    init(_ end: @escaping @Sendable () -> Void) { self.end = end }

    deinit { end() }
  }
}

/// Whether a report tells of another network than the one before.
struct NetworkWay {
  private var way: String?

  /// True for another way than before; the first one is no change.
  mutating func changes(to report: NetworkHub.Report) -> Bool {
    defer { way = report.way }
    return way != nil && way != report.way
  }
}
