/// The result of a call of `load`.
public enum Takeoff: Sendable {
  /// The load has taken off.
  case flying(FlightID)
  /// The load waits because of the takeoff policy, and takes off without a further call.
  case waiting(FlightID)
  /// The load was not started; the error says why.
  ///
  /// A refusal by the takeoff policy or an interceptor is only returned here. Every other refusal is also
  /// delivered to the delegate, on the next turn of the main actor.
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
