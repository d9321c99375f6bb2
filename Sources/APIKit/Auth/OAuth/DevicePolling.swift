/// When a device asks for its token again, and when it stops: a state machine without tasks, time or sockets.
/// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc8628#section-3.5>
struct DevicePolling {
  /// The wait before the next question; it only grows.
  private(set) var interval: Duration
  /// When the code ends.
  let end: Duration
  private static let longest: Duration = .seconds(300)

  init(interval: Duration, end: Duration) {
    self.interval = interval
    self.end = end
  }

  /// The wait before the next question; nil when the code has ended.
  func wait(now: Duration) -> Duration? { now < end ? interval : nil }

  /// Whether it is asked again after a failure, and then how much later.
  mutating func goesOn(after reason: APIError.Reason) -> Bool {
    switch reason {
    case .authorizationPending: break
    case .slowDown: interval += .seconds(5)
    // A server that cannot be reached is asked more and more seldom, though never sooner than it wants.
    case .connectTimeout, .idleTimeout, .totalTimeout, .connectionLost:
      interval = max(interval, min(interval * 2, Self.longest))
    default: return false
    }
    return true
  }
}
