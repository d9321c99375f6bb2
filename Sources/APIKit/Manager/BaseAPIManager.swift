/// The base of every manager: keeps the books of one endpoint's flights and lands their results.
///
/// Nothing here can be overridden: what a child decides is in ``APIManager``, which it must adopt as well;
/// `init` traps otherwise. Lives on the main actor and does no slow work: flights run elsewhere. Releasing
/// the last reference cancels the flights at once, and nothing lands.
@MainActor open class BaseAPIManager {
  /// Where results land. Weak.
  public weak var delegate: (any APIManagerDelegate)?
  /// Who gives the parameters of a `load()` without any. Weak; without one the load has none.
  public weak var parameterSource: (any APIManagerParameterSource)?
  /// Who judges parameters and answers from outside. Weak; without one everything is valid.
  public weak var validator: (any APIManagerValidator)?
  /// On whose behalf the manager works, for ``FlightRegistry``. Weak; the delegate where none is set.
  public weak var owner: AnyObject?
  /// Tags of the flights that take off from now on, for ``FlightRegistry``. None by default.
  public var tags: Set<String> = []
  /// Whether the delegate is told of progress. The default is false; it costs a little per transfer.
  public var reportsProgress = false

  /// What the flights share with others: joins, and each host's limits, breaker and budget for retries.
  /// The default is ``SharedState/shared``; applies to the flights that take off from now on.
  public var sharedState = SharedState.shared

  /// What the last successful load landed with; nil before the first.
  public internal(set) var lastResponse: APIResponse?
  /// What the last load failed with; nil after a success.
  public internal(set) var lastError: APIError?

  /// The clock of debounce and throttle; a test puts a manual one in.
  var time: any TimeSource = SystemTime()
  var control = TakeoffControl()
  var interceptors = InterceptorList()
  let book = FlightBook()
  private var observers: [AsyncStream<FlightStateChange>.Continuation] = []

  /// The child's side of this object: the object itself, so it is there as long as anything of it runs.
  private(set) unowned(unsafe) var child: (any APIManager)!

  /// Makes a manager. Traps when the subclass does not adopt ``APIManager``.
  public init() {
    guard let child = self as? any APIManager else {
      fatalError("\(type(of: self)) must adopt APIManager: it states the API's name, service and policies")
    }
    self.child = child
    book.manager = self
    if let own = self as? any APIManagerInterceptor { interceptors.add(own) }
  }

  deinit {
    book.close()
    for observer in observers { observer.finish() }
  }

  // MARK: Flights

  /// Whether a load is in the air or waits to take off.
  public var isLoading: Bool { !book.isEmpty }

  /// The loads in the air or waiting, earliest first.
  public var flights: [FlightID] { book.flights.map(\.id).sorted() }

  /// Where a flight is in its life; nil when it is over or not of this manager.
  public func state(of flight: FlightID) -> FlightState? { book[flight]?.state }

  /// What has happened to a flight so far, with every decision's reason; nil when the ``FlightLog`` has
  /// forgotten it.
  public func record(of flight: FlightID) -> FlightRecord? {
    book[flight]?.call.recorder.record ?? FlightLog.shared.record(of: flight)
  }

  /// Every move in the life of the flights, from now on. Each call gives a stream of its own, which ends
  /// with the manager.
  public func stateChanges() -> AsyncStream<FlightStateChange> {
    let (stream, continuation) = AsyncStream.makeStream(of: FlightStateChange.self)
    observers.append(continuation)
    return stream
  }

  /// Cancels every load in the air or waiting; each lands as cancelled before this returns.
  public func cancel() {
    // Those that wait first, or one would take the place of a flight that ends.
    for id in flights.reversed() { end(id, because: .byCaller) }
  }

  /// Cancels one load; it lands as cancelled before this returns.
  ///
  /// - Returns: Whether it was in the air or waiting.
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

  /// The data of the last successful load as a reformer shows it; for one certain landing, or after an
  /// awaited load, ask its response: ``APIResponse/data(with:)``.
  ///
  /// Runs on the main actor; for long lists see ``fetchDataInBackground(with:)``. Throws what the reformer
  /// throws, as an ``APIError`` placed in `reform`.
  public func fetchData<Output>(with reformer: some Reformer<Output>) throws(APIError) -> Output {
    try lastLanding().data(with: reformer)
  }

  /// The data of the last successful load as a reformer shows it, made off the main actor.
  ///
  /// Cancelling the task cancels a reformer that looks at it. The data is that of the moment of the call,
  /// whatever lands meanwhile.
  public func fetchDataInBackground<Output>(
    with reformer: some Reformer<Output>
  ) async throws(APIError) -> Output {
    try await lastLanding().dataInBackground(with: reformer)
  }

  private func lastLanding() throws(APIError) -> APIResponse {
    if let lastResponse { return lastResponse }
    throw APIError(.reform, .reformFailed, "there is no data to reform: no load has succeeded yet")
  }
}

// MARK: - Bookkeeping

extension BaseAPIManager {
  func open(_ flight: Flight) {
    book.add(flight)
    tell(FlightStateChange(flight: flight.id, from: nil, to: flight.state))
  }

  func enter(_ state: FlightState, _ flight: Flight) { tell(flight.move(to: state)) }

  private func tell(_ change: FlightStateChange) {
    for observer in observers { observer.yield(change) }
  }

  /// Takes a flight out of the books: from here on nothing of it can land. Lets the next one take off.
  func retire(_ flight: Flight) {
    book.remove(flight)
    if let next = control.retire(flight.id, policy: flight.policy), let flight = book[next] { launch(flight) }
  }

  /// Ends a flight that has not landed. False when it is over already.
  @discardableResult
  func end(_ id: FlightID, because reason: CancellationReason) -> Bool {
    guard let flight = book[id] else { return false }
    flight.cancel()
    retire(flight)
    land(flight, cancelled: APIError(cancelled: reason))
    return true
  }
}
