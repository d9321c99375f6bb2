public import Foundation

/// How a date in the parameters is written.
///
/// The ISO 8601 styles are UTC, for the years 0000 to 9999, in the Gregorian calendar also before 1582. A date outside these
/// years is refused with ``APIError/Reason/unencodableParameter``. Responses are read with and without a fraction of a second,
/// see ``RawData/DateFormat``.
public enum DateStyle: Sendable {
  /// `2026-11-21T09:58:00Z`: whole seconds, rounded down. Use ``iso8601Milliseconds`` to keep fractions.
  case iso8601
  /// `2026-11-21T09:58:00.125Z`: always with milliseconds, rounded down.
  case iso8601Milliseconds
  /// `2026-11-21`: the day in UTC.
  case iso8601Day
  /// Whole seconds since 1970, rounded down; a number in JSON.
  case seconds
  /// Whole milliseconds since 1970, rounded down; a number in JSON.
  case milliseconds
  /// The text that the closure returns. Called on any thread.
  case custom(@Sendable (Date) -> String)

  /// Whether the text is a number.
  var isNumber: Bool {
    switch self {
    case .seconds, .milliseconds: true
    case .iso8601, .iso8601Milliseconds, .iso8601Day, .custom: false
    }
  }

  /// The text of a date.
  ///
  /// - Throws: ``APIError/Reason/unencodableParameter`` for a date that the style cannot write.
  public func text(of date: Date) throws(APIError) -> String {
    do { return try written(date) } catch { throw error.error(in: "a date") }
  }

  /// The text of a date inside parameters.
  package func written(_ date: Date) throws(Unencodable) -> String {
    let seconds = date.timeIntervalSince1970
    let text: String? =
      switch self {
      case .iso8601: ISO8601.text(secondsSince1970: seconds)
      case .iso8601Milliseconds: ISO8601.text(secondsSince1970: seconds, milliseconds: .always)
      case .iso8601Day: ISO8601.text(secondsSince1970: seconds).map { String($0.prefix(10)) }
      case .seconds: Int(exactly: seconds.rounded(.down)).map { String($0) }
      case .milliseconds: ISO8601.milliseconds(secondsSince1970: seconds).map { String($0) }
      case .custom(let make): make(date)
      }
    guard let text else { throw Unencodable("the date is beyond what its style can write") }
    return text
  }
}
