import Foundation

/// One load, from takeoff to delivery: what was asked, what its run knows, who waits.
///
/// `FlightPath.swift` has the way it goes. `@unchecked Sendable`: ``run`` belongs to the one thread or task that runs the load,
/// and is handed on by a lock (the transport's mailbox, ``MainDelivery``) or by the start of a task. Debug builds check the
/// owner at each access. What else can change is behind a lock or on the main actor.
final class Flight: @unchecked Sendable {
  /// Takes the outcome of a wire call, and whose it was in the end.
  typealias Completion = @Sendable (_ outcome: Result<APIResponse, APIError>, _ user: LoadUser) -> Void

  /// The recipient of the outcome.
  enum Purpose {
    /// Its manager.
    case landing
    /// Other loads, which wait for this wire call.
    case sharing(Completion)
    /// The cache alone: the load brings a stored response up to date, behind a landing.
    case refreshing
  }

  /// Which thread runs the load.
  enum Executor {
    case mainActor
    /// A transport's thread: it must not wait, and runs no code of the application.
    case transport
    case task
  }

  /// The call as it was made.
  let call: APICall
  /// The state that all loads share.
  let shared: SharedState
  /// The use of the cache; nil for a load without one.
  let cache: FlightCache?
  let purpose: Purpose
  /// The flights of its manager; nil for a shared wire call.
  let flightStore: FlightStore?
  private(set) var deadline: FlightDeadline
  let cancellation = Cancellation()
  /// Whether a request on which a server may act twice was made for another origin: no idempotency key goes there.
  let wentElsewhere = AtomicFlag()

  /// The thread or task that runs the load.
  let ownership = Ownership()
  // Accessors that check nothing would still be calls, so only debug builds have them.
  #if DEBUG
    @exclusivity(unchecked) private var ownedRun: FlightRun
    /// The state of the run; for its owner only.
    var run: FlightRun {
      @storageRestrictions(initializes: ownedRun) init { ownedRun = newValue }
      // No coroutine (`_read`): a debug build reads what it has yielded after its frame is freed.
      get {
        ownership.check()
        return ownedRun
      }
      _modify {
        ownership.check()
        yield &ownedRun
      }
      set {
        ownership.check()
        ownedRun = newValue
      }
    }
  #else
    @exclusivity(unchecked) var run: FlightRun
  #endif

  // The manager's side.
  @MainActor var state = FlightState.waiting
  /// For how many reasons it is suspended: a wait of its own, its caller's wish.
  @MainActor var suspensions = 0
  /// The name of the takeoff policy, for the record.
  @MainActor var policy = ""
  @MainActor var tags: Set<String> = []
  /// Takes the landings of the `async` form that waits for more than one.
  @MainActor var previews: AsyncStream<APIResponse>.Continuation?
  /// Told of the transfer's progress, beside the delegate: a group that adds it up.
  @MainActor var onProgress: (@MainActor (TransferProgress) -> Void)?
  /// The load as Foundation's progress, where that was asked for.
  @MainActor var progress: Foundation.Progress?
  /// The `async` form that waits for the landing, if there is one.
  @MainActor var waiter: MainSlot<Result<APIResponse, APIError>>?

  var id: FlightID { call.flightID }

  /// A load of a manager.
  ///
  /// - Parameter changes: ``UserChanges/now`` of a moment before the call was made.
  init(_ call: APICall, _ shared: SharedState, flightStore: FlightStore, comparedAt changes: Int = .max) {
    self.call = call
    self.shared = shared
    self.flightStore = flightStore
    cache = FlightCache.make(for: call)
    purpose = .landing
    deadline = FlightDeadline(call)
    // The user of a transfer was fixed at an earlier time.
    let isOfNow = call.options.owner == nil
    // Here is the caller's task.
    let trace = call.wire.trace == .none ? nil : LoadTrace(of: TraceContext.current)
    if let trace { call.recorder.record(trace.event) }
    run = FlightRun(
      step: .lookUp, executor: .mainActor, user: call.user, comparedAt: isOfNow ? changes : .max,
      trace: trace.map { CopyOnWrite($0) }
    )
  }

  /// A wire call of its own: for loads that are gathered in it, or behind a landing.
  init(
    _ call: APICall, _ shared: SharedState, cache: FlightCache?, flightStore: FlightStore? = nil,
    for purpose: Purpose
  ) {
    self.call = call
    self.shared = shared
    self.flightStore = flightStore
    self.cache = cache
    self.purpose = purpose
    deadline = FlightDeadline(call)
    let executor: Executor = if case .refreshing = purpose { .mainActor } else { .task }
    run = FlightRun(step: .assemble, executor: executor, user: call.user)
  }

  /// The wire call of a load that others may join: it continues where that load stands.
  init(sharing flight: Flight, completion: @escaping Completion) {
    call = flight.call
    shared = flight.shared
    cache = flight.cache
    purpose = .sharing(completion)
    flightStore = nil
    deadline = flight.deadline
    run = FlightRun(
      step: .authorize, executor: flight.run.executor, user: flight.run.user,
      comparedAt: flight.run.comparedAt,
      request: flight.run.request, signed: flight.run.signed, trace: flight.run.trace)
  }

  /// A flight that its takeoff policy held back takes off: its time begins.
  func beginDeadline() { deadline = FlightDeadline(call) }

  func note(_ event: FlightEvent) { call.recorder.record(event) }

  func tell(waitsFor wait: FlightWait) { call.recorder.tell(waitsFor: wait) }

  /// Enters the next state. A move that is not legal is an error of the framework and traps.
  @MainActor func move(to next: FlightState) -> FlightStateChange {
    precondition(state.canMove(to: next), "flight \(id) cannot move from \(state) to \(next)")
    defer { state = next }
    return FlightStateChange(flight: id, from: state, to: next)
  }

  /// Tells the waiting `async` form, if there is one, how the load ended.
  @MainActor func finish(_ result: @autoclosure () -> Result<APIResponse, APIError>) {
    guard let waiter else { return }
    self.waiter = nil
    waiter.resume(returning: result())
  }
}

extension Flight {
  /// The failure with the request that led to it, and what reads the body of its response.
  func attaching(to error: APIError) -> APIError {
    var error = error
    if error.request == nil { error.request = run.sent ?? run.request }
    error.bodyDecoders = call.wire.decoders
    if run.isElsewhere { error.context.isElsewhere = !hasSentCredential }
    if error.requestProgress.map({ $0 < run.requestProgress }) ?? true {
      error.requestProgress = run.requestProgress
    }
    return error
  }
}

extension APIError {
  /// The error with what the call knows filled in where it says nothing itself.
  func completed(for call: APICall) -> APIError {
    var error = self
    let own = context
    error.context = call.context()
    error.context.location = own.location
    error.context.attempt = own.attempt
    error.context.attemptLimit = own.attemptLimit
    error.context.elapsed = own.elapsed
    error.context.status = own.status ?? evidence?.status
    error.context.cancellation = own.cancellation
    error.context.isElsewhere = own.isElsewhere
    return error
  }
}

extension APIResponse {
  /// The response as that to a call, which another one may have brought.
  func landing(_ call: APICall) -> APIResponse {
    var response = self
    response.source = ReformSource(call)
    return response
  }
}

extension ReformSource {
  /// The source of a response to this call.
  init(_ call: APICall) {
    managerType = call.managerType
    serviceName = call.service.name
    apiName = call.apiName
    parameters = call.parameters
    flightID = call.flightID
    method = call.terms.method
    boxedDecoding = call.wire.decoding.boxed
  }
}
