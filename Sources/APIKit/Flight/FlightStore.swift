/// The manager's side of its flights.
@MainActor protocol FlightOwner: AnyObject {
  /// On whose behalf it works, for ``FlightRegistry``.
  var beneficiary: AnyObject? { get }
  /// The last word on a response: throws when it is refused.
  func judge(_ response: APIResponse, of flight: Flight) throws(APIError)
  /// The last word on what is stored of a response; nil when it is not stored.
  func offer(_ response: StorableResponse) -> StorableResponse?
  /// Shows a stored response of a user while the flight continues.
  func preview(_ response: APIResponse, of flight: Flight, for user: LoadUser)
  /// Takes the end of a flight: retires it, then tells.
  func land(_ flight: Flight, _ result: Result<APIResponse, APIError>)
  /// A flight begins to wait for something outside, or continues.
  func suspend(_ flight: Flight, _ isSuspended: Bool)
  /// A transfer has moved on.
  func report(_ progress: TransferProgress, of flight: Flight)
  /// Cancels a flight by its caller's wish.
  func cancel(_ flight: FlightID) -> Bool
}

/// The flights of one manager, from takeoff to landing.
///
/// A flight is taken out of the store when it lands: what still comes of it then is dropped. May be used from any
/// thread, for the last reference to a manager may be released on any.
final class FlightStore: Sendable {
  /// The books of all managers that are there, or have flights that outlive them.
  static let all = Mutex<[ObjectIdentifier: FlightStore]>([:])

  private struct FlightBookState {
    var flights: [FlightID: Flight] = [:]
    /// Flights that bring a stored response up to date, behind a landing.
    var refreshes: [ObjectIdentifier: Flight] = [:]
    /// Flights that their takeoff policy holds back.
    var waiting: Set<FlightID> = []
    var isClosed = false
    /// The turn of the main actor in which its manager loaded for the first time.
    var firstTurn: Int?
  }

  @MainActor weak var manager: (any FlightOwner)?
  private let state = Mutex(FlightBookState())

  /// Makes a store and has it known.
  init() { Self.all.withLock { $0[ObjectIdentifier(self)] = self } }

  var isEmpty: Bool { state.withLock { $0.flights.isEmpty } }
  var flights: [Flight] { state.withLock { Array($0.flights.values) } }

  /// Notes a flight; one that its takeoff policy holds back, until ``takeOff(_:)``.
  func add(_ flight: Flight, isWaiting: Bool) {
    state.withLock { state in
      state.flights[flight.id] = flight
      if isWaiting { state.waiting.insert(flight.id) }
    }
  }

  /// The manager loads for the first time.
  @MainActor func beginFirstTurn() {
    let turn = MainTurn.current()
    state.withLock { $0.firstTurn = turn }
  }

  /// A flight that was held back takes off.
  func takeOff(_ flight: Flight) {
    flight.beginDeadline()
    _ = state.withLock { $0.waiting.remove(flight.id) }
  }

  subscript(flight: FlightID) -> Flight? { state.withLock { $0.flights[flight] } }

  /// Takes a flight out. False when it is out already.
  @discardableResult func remove(_ flight: Flight) -> Bool {
    let (wasThere, isDone) = state.withLock { state -> (Bool, Bool) in
      let wasThere = state.flights.removeValue(forKey: flight.id) != nil
      if !state.waiting.isEmpty { state.waiting.remove(flight.id) }
      return (wasThere, state.isClosed && state.flights.isEmpty)
    }
    flight.cancellation.clear()
    if isDone { forget() }
    return wasThere
  }

  func addRefresh(_ flight: Flight) {
    let isClosed = state.withLock { state in
      if !state.isClosed { state.refreshes[ObjectIdentifier(flight)] = flight }
      return state.isClosed
    }
    if isClosed { flight.cancel() }
  }

  func removeRefresh(_ flight: Flight) {
    _ = state.withLock { $0.refreshes.removeValue(forKey: ObjectIdentifier(flight)) }
  }

  /// The manager is gone: its flights are cancelled, except those in the air that were stated to outlive it. Those
  /// that wait for their takeoff, or for their caller to resume them, would wait for ever.
  func close() {
    let (ended, firstTurn) = state.withLock { state in
      state.isClosed = true
      let ended = state.flights.values.filter {
        !$0.call.terms.outlivesRelease || state.waiting.contains($0.id) || $0.cancellation.isHeld
      }
      state.waiting = []
      for flight in ended { state.flights[flight.id] = nil }
      let refreshes = state.refreshes.values
      state.refreshes = [:]
      return (ended + refreshes, state.firstTurn)
    }
    let isSameTurn = firstTurn == MainTurn.last
    for flight in ended {
      flight.cancel()
      if case .landing = flight.purpose {
        if isSameTurn {
          DeveloperNotice.hint(
            "a \(flight.call.managerType) was released while it loaded, so its delegate hears nothing: keep it in a property "
              + "until its loads have landed")
          flight.note(
            .note(
              "lifetime",
              "the manager was released in the very turn of the main actor in which it loaded: keep a reference to it "
                + "until its loads have landed, e.g. in a property of its delegate"))
        }
        flight.call.recorder.land(.cancelled(CancellationReason.managerReleased.description))
      }
    }
    if isEmpty { forget() }
  }

  private func forget() { _ = Self.all.withLock { $0.removeValue(forKey: ObjectIdentifier(self)) } }
}
