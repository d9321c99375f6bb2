import APIKit

/// When a device polls for its token, and when it stops: a state machine without tasks, time or sockets.
/// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc8628#section-3.5>
struct DevicePolling {
  /// The wait before the next request; it only grows.
  private(set) var interval: Duration
  /// When the code expires, on the steady clock.
  let end: Duration
  private static let longest: Duration = .seconds(300)

  init(interval: Duration, end: Duration) {
    self.interval = interval
    self.end = end
  }

  /// The wait before the next request; nil when the code has expired.
  func wait(now: Duration) -> Duration? { now < end ? min(interval, end - now) : nil }

  /// Whether to poll again after a failure; adapts the interval.
  ///
  /// - Parameter status: That of the response, where one has come.
  mutating func goesOn(after reason: APIError.Reason, status: Int? = nil) -> Bool {
    switch reason {
    case .authorizationPending: break
    case .slowDown: interval += .seconds(5)
    // The code is still valid: what ends a load may pass here.
    case .totalTimeout, .noNetwork, .temporarilyUnavailable, .authorizationServerFailed: backOff()
    case _ where RetryTable.standard[reason]?.isOn == true: backOff()
    // A proxy in front of a server that restarts.
    case .malformedOAuthResponse where status.map { $0 == 429 || $0 >= 500 } ?? false: backOff()
    default: return false
    }
    return true
  }

  /// From a server that cannot be reached or has failed, but never below the server's interval.
  private mutating func backOff() { interval = max(interval, min(interval * 2, Self.longest)) }
}
