import Synchronization

/// One load as its manager knows it, from `load` to its landing.
@MainActor final class FlightTicket {
  let call: APICall
  let policy: TakeoffPolicy
  private(set) weak var manager: BaseAPIManager?
  private(set) weak var owner: AnyObject?
  let tags: Set<String>
  private(set) var state: FlightState
  /// What the flight has to do with the cache; nil when nothing.
  var cache: CacheStep?
  /// Takes the landings of the `async` form that waits for more than one.
  var previews: AsyncStream<APIResponse>.Continuation?
  /// Told of the transfer's progress, beside the delegate: a group that adds it up.
  var onProgress: (@MainActor (TransferProgress) -> Void)?
  /// The `async` form that waits for the landing, if there is one.
  var waiter: CheckedContinuation<Result<APIResponse, APIError>, Never>?

  nonisolated var id: FlightID { call.flightID }

  init(
    call: APICall, policy: TakeoffPolicy, manager: BaseAPIManager, owner: AnyObject?, tags: Set<String>
  ) {
    self.call = call
    self.policy = policy
    self.manager = manager
    self.owner = owner
    self.tags = tags
    state = .waiting
    cache = CacheStep(call)
  }

  /// Enters the next state. A move that is not legal is an error of the framework and traps.
  func move(to next: FlightState) -> FlightStateChange {
    precondition(state.canMove(to: next), "flight \(id) cannot move from \(state) to \(next)")
    defer { state = next }
    return FlightStateChange(flight: id, from: state, to: next)
  }

  /// Tells the waiting `async` form, if there is one, how the load ended.
  func finish(_ result: @autoclosure () -> Result<APIResponse, APIError>) {
    guard let waiter else { return }
    self.waiter = nil
    waiter.resume(returning: result())
  }
}

/// The tasks of a manager's flights. It dies with the manager, from whatever thread the last reference is
/// released, and takes the flights with it at once.
final class FlightTasks: Sendable {
  private let tasks = Mutex<[FlightID: Task<Void, Never>]>([:])

  func add(_ task: Task<Void, Never>, for flight: FlightID) { tasks.withLock { $0[flight] = task } }

  func remove(_ flight: FlightID) { _ = tasks.withLock { $0.removeValue(forKey: flight) } }

  func cancel(_ flight: FlightID) { tasks.withLock { $0.removeValue(forKey: flight) }?.cancel() }

  deinit {
    for (flight, task) in tasks.withLock({ $0 }) {
      task.cancel()
      FlightRegistry.shared.forget(flight)
    }
  }
}
