/// The base class of every manager: it keeps the flights of one endpoint and delivers their results.
///
/// Nothing here can be overridden. ``APIManager`` declares the decisions of a subclass, which it must
/// adopt; `init` traps otherwise. The class is isolated to the main actor and does no slow work there.
/// Releasing the last reference cancels the flights at once, and nothing is delivered (see
/// ``APIManager/outlivesRelease``).
@MainActor open class BaseAPIManager {
  /// Receives the results. Weak.
  public weak var delegate: (any APIManagerDelegate)?
  /// Provides the parameters of a `load()` without any. Weak; without a source the load has no parameters.
  public weak var parameterSource: (any APIManagerParameterSource)?
  /// Validates parameters and responses in addition to the subclass. Weak; without a validator everything
  /// is accepted.
  public weak var validator: (any APIManagerValidator)?
  /// The object that the manager works for, by which ``FlightRegistry`` finds its flights. Weak; the
  /// default is the delegate.
  public weak var owner: AnyObject?
  /// Tags of the flights that take off from now on, for ``FlightRegistry``. None by default.
  public var tags: Set<String> = []
  /// Whether progress is delivered to the delegate. The default is false, because the reports cost a little
  /// per transfer. It must be set before takeoff.
  public var reportsProgress = false

  /// The state that loads of different managers share: joined requests, batches, and the queue, circuit breaker and
  /// retry budget of each host. The default is ``SharedState/shared``. Applies to the flights that take off
  /// from now on.
  public var sharedState = SharedState.shared

  /// The response of the last successful load, or the last preview; nil before the first. Observable.
  public internal(set) var lastResponse: APIResponse? {
    get {
      track(\.lastResponse)
      return landed.response
    }
    set { change(\.lastResponse) { landed.response = newValue } }
  }
  /// The error of the last load that failed; nil after a success. Observable.
  public internal(set) var lastError: APIError? {
    get {
      track(\.lastError)
      return landed.error
    }
    set {
      guard landed.error != nil || newValue != nil else { return }
      change(\.lastError) { landed.error = newValue }
    }
  }
  private var landed: (response: APIResponse?, error: APIError?)

  /// The clock of takeoff policies, waits and limits; a test sets `ManualTime` of APIKitTesting. The default is the system's.
  public var time: any TimeSource = SystemTime()
  var control = TakeoffControl()
  var interceptors = InterceptorList()
  let flightStore = FlightStore()
  private var observers: [AsyncStream<FlightStateChange>.Continuation] = []
  private var listeners: [AsyncStream<Result<APIResponse, APIError>>.Continuation] = []
  var registrar: AnyObject?
  /// Whether this object has loaded before; its first load checks its statements.
  var hasLoaded = false
  /// What keeps its loads until they can be sent; nil where they are sent at once.
  var queue: (any LoadQueue)?

  /// This object as what its subclass adopts: the same object, so that the unowned reference is always valid.
  package var child: any APIManager { adopted.unsafelyUnwrapped }
  private unowned(unsafe) var adopted: (any APIManager)?

  /// Makes a manager. Traps when the subclass does not adopt ``APIManager``.
  public init() {
    guard let child = self as? any APIManager else {
      fatalError("\(type(of: self)) must adopt APIManager: it states the API's name, service and policies")
    }
    adopted = child
    flightStore.manager = self
    if let own = self as? any APIManagerInterceptor { interceptors.add(own) }
  }

  deinit {
    flightStore.close()
    for observer in observers { observer.finish() }
    for listener in listeners { listener.finish() }
  }

  // MARK: Flights

  /// Whether a load is running or waits to take off. Observable.
  public var isLoading: Bool {
    track(\.isLoading)
    return !flightStore.isEmpty
  }

  /// The running and waiting loads, earliest first.
  public var flights: [FlightID] { flightStore.flights.map(\.id).sorted() }

  /// The state of a flight; nil when it is over or belongs to another manager.
  public func state(of flight: FlightID) -> FlightState? { flightStore[flight]?.state }

  /// The events of a flight so far, with the reason of every decision; nil when the ``FlightLog`` no longer
  /// holds it.
  public func record(of flight: FlightID) -> FlightRecord? {
    flightStore[flight]?.call.recorder.record ?? FlightLog.shared.record(of: flight)
  }

  /// The present state of each flight, and all state changes from then on. Each call returns a new stream, which ends
  /// when the manager is released; a stream that is not read keeps the last 256 changes, and one more for each flight
  /// that was there at the call.
  public func stateChanges() -> AsyncStream<FlightStateChange> {
    let flights = flightStore.flights.sorted { $0.id < $1.id }
    let (stream, continuation) = AsyncStream.makeStream(
      of: FlightStateChange.self, bufferingPolicy: .bufferingNewest(256 + flights.count))
    for flight in flights {
      continuation.yield(FlightStateChange(flight: flight.id, from: nil, to: flight.state))
    }
    observers.append(continuation)
    return stream
  }

  /// The ends of all loads from now on: responses, failures and cancellations, in the order in which the
  /// delegate is told. Refusals are not among them. Each call returns a new stream, which ends when the
  /// manager is released; a stream that is not read keeps the last 64.
  public func landings() -> AsyncStream<Result<APIResponse, APIError>> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Result<APIResponse, APIError>.self, bufferingPolicy: .bufferingNewest(64))
    listeners.append(continuation)
    return stream
  }

  /// Cancels every running or waiting load; each lands as cancelled before this returns.
  public func cancel() {
    // Waiting flights first: otherwise one would take off as soon as a flight ends.
    for id in flights.reversed() { end(id, because: .byCaller) }
  }

  /// Cancels one load; it lands as cancelled before this returns.
  ///
  /// - Returns: Whether it was running or waiting.
  @discardableResult public func cancel(_ flight: FlightID) -> Bool { end(flight, because: .byCaller) }

  // MARK: Interceptors

  /// Adds an interceptor at the end. Held weakly.
  public func addInterceptor(_ interceptor: any APIManagerInterceptor) { interceptors.add(interceptor) }

  /// Removes an interceptor.
  public func removeInterceptor(_ interceptor: any APIManagerInterceptor) {
    interceptors.remove(interceptor)
  }

  // MARK: Data

  /// The raw data of the last successful load; ``RawData/missing`` before the first.
  public var rawData: RawData { lastResponse?.raw ?? .missing }

  /// The data of the last successful load, mapped by a reformer into values for a view.
  ///
  /// For the data of one particular load, use ``APIResponse/data(with:)`` of its response. Runs on the main
  /// actor; for long lists use ``fetchDataInBackground(with:)``. Throws the reformer's error as an
  /// ``APIError`` placed in `reform`, and ``APIError/Reason/reformFailed`` before the first success.
  public func fetchData<Output>(with reformer: some Reformer<Output>) throws(APIError) -> Output {
    try lastLanding().data(with: reformer)
  }

  /// The data of the last successful load, reformed off the main actor.
  ///
  /// Cancelling the task cancels a reformer that checks for cancellation. The result belongs to the
  /// response that was the last when this was called, even if another load lands meanwhile.
  public func fetchDataInBackground<Output>(
    with reformer: some Reformer<Output>
  ) async throws(APIError) -> Output {
    try await lastLanding().dataInBackground(with: reformer)
  }

  private func lastLanding() throws(APIError) -> APIResponse {
    // A delegate's reads in its callback are not tracked, unless something of this manager is tracked already.
    if registrar != nil || !MainDelivery.main.isInDelivery { track(\.lastResponse) }
    if let response = landed.response { return response }
    throw APIError(
      .reform, .reformFailed, "there is no data to reform: no load has succeeded yet",
      underlying: ValidationError("Nothing has been loaded yet."))
  }
}

// MARK: - Bookkeeping

extension BaseAPIManager {
  func open(_ flight: Flight, isWaiting: Bool = false) {
    let isFirst = flightStore.isEmpty
    flightStore.add(flight, isWaiting: isWaiting)
    tell(FlightStateChange(flight: flight.id, from: nil, to: flight.state))
    // Behind the bookkeeping: an observer may cancel the flight, or start another one.
    if isFirst { change(\.isLoading) {} }
  }

  /// Opens a flight that its takeoff policy or a queue holds back.
  func openWaiting(_ flight: Flight) {
    open(flight, isWaiting: true)
    flight.note(.waiting(policy: flight.policy))
    flight.tell(waitsFor: .takeoff(policy: flight.policy))
  }

  func enter(_ state: FlightState, _ flight: Flight) { tell(flight.move(to: state)) }

  /// Tells the streams of landings, and the `async` form that waits.
  func tell(_ landing: @autoclosure () -> Result<APIResponse, APIError>, of flight: Flight?) {
    if !listeners.isEmpty {
      let landing = landing()
      listeners.removeAll { if case .terminated = $0.yield(landing) { true } else { false } }
    }
    flight?.finish(landing())
  }

  private func tell(_ change: FlightStateChange) {
    FlightEvents.shared.tell(FlightNotice(change.flight, entering: change.to))
    guard !observers.isEmpty else { return }
    observers.removeAll { if case .terminated = $0.yield(change) { true } else { false } }
  }

  /// Removes a flight, after which nothing of it is delivered, and lets the next queued one take off.
  func retire(_ flight: Flight) {
    flightStore.remove(flight)
    if let next = control.retire(flight.id), let flight = flightStore[next] {
      flightStore.takeOff(flight)
      launch(flight)
    }
    if registrar != nil, flightStore.isEmpty { change(\.isLoading) {} }
  }

  /// Cancels a flight. False when it is over already.
  @discardableResult
  func end(_ id: FlightID, because reason: CancellationReason) -> Bool {
    guard let flight = flightStore[id] else { return false }
    queue?.giveUp(id)
    flight.cancel()
    retire(flight)
    deliver(cancelled: APIError(cancelled: reason), of: id, flight)
    return true
  }
}
