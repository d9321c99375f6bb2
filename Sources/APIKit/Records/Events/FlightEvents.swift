import Dispatch
import Foundation

/// The live events of all loads of the process: the one source of all observers.
///
/// To get each event while a load runs, add a listener with ``add(_:capacity:)`` or ``events(capacity:)``.
/// ``FlightNotices``, `FlightStatistics` and ``RecordSink`` use it as well. Without a listener, an event costs
/// one look at a number. May be used from any thread.
///
/// ```swift
/// for await event in FlightEvents.shared.events() { print(event) }
/// ```
/// A listener is told of ``FlightEvent/tookOff(policy:)`` and ``FlightEvent/landed(_:)`` once for each load that takes off, or
/// of ``FlightEvent/refused(label:detail:)``. Between them it is told of all that the record of the load holds, and of
/// ``FlightEvent/waits(for:)`` and ``FlightEvent/phase(_:)``. A connection that APIKitSockets opens neither takes off nor
/// lands.
public final class FlightEvents: Sendable {
  /// The source of the process.
  public static let shared = FlightEvents()

  /// What is told to somebody.
  struct Interest: OptionSet {
    let rawValue: Int
    /// That loads have landed, with what they add up to.
    static let landings = Interest(rawValue: 1)
    /// That they have taken off.
    static let takeoffs = Interest(rawValue: 2)
    /// Notices.
    static let notices = Interest(rawValue: 4)
    /// Each event.
    static let events = Interest(rawValue: 8)
  }

  private struct EventsState {
    var observers: [any FlightObserver] = []
    var listeners: [(listener: any FlightListener, queue: BoundedQueue<LiveEvent>)] = []
    var streams: [FlightEventBuffer] = []
    /// Loads with events that were not looked at yet.
    var announced: [FlightRecorder] = []
    /// Where phases were noted that were not told yet.
    var sources: [any PhaseSource] = []
    /// With so many loads the wait is over.
    var manyAnnounced = FlightEvents.mostAnnounced
    var isGathering = false
  }

  private let interest = AtomicInt()
  private let state = Mutex(EventsState())
  /// Held while events are passed on, so that those of a load stay in order.
  private let passing = Mutex(())
  private let queue = DispatchQueue(label: "APIKit.FlightEvents", qos: .utility)
  private let many = DispatchSemaphore(value: 0)

  private init() {}

  // MARK: Listening

  /// How many milliseconds events are gathered before the listeners are told: the shortest for the first ones, twice as long each time
  /// while more come. A load feels each wake of another thread.
  private static let gathering = (shortest: 5, longest: 80)
  /// How many events of a load come between two looks, at most, by experience.
  private static let eventsOfALoad = 16
  /// How many loads are announced at a look, at most: more of them would leave the processor's cache before their events are
  /// read, which costs as much as reading.
  private static let mostAnnounced = 160

  /// Tells a listener of all events from now on. It is kept until `remove(_:)`; a second call changes nothing.
  ///
  /// - Parameters:
  ///   - listener: Gets the events, one after the other.
  ///   - capacity: How many events may wait for it; the default is 10,000. Further events are dropped, and
  ///     ``FlightEvent/dropped(_:)`` has their number.
  public func add(_ listener: any FlightListener, capacity: Int = 10_000) {
    let queue = BoundedQueue(
      "APIKit.FlightListener", capacity: capacity,
      mark: { (first: LiveEvent, count) in first.replacing(.dropped(count)) },
      work: { try listener.receive($0) })
    passOn()
    change { state in
      guard !state.listeners.contains(where: { $0.listener === listener }) else { return }
      state.listeners.append((listener, queue))
    }
  }

  /// Tells a listener of nothing more. A call that is under way ends as it would; none begins afterwards. May be called
  /// from within ``FlightListener/receive(_:)``.
  public func remove(_ listener: any FlightListener) {
    let queue = change { state -> BoundedQueue<LiveEvent>? in
      guard let index = state.listeners.firstIndex(where: { $0.listener === listener }) else { return nil }
      return state.listeners.remove(at: index).queue
    }
    queue?.close()
  }

  /// All events from now on, for one `for await` loop. They end when the task of the loop is cancelled.
  ///
  /// - Parameter capacity: How many events may wait for the loop; the default is 10,000. Further events
  ///   are dropped, and ``FlightEvent/dropped(_:)`` says how many there were.
  public func events(capacity: Int = 10_000) -> LiveEvents {
    let buffer = FlightEventBuffer(capacity: capacity)
    passOn()
    change { $0.streams.append(buffer) }
    return LiveEvents(buffer)
  }

  func remove(_ buffer: FlightEventBuffer) { change { $0.streams.removeAll { $0 === buffer } } }

  // MARK: Telling

  /// Whether somebody is told of it.
  @inline(__always) func wants(_ interest: Interest) -> Bool {
    self.interest.load() & interest.rawValue != 0
  }

  /// A load has events for those who listen. Called under the lock of its recorder; nothing of the application is called.
  func announce(_ load: FlightRecorder) {
    let (mustGather, isMany) = state.withLock { state in
      state.announced.append(load)
      defer { state.isGathering = true }
      return (!state.isGathering, state.announced.count == state.manyAnnounced)
    }
    if isMany { many.signal() }
    if mustGather { beginGathering() }
  }

  /// Has a source asked for its phases at the next look. A source calls this once until it was asked.
  func announce(_ source: any PhaseSource) {
    let mustGather = state.withLock { state in
      state.sources.append(source)
      defer { state.isGathering = true }
      return !state.isGathering
    }
    if mustGather { beginGathering() }
  }

  private func beginGathering() { queue.async { self.gather() } }

  /// Passes events on until a while has gone by without one. It sleeps in between: a timer would wake a second thread each
  /// time.
  private func gather() {
    var wait = Self.gathering.shortest
    while true {
      let hasMany = sleep(wait)
      wait = min(Self.gathering.longest, wait * 2)
      // They report a little later, from their own threads. A full buffer does not wait for them.
      if askSources(), !hasMany { sleep(Self.gathering.shortest) }
      if passOn() { continue }
      let isOver = state.withLock { state in
        state.isGathering = !state.announced.isEmpty || !state.sources.isEmpty
        return !state.isGathering
      }
      if isOver { return }
    }
  }

  /// Sleeps so many milliseconds, or until many loads have events: true then.
  @discardableResult private func sleep(_ milliseconds: Int) -> Bool {
    many.wait(timeout: .now() + .milliseconds(milliseconds)) == .success
  }

  /// Asks the announced sources for their phases; returns whether there were any.
  private func askSources() -> Bool {
    let sources = state.withLock { state in
      defer { state.sources = [] }
      return state.sources
    }
    for source in sources { source.tellPhases() }
    return !sources.isEmpty
  }

  /// Puts the events of announced loads into the buffers of those who listen.
  ///
  /// - Returns: Whether there were any.
  @discardableResult
  func passOn() -> Bool {
    passing.withLock { _ in
      let loads = state.withLock { state in
        defer { state.announced = [] }
        return state.announced
      }
      guard !loads.isEmpty else { return false }
      var events: [LiveEvent] = []
      events.reserveCapacity(loads.count * 8)
      for load in loads { load.takeNews(&events) }
      let (queues, streams) = state.withLock { ($0.listeners.map(\.queue), $0.streams) }
      for queue in queues { queue.put(events) }
      for stream in streams { stream.put(events) }
      return true
    }
  }

  /// Calls observers in place.
  func tell(_ interest: Interest, _ body: (any FlightObserver) -> Void) {
    for observer in state.withLock({ $0.observers }) where observer.wants.contains(interest) {
      body(observer)
    }
  }

  // MARK: Observers

  func contains(_ observer: any FlightObserver) -> Bool {
    interest.load() != 0 && state.withLock { $0.observers.contains { $0 === observer } }
  }

  func set(_ observer: any FlightObserver, isOn: Bool) {
    change { state in
      state.observers.removeAll { $0 === observer }
      if isOn { state.observers.append(observer) }
    }
  }

  @discardableResult
  private func change<Result: Sendable>(_ body: (inout EventsState) -> Result) -> Result {
    state.withLock { state in
      let result = body(&state)
      var all: Interest = state.listeners.isEmpty && state.streams.isEmpty ? [] : .events
      for observer in state.observers { all.formUnion(observer.wants) }
      interest.store(all.rawValue)
      let capacities = state.listeners.map(\.queue.capacity) + state.streams.map(\.capacity)
      // The events of more would not fit into the smallest buffer.
      let fitting = (capacities.min() ?? .max) / Self.eventsOfALoad
      state.manyAnnounced = min(max(1, fitting), Self.mostAnnounced)
      return result
    }
  }
}

/// What is told in place, where it happens, usually on the main actor: it must not wait.
protocol FlightObserver: AnyObject, Sendable {
  /// What it is told of; does not change.
  var wants: FlightEvents.Interest { get }
  /// A load has taken off.
  func tookOff(_ recorder: FlightRecorder)
  /// A load has landed.
  func landed(_ load: LandedLoad, _ recorder: FlightRecorder)
  /// A notice is given.
  func noticed(_ notice: FlightNotice)
}

extension FlightObserver {
  var wants: FlightEvents.Interest { .landings }
  func tookOff(_ recorder: FlightRecorder) {}
  func landed(_ load: LandedLoad, _ recorder: FlightRecorder) {}
  func noticed(_ notice: FlightNotice) {}
}
