/// The state of one flight.
public enum FlightState: String, Sendable, Hashable, CaseIterable {
  /// The load waits because of its takeoff policy: `queue` or `debounce`.
  case waiting
  /// The load has begun.
  case flying
  /// The load has begun, and waits for something outside: a network, a sign-in, the service's hook, or its
  /// caller (``BaseAPIManager/suspend(_:)``).
  case suspended
  /// Landed with a response.
  case succeeded
  /// Landed with an error.
  case failed
  /// Cancelled before it landed.
  case cancelled

  /// Whether the load has ended.
  public var isFinal: Bool { self == .succeeded || self == .failed || self == .cancelled }

  /// Whether the change is possible: from waiting to flying or cancelled; between flying and suspended;
  /// from both to any end.
  public func canMove(to next: FlightState) -> Bool {
    switch (self, next) {
    case (.waiting, .flying), (.waiting, .cancelled): true
    case (.flying, .suspended), (.suspended, .flying): true
    case (.flying, .succeeded), (.flying, .failed), (.flying, .cancelled): true
    case (.suspended, .succeeded), (.suspended, .failed), (.suspended, .cancelled): true
    default: false
    }
  }
}

/// One change of the state of a flight.
public struct FlightStateChange: Sendable, Hashable {
  /// The flight.
  public let flight: FlightID
  /// The state left; nil at the beginning.
  public let from: FlightState?
  /// The state entered.
  public let to: FlightState
}

extension FlightNotice {
  /// The notice of a flight that enters a state; nil for one that is held back, or lands: its recorder tells of that.
  init?(_ flight: FlightID, entering state: FlightState) {
    switch state {
    case .waiting, .succeeded, .failed, .cancelled: return nil
    case .flying: self.init(.resumed, flight: flight)
    case .suspended: self.init(.suspended, flight: flight)
    }
  }
}
