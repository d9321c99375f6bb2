/// One event of a load, as ``FlightEvents`` tells it while the load is under way.
public struct LiveEvent: Sendable {
  let recorder: FlightRecorder
  /// The attempt under way, counted from 1; 0 before the first.
  public let attempt: Int
  /// When it happened, as the time since the call of `load`. Phases that a transport knows only at the end are sent late, with
  /// the time at which it happened.
  public let at: Duration
  /// The event.
  public let event: FlightEvent

  init(_ recorder: FlightRecorder, attempt: Int, _ entry: FlightRecord.Entry) {
    (self.recorder, self.attempt, at, event) = (recorder, attempt, entry.at, entry.event)
  }

  /// The load.
  public var flight: FlightID { recorder.flight }
  /// Service, method and name of the API.
  public var api: LandedLoad.API { recorder.api }
  /// When it happened, in seconds since 1970 by the wall clock of the call of `load`, for people.
  public var secondsSince1970: Double { recorder.wallClock + at / .seconds(1) }
  /// The record of the load as it is when this is read; it holds what happened, but not the phases and the waits.
  public var record: FlightRecord { recorder.record }

  /// The same load and time with another event.
  func replacing(_ event: FlightEvent) -> LiveEvent {
    LiveEvent(recorder, attempt: attempt, FlightRecord.Entry(at: at, event: event))
  }
}

extension LiveEvent: CustomStringConvertible {
  /// The event in one line, safe to log: `+12 ms flight 7, GET homes (Homes), attempt 1: first byte`.
  public var description: String {
    "+\(at.shortText) flight \(flight), \(api)\(attempt > 0 ? ", attempt \(attempt)" : ""): \(event)"
  }
}

/// Listens to the events of all loads.
///
/// Adopt it to log, measure or show loads while they are under way; ``FlightEvents/add(_:capacity:)`` begins. For a loop with
/// `await` use ``FlightEvents/events(capacity:)``. In a test, add the listener and load over a `StubTransport`.
public protocol FlightListener: AnyObject, Sendable {
  /// Takes one event.
  ///
  /// Called on a queue of the listener's own, one event at a time; the events of one load come in the order in which
  /// they happened, and none after ``FlightEvent/landed(_:)``. It may take as long as it needs: events wait meanwhile,
  /// and those for which there is no room are dropped and counted (``FlightEvent/dropped(_:)``). An error that it throws
  /// ends nothing.
  func receive(_ event: LiveEvent) throws
}
