public import Foundation

/// One event for a part of the application that does not know the manager: an activity indicator, a log.
public struct FlightNotice: Sendable, Hashable {
  /// What has happened.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// A flight has taken off, or goes on after a suspension.
    case resumed
    /// A flight waits for something outside, or was suspended by its caller.
    case suspended
    /// A flight has landed: it succeeded, failed or was cancelled.
    case completed
    /// A transport was stopped, or released: it takes nothing more.
    case sessionInvalidated
  }

  /// What has happened.
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
/// notifications.
///
/// Without a listener, a flight pays for them with one comparison. May be used from any thread.
public final class FlightNotices: Sendable {
  /// Those of the process.
  public static let shared = FlightNotices()

  private struct NoticesState {
    var streams: [UInt64: AsyncStream<FlightNotice>.Continuation] = [:]
    var next: UInt64 = 0
    var posts = false
  }

  private let state = Mutex(NoticesState())
  private let isHeard = AtomicFlag()

  init() {}

  /// Whether each notice is posted to `NotificationCenter.default`, too: on the main actor for flights whose manager is
  /// there, on any thread for others and for transports. The default is false, because posting costs every flight more than a comparison.
  ///
  /// The names are those of ``FlightNotice/Kind``: `Notification.Name.flightDidResume`, `flightDidSuspend`,
  /// `flightDidComplete`, `transportDidInvalidate`. The notice is in `userInfo["notice"]`.
  public var postsNotifications: Bool {
    get { state.withLock { $0.posts } }
    set {
      state.withLock { state in
        state.posts = newValue
        isHeard.store(newValue || !state.streams.isEmpty)
      }
    }
  }

  /// The notices from now on. Each call returns a new stream; one that is not read keeps the last 64.
  public func notices() -> AsyncStream<FlightNotice> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: FlightNotice.self, bufferingPolicy: .bufferingNewest(64))
    let id = state.withLock { state in
      state.next += 1
      state.streams[state.next] = continuation
      isHeard.store(true)
      return state.next
    }
    continuation.onTermination = { [weak self] _ in self?.drop(id) }
    return stream
  }

  private func drop(_ id: UInt64) {
    state.withLock { state in
      state.streams[id] = nil
      isHeard.store(state.posts || !state.streams.isEmpty)
    }
  }

  /// Tells who listens.
  @inline(__always) func give(_ notice: @autoclosure () -> FlightNotice?) {
    if isHeard.load(), let notice = notice() { tell(notice) }
  }

  private func tell(_ notice: FlightNotice) {
    let (streams, posts) = state.withLock { (Array($0.streams.values), $0.posts) }
    for stream in streams { stream.yield(notice) }
    guard posts else { return }
    NotificationCenter.default.post(
      name: Notification.Name(notice.kind), object: nil, userInfo: ["notice": notice])
  }
}

extension Notification.Name {
  /// A flight has taken off, or goes on after a suspension: see ``FlightNotices/postsNotifications``.
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
