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
  private let begin: Duration
  private let wallClock: Double

  struct RecorderState {
    var service = ""
    var apiName = ""
    var method: HTTPMethod = .get
    var parameters = Parameters()
    var entries: [FlightRecord.Entry] = []
  }
  private let state = Mutex(RecorderState())

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
    }
  }

  /// Appends an event with the present time. Its texts must not contain secrets.
  public func record(_ event: FlightEvent) {
    let entry = FlightRecord.Entry(at: time.now - begin, event: event)
    state.withLock { state in
      if state.entries.isEmpty { state.entries.reserveCapacity(8) }
      state.entries.append(entry)
    }
  }

  /// Records the takeoff, and tells the observers of takeoffs, if there are any.
  func takeOff(policy: String) {
    record(.tookOff(policy: policy))
    if LandingObservers.followsFlights { LandingObservers.tellTakeoff(self) }
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
    guard LandingObservers.isWanted else { return }
    let (status, decodedBytes) = (status(), decodedBytes())
    // Read in place: a copy would take longer than the rest.
    let load = state.withLock { state in
      LandedLoad(
        flight, state, begin: begin, wallClock: wallClock, landing: landing, status: status,
        decoded: decodedBytes)
    }
    LandingObservers.tell(load, self)
  }

  /// The API, as statistics tell it from others.
  var api: LandedLoad.API {
    state.withLock { LandedLoad.API(service: $0.service, method: $0.method, name: $0.apiName) }
  }

  /// Service and API.
  var subject: (service: String, apiName: String) { state.withLock { ($0.service, $0.apiName) } }

  /// The record so far.
  public var record: FlightRecord {
    let state = state.withLock { $0 }
    return FlightRecord(
      flight: flight, manager: TypeName.of(manager), service: state.service, method: state.method,
      apiName: state.apiName, parameters: state.parameters.masked, secondsSince1970: wallClock,
      entries: state.entries)
  }
}
