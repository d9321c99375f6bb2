/// The `Retry-After` of a response: seconds, or a date.
/// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3>
enum RetryAfter {
  /// How long the server asks the client to wait; nil without the field, and for a value that cannot be read.
  ///
  /// A date is counted from the response's own `Date`, so that the device's clock does not matter; where there
  /// is none, from `now`. A date in the past is zero.
  static func wait(in headers: HTTPHeaders, now: Double) -> Duration? {
    guard let text = headers["Retry-After"]?.trimmingSpaces(), !text.isEmpty else { return nil }
    if text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      // A number that no Int holds is more than the longest wait.
      return .seconds(min(Int(text) ?? longest, longest))
    }
    guard let date = HTTPDate.secondsSince1970(text, now: now) else { return nil }
    let present = headers.date("Date", now: now) ?? now
    // Up: a server that is asked within the last second refuses again.
    return .seconds(min(max(0, Int((date - present).rounded(.up))), longest))
  }

  /// Ten years: a longer wait would only overflow sums.
  private static let longest = 315_360_000
}

extension HTTPResponse {
  /// How long its server asks to be left alone; nil when it does not say.
  ///
  /// - Parameter now: The wall clock, in seconds since 1970, for a response without a date of its own.
  package func retryAfter(now: Double) -> Duration? { RetryAfter.wait(in: headers, now: now) }
}

extension APIError {
  /// How long the server whose response it has asks to be left alone; nil when there is none, or it does not say.
  package func retryAfter(now: Double) -> Duration? { response?.retryAfter(now: now) }
}
