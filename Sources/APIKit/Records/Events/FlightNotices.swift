public import Foundation

/// One event for a part of the application that does not know the manager: an activity indicator, a log.
public struct FlightNotice: Sendable, Hashable {
  /// The kind of the event.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// A flight has taken off, or continues after a suspension.
    case resumed
    /// A flight waits for something outside, or was suspended by its caller.
    case suspended
    /// A flight has landed: it succeeded, failed or was cancelled.
    case completed
    /// A transport was stopped, or released: it takes nothing more.
    case sessionInvalidated
  }

  /// The kind of the event.
  public let kind: Kind
  /// The flight; nil for ``Kind/sessionInvalidated``.
  public let flight: FlightID?
  /// The transport that was stopped; nil for the others. Only to be compared.
  public let transport: ObjectIdentifier?

  init(_ kind: Kind, flight: FlightID? = nil, transport: ObjectIdentifier? = nil) {
    self.kind = kind
    self.flight = flight
    self.transport = transport
  }
}

/// The notices of all flights and transports of the process, as streams and, where that is switched on, as
/// notifications: a view of ``FlightEvents``.
///
/// May be used from any thread.
public final class FlightNotices: Sendable {
  /// Those of the process.
  public static let shared = FlightNotices()

  private let poster = NoticeObserver { notice in
    NotificationCenter.default.post(
      name: Notification.Name(notice.kind), object: nil, userInfo: ["notice": notice])
  }

  init() {
    TransportEnd.observer.withLock { observer in
      observer = { FlightEvents.shared.tell(FlightNotice(.sessionInvalidated, transport: $0)) }
    }
  }

  /// Whether each notice is posted to `NotificationCenter.default`, too: on the main actor for flights whose manager is there,
  /// on any thread for others and for transports. The default is false, because posting costs every flight more than a
  /// comparison.
  ///
  /// The names are those of ``FlightNotice/Kind``: `Notification.Name.flightDidResume`, `flightDidSuspend`,
  /// `flightDidComplete`, `transportDidInvalidate`. The notice is in `userInfo["notice"]`.
  public var postsNotifications: Bool {
    get { FlightEvents.shared.contains(poster) }
    set { FlightEvents.shared.set(poster, isOn: newValue) }
  }

  /// The notices from now on. Each call returns a new stream; one that is not read keeps the last 64.
  public func notices() -> AsyncStream<FlightNotice> {
    AsyncStream(bufferingPolicy: .bufferingNewest(64)) { stream in
      let observer = NoticeObserver { stream.yield($0) }
      FlightEvents.shared.set(observer, isOn: true)
      stream.onTermination = { _ in FlightEvents.shared.set(observer, isOn: false) }
    }
  }
}

/// Passes notices on, where they are given.
private final class NoticeObserver: FlightObserver {
  let wants: FlightEvents.Interest = .notices
  private let pass: @Sendable (FlightNotice) -> Void

  init(_ pass: @escaping @Sendable (FlightNotice) -> Void) { self.pass = pass }

  func noticed(_ notice: FlightNotice) { pass(notice) }
}

extension FlightEvents {
  /// Gives a notice to those who want them.
  @inline(__always) func tell(_ notice: @autoclosure () -> FlightNotice?) {
    if wants(.notices), let notice = notice() { tell(.notices) { $0.noticed(notice) } }
  }
}

extension Notification.Name {
  /// A flight has taken off, or continues after a suspension: see ``FlightNotices/postsNotifications``.
  public static let flightDidResume = Notification.Name("APIKit.flightDidResume")
  /// A flight waits for something outside, or was suspended by its caller.
  public static let flightDidSuspend = Notification.Name("APIKit.flightDidSuspend")
  /// A flight has landed.
  public static let flightDidComplete = Notification.Name("APIKit.flightDidComplete")
  /// A transport takes nothing more.
  public static let transportDidInvalidate = Notification.Name("APIKit.transportDidInvalidate")

  fileprivate init(_ kind: FlightNotice.Kind) {
    switch kind {
    case .resumed: self = .flightDidResume
    case .suspended: self = .flightDidSuspend
    case .completed: self = .flightDidComplete
    case .sessionInvalidated: self = .transportDidInvalidate
    }
  }
}
