import Foundation
import Synchronization

/// One load, from takeoff to delivery: what was asked, its request, its attempts, what the cache said, who waits.
///
/// `FlightPath.swift` has the way it goes. `@unchecked Sendable`: exactly one thread at a time runs a load. What it
/// writes is handed to the next one by a lock (the transport's mailbox, ``MainDelivery``) or by the start of a task;
/// from outside, only ``cancellation`` and the `@MainActor` part are used.
///
/// What few loads have is boxed: an object above 1 KiB leaves the thread's own pool of the system's allocator.
final class Flight: @unchecked Sendable {
  /// What the end of the load is for.
  enum Purpose {
    /// It lands on its manager.
    case landing
    /// It is a wire call that other loads wait for.
    case sharing(@Sendable (Result<APIResponse, APIError>) -> Void)
    /// It brings up to date what is stored, behind a landing.
    case refreshing
  }

  /// Which thread runs the load.
  enum Place {
    case mainActor
    /// A transport's thread: it must not wait, and runs no code of the application.
    case transport
    case task
  }

  /// What was asked.
  let call: APICall
  /// What the load shares with others.
  let shared: SharedState
  /// Its dealings with the cache; nil when there are none.
  let cache: FlightCache?
  let purpose: Purpose
  /// The flights of its manager; nil for a shared wire call.
  let book: FlightBook?
  let deadline: FlightDeadline
  let cancellation = Cancellation()

  // Written by the one thread that runs the load, so that exclusive access needs no check.
  @exclusivity(unchecked) var step: Step
  @exclusivity(unchecked) var place: Place
  /// The request as assembled, before credential, cookies and signature.
  @exclusivity(unchecked) var request: HTTPRequest?
  /// How it is one of a batch; nil where it makes its own call.
  @exclusivity(unchecked) var batch: Boxed<BatchPart>?
  /// What a signature covers beside the request.
  @exclusivity(unchecked) var signed = (apiName: "", parameters: Parameters())
  /// The trace that its requests belong to; nil where they do not say.
  @exclusivity(unchecked) var trace: Boxed<TraceContext>?
  /// Whose load it is.
  @exclusivity(unchecked) var user: LoadUser { didSet { comparedAt = .max } }
  /// When it was last found to be the present one, see ``UserChanges``.
  @exclusivity(unchecked) var comparedAt = UInt64.max
  /// How far the request came, all attempts together.
  @exclusivity(unchecked) var requestProgress = RequestProgress.unsent
  /// The attempt under way, from 1; 0 before the first.
  @exclusivity(unchecked) var attempt = 0
  /// How often the services' error hooks had resolved refusals when the attempt began; see ``Resolutions``.
  @exclusivity(unchecked) var resolutions = 0
  /// What the present attempt goes with; nil where the load has nothing to do with a sign-in.
  @exclusivity(unchecked) var credential: VersionedCredential?
  /// Its place at the host, and the circuit breaker's permit.
  @exclusivity(unchecked) var admission: Admission?
  /// Its way through the service's pool of servers; nil where it has none.
  @exclusivity(unchecked) var way: HostRoute?
  /// The present exchange and its redirects.
  @exclusivity(unchecked) var exchange: ClientExchange?
  /// What goes on the wire next.
  @exclusivity(unchecked) var outgoing: HTTPExchange?
  /// What went on the wire last, for the error where it fails.
  @exclusivity(unchecked) var sent: HTTPRequest?
  /// What came from the wire last.
  @exclusivity(unchecked) var http: HTTPResponse?
  /// The response as far as it is known, decoded.
  @exclusivity(unchecked) var response: APIResponse?
  /// The failure in whose place a stored response lands.
  @exclusivity(unchecked) var replaced: APIError?
  /// Why the load has failed, for its delivery.
  @exclusivity(unchecked) var failure: APIError?
  /// What may mend a failure; made at the first.
  @exclusivity(unchecked) var remedies: [any Remedy] = []

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
  @MainActor var waiter: CheckedContinuation<Result<APIResponse, APIError>, Never>?

  var id: FlightID { call.flightID }

  /// A load of a manager.
  ///
  /// - Parameter changes: ``UserChanges/now`` of a moment before the call was made.
  init(_ call: APICall, _ shared: SharedState, _ book: FlightBook, comparedAt changes: UInt64 = .max) {
    self.call = call
    self.shared = shared
    self.book = book
    cache = FlightCache.make(for: call)
    purpose = .landing
    deadline = FlightDeadline(call)
    user = call.user
    // One that belongs to a transfer has a user of an earlier time.
    if call.options.isEmpty || call.options.owner == nil { comparedAt = changes }
    step = .lookUp
    place = .mainActor
    // Here is the caller's task.
    if call.wire.trace != .none { trace = Boxed(TraceContext.current ?? TraceContext()) }
  }

  /// A wire call of its own: for loads that are gathered in it, or behind a landing.
  init(
    _ call: APICall, _ shared: SharedState, cache: FlightCache?, book: FlightBook? = nil, from step: Step,
    for purpose: Purpose
  ) {
    self.call = call
    self.shared = shared
    self.book = book
    self.cache = cache
    self.purpose = purpose
    deadline = FlightDeadline(call)
    user = call.user
    self.step = step
    place = .task
  }

  /// The wire call of a load that others may join: it goes on where that load stands.
  init(sharing flight: Flight, completion: @escaping @Sendable (Result<APIResponse, APIError>) -> Void) {
    call = flight.call
    shared = flight.shared
    cache = flight.cache
    purpose = .sharing(completion)
    book = nil
    deadline = flight.deadline
    (user, comparedAt) = (flight.user, flight.comparedAt)
    step = .authorize
    place = flight.place
    request = flight.request
    signed = flight.signed
    trace = flight.trace
  }

  func note(_ event: FlightEvent) { call.recorder.record(event) }

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
  /// The failure with the request that led to it, and what reads the body of its response. Only for the thread that
  /// runs the load.
  func attaching(to error: APIError) -> APIError {
    var error = error
    if error.request == nil { error.request = sent ?? request }
    error.bodyDecoders = call.wire.decoders
    if error.requestProgress.map({ $0 < requestProgress }) ?? true {
      error.requestProgress = requestProgress
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
    return error
  }
}

extension ReformSource {
  /// What a landing says of its call.
  init(_ call: APICall) {
    self.init(
      managerType: call.managerType, serviceName: call.service.name, apiName: call.apiName,
      parameters: call.parameters, flightID: call.flightID)
  }
}
