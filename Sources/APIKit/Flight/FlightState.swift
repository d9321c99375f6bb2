/// Where one flight is in its life.
public enum FlightState: String, Sendable, Hashable, CaseIterable {
  /// Held back by its takeoff policy: queued, or waiting out a debounce.
  case waiting
  /// In the air.
  case flying
  /// In the air, and waiting for something outside: a network, a sign-in, the service's hook.
  case suspended
  /// Landed with an answer.
  case succeeded
  /// Landed with an error.
  case failed
  /// Cancelled before it landed.
  case cancelled

  /// Whether the life is over.
  public var isFinal: Bool { self == .succeeded || self == .failed || self == .cancelled }

  /// Whether the move is legal: from waiting to flying or cancelled; between flying and suspended; from
  /// both to any end.
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

/// One move in the life of a flight.
public struct FlightStateChange: Sendable, Hashable {
  /// The flight.
  public let flight: FlightID
  /// The state left; nil at the beginning.
  public let from: FlightState?
  /// The state entered.
  public let to: FlightState
}

/// Why a flight ended without success or failure.
public struct CancellationReason: Sendable, Hashable, CustomStringConvertible {
  /// The stable name.
  public let description: String

  /// `cancel` was called on the manager or the registry.
  public static let byCaller = Self(description: "by-caller")
  /// A later load took its place by the takeoff policy.
  public static let superseded = Self(description: "superseded")
  /// The task that awaited it was cancelled.
  public static let taskCancelled = Self(description: "task-cancelled")
  /// The transport was stopped while it was in the air.
  public static let transportStopped = Self(description: "transport-stopped")
  /// An interceptor vetoed its landing.
  public static let vetoed = Self(description: "vetoed")
  /// The sign-in it waited for was given up.
  public static let signInCancelled = Self(description: "sign-in-cancelled")
  /// The service's common-error hook has dealt with the failure.
  public static let handledByService = Self(description: "handled-by-service")
}
