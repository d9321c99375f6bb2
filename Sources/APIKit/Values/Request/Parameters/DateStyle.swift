public import Foundation

/// How a date in the parameters is written.
public enum DateStyle: Sendable {
  /// `2026-11-21T09:58:00Z`: UTC, whole seconds, rounded down; years 0000 to 9999.
  case iso8601
  /// `2026-11-21T09:58:00.125Z`: as ``iso8601`` with milliseconds.
  case iso8601Milliseconds
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
    case .iso8601, .iso8601Milliseconds, .custom: false
    }
  }

  /// The text of a date.
  func text(of date: Date) throws(Unencodable) -> String {
    let seconds = date.timeIntervalSince1970
    let text: String? =
      switch self {
      case .iso8601: ISO8601.text(secondsSince1970: seconds)
      case .iso8601Milliseconds: ISO8601.text(secondsSince1970: seconds, milliseconds: .always)
      case .seconds: Int(exactly: seconds.rounded(.down)).map { String($0) }
      // A `Date` stores binary fractions counted from 2001, so a whole millisecond may come out slightly
      // too small. Adding a thousandth of a millisecond before rounding down corrects that.
      case .milliseconds: Int(exactly: (seconds * 1000 + 0.001).rounded(.down)).map { String($0) }
      case .custom(let make): make(date)
      }
    guard let text else { throw Unencodable("the date is beyond what its style can write") }
    return text
  }
}
