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

  /// The time since some fixed point for which the system has suspended the process: a part of ``now`` that counts
  /// towards no limit of a load. It never decreases. The default is zero.
  var suspended: Duration { get }

  /// Returns after a duration; throws `CancellationError` at once when the task is cancelled.
  func sleep(for duration: Duration) async throws
}

extension TimeSource {
  /// Zero.
  public var suspended: Duration { .zero }
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

  /// On Apple platforms the time for which the process was suspended while a load with a limit was in flight, to
  /// within some seconds; elsewhere zero.
  public var suspended: Duration {
    #if canImport(Darwin)
      SuspendedTime.shared.total
    #else
      .zero
    #endif
  }

  /// Sleeps on the continuous clock.
  public func sleep(for duration: Duration) async throws {
    // The standard library traps on an end that no number of seconds has; some write `.seconds(.max)` for ever.
    try await Task.sleep(for: min(duration, Self.longestSleep))
  }

  private static let longestSleep = Duration.seconds(1 << 60)
}

/// The wall clock.
package enum WallClock {
  /// Seconds since 1970.
  package static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
