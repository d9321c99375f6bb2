import Synchronization

/// All flights of the process, from takeoff to landing: ask who is in the air, and cancel.
///
/// Asked by owner, manager type, service or tag. A flight is listed while it waits or flies.
public final class FlightRegistry: Sendable {
  /// The registry of the process.
  public static let shared = FlightRegistry()

  init() {}

  /// Which flights a question is about.
  @MainActor public struct Query {
    let matches: @MainActor (Flight) -> Bool

    /// Every flight.
    public static var all: Query { Query { _ in true } }
    /// Those whose manager has this owner: ``BaseAPIManager/owner``, or the delegate where none is set.
    public static func owner(_ owner: AnyObject) -> Query {
      Query { $0.book?.manager?.beneficiary === owner }
    }
    /// Those of one manager type.
    public static func manager<Manager: BaseAPIManager>(_ type: Manager.Type) -> Query {
      Query { $0.call.managerType == type }
    }
    /// Those of one service, by its name.
    public static func service(_ name: String) -> Query { Query { $0.call.service.name == name } }
    /// Those whose manager carries this tag.
    public static func tag(_ tag: String) -> Query { Query { $0.tags.contains(tag) } }
  }

  /// One flight in the air.
  public struct Entry: Sendable {
    /// Its id.
    public let id: FlightID
    /// What its manager stated.
    public let call: APICall
    /// Whether it waits or flies.
    public let state: FlightState
  }

  /// The flights that fit, earliest first.
  @MainActor public func flights(_ query: Query = .all) -> [Entry] {
    matching(query).map { Entry(id: $0.id, call: $0.call, state: $0.state) }
  }

  /// Cancels the flights that fit; each lands on its delegate as cancelled.
  ///
  /// - Returns: How many there were.
  @MainActor @discardableResult public func cancel(_ query: Query) -> Int {
    let flights = matching(query)
    for flight in flights {
      if let manager = flight.book?.manager { _ = manager.cancel(flight.id) } else { flight.cancel() }
    }
    return flights.count
  }

  @MainActor private func matching(_ query: Query) -> [Flight] {
    FlightBook.all.withLock { Array($0.values) }.flatMap(\.flights).filter(query.matches).sorted {
      $0.id < $1.id
    }
  }
}
