/// Which loads are in flight, and the one background task that the system grants for all of them: a state machine without the
/// system.
struct GraceMachine {
  private var flights: Set<FlightID> = []
  /// The task that the system has granted and that has not ended.
  private var task: Int?

  /// Whether a task is to be asked for.
  var wantsTask: Bool { task == nil && !flights.isEmpty }

  /// A load has taken off. Returns whether to ask for a task: also where an earlier one has expired or was refused.
  mutating func tookOff(_ flight: FlightID) -> Bool {
    flights.insert(flight)
    return wantsTask
  }

  /// The system's word on the task that was asked for; nil where there is none.
  mutating func granted(_ task: Int?) { self.task = task }

  /// A load has landed. Returns the task to end.
  mutating func landed(_ flight: FlightID) -> Int? {
    flights.remove(flight)
    return flights.isEmpty ? task.take() : nil
  }

  /// The time of the task is over. Returns the task to end, at once.
  mutating func expired() -> Int? { task.take() }

  /// Nothing is asked for any more. Returns the task to end.
  mutating func stop() -> Int? {
    flights = []
    return task.take()
  }
}

/// The system's background tasks, or those of a test.
@MainActor protocol GraceTasks: AnyObject {
  /// Asks for a task; nil where there is none. `expired` is called on the main actor when its time is over, after this has
  /// returned.
  func begin(expired: @escaping @MainActor @Sendable () -> Void) -> Int?
  func end(_ task: Int)
  /// Called when the application is in the foreground again; nil to hear of it no more.
  var returned: (@MainActor @Sendable () -> Void)? { get set }
}

/// Keeps one background task of the system while a load is in flight.
@MainActor final class FlightGrace: FlightObserver {
  nonisolated let wants: FlightEvents.Interest = [.landings, .takeoffs]

  private var machine = GraceMachine()
  private let tasks: any GraceTasks

  init(_ tasks: any GraceTasks) { self.tasks = tasks }

  /// Whether it hears of loads.
  var isOn: Bool {
    get { FlightEvents.shared.contains(self) }
    set {
      FlightEvents.shared.set(self, isOn: newValue)
      // What continues in the foreground may need a task when the application leaves it once more.
      tasks.returned = nil
      if newValue { tasks.returned = { [weak self] in if let self, machine.wantsTask { ask() } } }
      if !newValue, let task = machine.stop() { tasks.end(task) }
    }
  }

  nonisolated func tookOff(_ recorder: FlightRecorder) {
    let flight = recorder.flight
    MainDelivery.main.put { if self.isOn, self.machine.tookOff(flight) { self.ask() } }
  }

  nonisolated func landed(_ load: LandedLoad, _ recorder: FlightRecorder) {
    let flight = recorder.flight
    MainDelivery.main.put { if let task = self.machine.landed(flight) { self.tasks.end(task) } }
  }

  private func ask() {
    machine.granted(
      tasks.begin { [weak self] in
        if let self, let task = machine.expired() { tasks.end(task) }
      })
  }
}
