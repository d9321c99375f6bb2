/// The `Retry-After` of a response: seconds, or a date.
/// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3>
package enum RetryAfter {
  /// How long the server asks to be left alone; nil when it does not say, or not so that it can be read.
  ///
  /// A date is counted from the response's own `Date`, so that the device's clock does not matter; where there
  /// is none, from `now`. A date in the past is zero.
  package static func wait(in headers: HTTPHeaders, now: Double) -> Duration? {
    guard let text = headers["Retry-After"]?.trimmingSpaces(), !text.isEmpty else { return nil }
    if text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      // More digits than an Int holds is longer than anybody waits.
      return .seconds(min(Int(text) ?? longest, longest))
    }
    guard let date = HTTPDate.secondsSince1970(text, now: now) else { return nil }
    let present = headers["Date"].flatMap { HTTPDate.secondsSince1970($0, now: now) } ?? now
    return .seconds(min(max(0, Int(date - present)), longest))
  }

  /// Ten years: beyond it only the arithmetic could suffer.
  private static let longest = 315_360_000
}
