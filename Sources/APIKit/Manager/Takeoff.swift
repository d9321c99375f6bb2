/// What became of a call of `load`.
public enum Takeoff: Sendable {
  /// In the air.
  case flying(FlightID)
  /// Held back by the takeoff policy: it takes off by itself.
  case waiting(FlightID)
  /// Not started; the error says why. A refusal by the takeoff policy or an interceptor is told here only;
  /// every other is also told to the delegate, on the next turn of the main actor.
  case refused(APIError)

  /// The flight's id, unless the load was refused.
  public var flightID: FlightID? {
    switch self {
    case .flying(let id), .waiting(let id): id
    case .refused: nil
    }
  }

  /// Why the load was refused; nil when it was not.
  public var refusal: APIError? { if case .refused(let error) = self { error } else { nil } }
}
