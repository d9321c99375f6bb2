import APIKit
import APIKitTesting

/// A clock that says for how long the process was suspended.
final class PausedTime: TimeSource {
  let base = ManualTime()
  private let paused = Mutex(Duration.zero)

  var now: Duration { base.now }
  var wallClock: Double { base.wallClock }
  var suspended: Duration { paused.withLock { $0 } }

  func sleep(for duration: Duration) async throws { try await base.sleep(for: duration) }

  func pause(for duration: Duration) {
    paused.withLock { $0 += duration }
    base.advance(by: duration)
  }
}
