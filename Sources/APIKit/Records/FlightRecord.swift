/// Everything that happened to one flight, in order, with reasons and times; its ``description`` prints it.
///
/// A value, taken from a running or a landed flight: from a response (``APIResponse/record``), an error
/// (``APIError/record``), the manager, or the ``FlightLog``. Secrets among the parameters are masked.
///
///     flight 12: GET list (Homes), HomeListManager
///       parameters: city=Suzhou, token=•••
///       +0 µs     took off (concurrent)
///       +90 µs    attempt 1 to homes.test
///       +31.2 ms  failed (response.unacceptable-status): status 503
///       +31.2 ms  retry in 120 ms: status 503: the server is not available for a while
public struct FlightRecord: Sendable {
  /// One line of the record.
  public struct Entry: Sendable {
    /// The time since the call of `load`.
    public let at: Duration
    /// The event.
    public let event: FlightEvent
  }

  /// The flight's id.
  public let flight: FlightID
  /// The manager's type; method and path, such as `GET homes/{id}`, for a call without a class.
  public let manager: String
  /// The service's name.
  public let service: String
  /// The HTTP method.
  public let method: HTTPMethod
  /// The API's name as the manager states it.
  public let apiName: String
  /// The load's parameters; the values of names that look secret are masked.
  public let parameters: Parameters
  /// When `load` was called, in seconds since 1970.
  public let secondsSince1970: Double
  /// The entries in order.
  public let entries: [Entry]

  /// The events without their times.
  public var events: [FlightEvent] { entries.map(\.event) }

  /// The number of attempts so far.
  public var attempts: Int {
    events.reduce(0) { count, event in if case .attempt = event { count + 1 } else { count } }
  }

  /// The trace of the load, with the span of the load as `parentID`; nil if its requests send none.
  public var trace: TraceContext? {
    for entry in entries { if case .traced(let context, _) = entry.event { return context } }
    return nil
  }

  /// How the flight ended; nil until it has landed.
  public var landing: FlightLanding? {
    for entry in entries.reversed() { if case .landed(let landing) = entry.event { return landing } }
    return nil
  }

  /// The time from the call of `load` to the landing, or to the last entry of a flight that has not landed.
  public var duration: Duration {
    let landing = entries.last { if case .landed = $0.event { true } else { false } }
    return (landing ?? entries.last)?.at ?? .zero
  }
}

extension FlightRecord: CustomStringConvertible {
  /// The record over several lines, safe to log.
  public var description: String {
    let call = "\(method) \(apiName)"
    var lines = ["flight \(flight): \(call) (\(service))" + (manager == call ? "" : ", \(manager)")]
    if !parameters.isEmpty {
      lines.append("  parameters: \(parameters)".onOneLine)
    }
    lines += entries.map { entry in
      let time = "+" + entry.at.shortText
      return "  " + time + String(repeating: " ", count: max(1, 10 - time.count)) + entry.event.description
    }
    return lines.joined(separator: "\n")
  }
}

extension APIResponse {
  /// The record of the load that this response belongs to; nil when ``FlightLog/shared`` no longer keeps
  /// it.
  public var record: FlightRecord? { flightID.flatMap { FlightLog.shared.record(of: $0) } }
}

extension APIError {
  /// The record of the load that failed with this error; nil when ``FlightLog/shared`` no longer keeps it.
  public var record: FlightRecord? {
    context.flightID.flatMap { FlightLog.shared.record(of: FlightID(rawValue: $0)) }
  }
}
