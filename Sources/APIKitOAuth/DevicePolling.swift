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
  mutating func goesOn(after reason: APIError.Reason) -> Bool {
    switch reason {
    case .authorizationPending: break
    case .slowDown: interval += .seconds(5)
    // Back off from a server that cannot be reached, but never below the server's interval.
    case .connectTimeout, .idleTimeout, .totalTimeout, .connectionLost:
      interval = max(interval, min(interval * 2, Self.longest))
    default: return false
    }
    return true
  }
}
