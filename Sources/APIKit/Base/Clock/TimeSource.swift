#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The clocks of the framework, so that tests can control time.
///
/// ``SystemTime`` is the default everywhere; in a test, use `ManualTime` of APIKitTesting.
public protocol TimeSource: Sendable {
  /// The time since some fixed point. It never decreases.
  var now: Duration { get }

  /// Seconds since 1970 by the wall clock, which may be set forward or back.
  var wallClock: Double { get }

  /// Returns after a duration; throws `CancellationError` at once when the task is cancelled.
  func sleep(for duration: Duration) async throws
}

/// The machine's own clocks.
public struct SystemTime: TimeSource {
  /// Makes a source of the machine's time.
  public init() {}

  /// The time since the machine has started, sleep included.
  public var now: Duration {
    var time = timespec()
    #if canImport(Darwin)
      clock_gettime(CLOCK_MONOTONIC, &time)
    #else
      clock_gettime(CLOCK_BOOTTIME, &time)
    #endif
    return Duration(
      secondsComponent: Int64(time.tv_sec), attosecondsComponent: Int64(time.tv_nsec) * 1_000_000_000)
  }

  /// Seconds since 1970.
  public var wallClock: Double { WallClock.now }

  /// Sleeps on the continuous clock.
  public func sleep(for duration: Duration) async throws { try await Task.sleep(for: duration) }
}
