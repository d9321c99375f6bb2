/// All flights of the process from takeoff to landing, to list or cancel them.
///
/// Flights are selected by owner, manager type, service, tag or state. A flight is listed while it waits or is in
/// the air.
public final class FlightRegistry: Sendable {
  /// The registry of the process.
  public static let shared = FlightRegistry()

  init() {}

  /// A selection of flights.
  @MainActor public struct Query {
    let matches: @MainActor (Flight) -> Bool

    /// Every flight.
    public static var all: Query { Query { _ in true } }
    /// Flights whose manager has this owner: ``BaseAPIManager/owner``, or the delegate if no owner is set.
    public static func owner(_ owner: AnyObject) -> Query {
      Query { $0.flightStore?.manager?.beneficiary === owner }
    }
    /// Flights of one manager type.
    public static func manager<Manager: BaseAPIManager>(_ type: Manager.Type) -> Query {
      Query { $0.call.managerType == type }
    }
    /// Flights of one service, by its name.
    public static func service(_ name: String) -> Query { Query { $0.call.service.name == name } }
    /// Flights that took off with this tag in ``BaseAPIManager/tags``.
    public static func tag(_ tag: String) -> Query { Query { $0.tags.contains(tag) } }
    /// Flights in this state: ``FlightState/waiting``, ``FlightState/flying`` or ``FlightState/suspended``. Those that
    /// have landed are not listed.
    public static func state(_ state: FlightState) -> Query { Query { $0.state == state } }
  }

  /// One running or waiting load.
  public struct Entry: Sendable {
    /// Its id.
    public let id: FlightID
    /// The statements of its manager at takeoff.
    public let call: APICall
    /// Its state.
    public let state: FlightState
  }

  /// The selected flights, earliest first.
  @MainActor public func flights(_ query: Query = .all) -> [Entry] {
    matching(query).map { Entry(id: $0.id, call: $0.call, state: $0.state) }
  }

  /// Cancels the selected flights. Each is delivered as cancelled before this returns, if its manager still
  /// exists.
  ///
  /// - Returns: The number of flights that were selected.
  @MainActor @discardableResult public func cancel(_ query: Query) -> Int {
    let flights = matching(query)
    // The latest first: a load that waits behind another one would take off as soon as that one ends.
    for flight in flights.reversed() {
      if let manager = flight.flightStore?.manager { _ = manager.cancel(flight.id) } else { flight.cancel() }
    }
    return flights.count
  }

  @MainActor private func matching(_ query: Query) -> [Flight] {
    FlightStore.all.withLock { Array($0.values) }.flatMap(\.flights).filter(query.matches).sorted {
      $0.id < $1.id
    }
  }
}
