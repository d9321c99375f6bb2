/// Collects the events of one flight from its steps.
///
/// Made when `load` is called and carried by the call, so that every step and every hook of the service can
/// add entries. It can be read as a ``FlightRecord`` at any time. Recording takes some ten nanoseconds;
/// texts are made only for a reader. Safe on any thread.
public final class FlightRecorder: Sendable {
  /// The flight's id.
  public let flight: FlightID
  /// The clock of the flight.
  let time: any TimeSource
  /// The manager's type.
  let manager: any Any.Type
  /// When `load` was called, on its clock.
  let begin: Duration
  /// The same in seconds since 1970.
  let wallClock: Double

  struct RecorderState {
    var service = ""
    var apiName = ""
    var method: HTTPMethod = .get
    var parameters = Parameters()
    var entries: [FlightRecord.Entry] = []
    var attempt = 0
    /// Whether its events are told: from when its API is known until it has landed.
    var isTold = false
    /// What is to be told.
    var news = News()
    /// Who waits for the call of this load, once this load has landed without it; see ``FlightRecorder/passOn(to:)``.
    var heir: FlightRecorder?

    /// Who hears of the call; nil for this load itself.
    var successor: FlightRecorder? { isTold ? nil : heir }
  }
  let state = Mutex(RecorderState())

  init(flight: FlightID, manager: any Any.Type, time: any TimeSource) {
    self.flight = flight
    self.manager = manager
    self.time = time
    begin = time.now
    wallClock = time.wallClock
  }

  /// Sets the API of the flight, as soon as it is known.
  func describe(service: String, method: HTTPMethod, apiName: String, parameters: Parameters) {
    state.withLock { state in
      state.service = service
      state.method = method
      state.apiName = apiName
      state.parameters = parameters
      guard !state.isTold else { return }
      state.isTold = true
      // The options were recorded before the API was known.
      if !state.entries.isEmpty, FlightEvents.shared.wants(.events) { announce(from: 0, &state) }
    }
  }

  /// Appends an event with the present time. Its texts must not contain secrets.
  public func record(_ event: FlightEvent) {
    let elapsed = time.now - begin
    let successor = state.withLock { state -> FlightRecorder? in
      if let successor = state.successor { return successor }
      if state.entries.isEmpty { state.entries.reserveCapacity(8) }
      if FlightEvents.shared.wants(.events) { announce(from: state.entries.count, &state) }
      state.entries.append(FlightRecord.Entry(at: elapsed, event: event))
      if case .attempt(let number, _) = event { state.attempt = number }
      if case .landed = event { state.isTold = false }
      return nil
    }
    successor?.record(event)
  }

  /// The load leaves its wire call, for which others wait: once it has landed, what happens to the call is recorded and told as
  /// happening to one of them.
  func passOn(to heir: FlightRecorder) {
    let attempt = state.withLock { state in
      state.heir = heir
      return state.attempt
    }
    heir.state.withLock { $0.attempt = attempt }
    heir.record(.note("joined", "leads the call of flight \(flight) from here on"))
  }

  /// Records the takeoff, and tells the observers of takeoffs, if there are any.
  func takeOff(policy: String) {
    record(.tookOff(policy: policy))
    if FlightEvents.shared.wants(.takeoffs) { FlightEvents.shared.tell(.takeoffs) { $0.tookOff(self) } }
  }

  /// Whether the load has taken off.
  var hasTakenOff: Bool {
    state.withLock { state in
      state.entries.contains { if case .tookOff = $0.event { true } else { false } }
    }
  }

  /// Records the landing, and tells statistics and sinks where there are any.
  ///
  /// - Parameters:
  ///   - status: The status of the response that landed; where nil, that of the last one on the wire.
  ///   - decodedBytes: The size of its body.
  func land(
    _ landing: FlightLanding, status: @autoclosure () -> Int? = nil,
    decodedBytes: @autoclosure () -> Int64? = nil
  ) {
    record(.landed(landing))
    FlightEvents.shared.tell(FlightNotice(.completed, flight: flight))
    guard FlightEvents.shared.wants(.landings) else { return }
    let (status, decodedBytes) = (status(), decodedBytes())
    // Read in place: a copy would take longer than the rest.
    let load = state.withLock { state in
      LandedLoad(
        flight, state, begin: begin, wallClock: wallClock, landing: landing, status: status,
        decoded: decodedBytes)
    }
    FlightEvents.shared.tell(.landings) { $0.landed(load, self) }
  }

  /// The API, as statistics tell it from others.
  var api: LandedLoad.API {
    state.withLock { LandedLoad.API(service: $0.service, method: $0.method, name: $0.apiName) }
  }

  /// The record so far.
  public var record: FlightRecord {
    let state = state.withLock { $0 }
    return FlightRecord(
      flight: flight,
      manager: TypeName.of(manager: manager, method: state.method.rawValue, apiName: state.apiName),
      service: state.service, method: state.method, apiName: state.apiName,
      parameters: state.parameters.masked, secondsSince1970: wallClock,
      entries: state.entries)
  }
}
