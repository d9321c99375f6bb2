import Synchronization

/// All flights of the process, from takeoff to landing: ask who is in the air, and cancel.
///
/// Asked by owner, manager type, service or tag. A flight is listed while it waits or flies.
public final class FlightRegistry: Sendable {
  /// The registry of the process.
  public static let shared = FlightRegistry()

  private let tickets = Mutex<[FlightID: FlightTicket]>([:])

  init() {}

  /// Which flights a question is about.
  @MainActor public struct Query {
    let matches: @MainActor (FlightTicket) -> Bool

    /// Every flight.
    public static var all: Query { Query { _ in true } }
    /// Those whose manager has this owner: ``BaseAPIManager/owner``, or the delegate where none is set.
    public static func owner(_ owner: AnyObject) -> Query { Query { $0.owner === owner } }
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
    let tickets = matching(query)
    for ticket in tickets {
      if let manager = ticket.manager {
        manager.cancel(ticket.id)
      } else {
        OrphanedFlights.shared.cancel(ticket.id)
      }
    }
    return tickets.count
  }

  @MainActor private func matching(_ query: Query) -> [FlightTicket] {
    tickets.withLock { Array($0.values) }.filter(query.matches).sorted { $0.id < $1.id }
  }

  func add(_ ticket: FlightTicket) { tickets.withLock { $0[ticket.id] = ticket } }

  func forget(_ flight: FlightID) { _ = tickets.withLock { $0.removeValue(forKey: flight) } }
}

/// The tasks of flights that were declared to outlive their manager.
final class OrphanedFlights: Sendable {
  static let shared = OrphanedFlights()
  private let tasks = Mutex<[FlightID: Task<Void, Never>]>([:])

  func add(_ task: Task<Void, Never>, for flight: FlightID) { tasks.withLock { $0[flight] = task } }
  func remove(_ flight: FlightID) { _ = tasks.withLock { $0.removeValue(forKey: flight) } }
  func cancel(_ flight: FlightID) { tasks.withLock { $0.removeValue(forKey: flight) }?.cancel() }
}
