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
  private static let start = ContinuousClock.now

  /// Makes a source of the machine's time.
  public init() {}

  /// The time since the first use in the process, by the continuous clock.
  public var now: Duration { ContinuousClock.now - Self.start }

  /// Seconds since 1970.
  public var wallClock: Double { WallClock.now }

  /// Sleeps on the continuous clock.
  public func sleep(for duration: Duration) async throws { try await Task.sleep(for: duration) }
}
