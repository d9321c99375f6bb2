#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Where the framework takes its time from, so that tests can hold it still.
///
/// ``SystemTime`` is the default everywhere; in a test, give a `ManualTime` of APIKitTesting.
public protocol TimeSource: Sendable {
  /// Time since some fixed point; never goes back.
  var now: Duration { get }

  /// Seconds since 1970 by the wall clock, which may jump.
  var wallClock: Double { get }

  /// Returns after so long; at once when the task is cancelled, with `CancellationError`.
  func sleep(for duration: Duration) async throws
}

/// The machine's own clocks.
public struct SystemTime: TimeSource {
  /// The machine's own clocks.
  public init() {}

  /// Time since the machine has started, sleep included.
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
