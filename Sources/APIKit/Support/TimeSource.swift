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
  private static let start = ContinuousClock.now

  /// The machine's own clocks.
  public init() {}

  /// Time since the process first asked.
  public var now: Duration { ContinuousClock.now - Self.start }

  /// Seconds since 1970.
  public var wallClock: Double { WallClock.now }

  /// Sleeps on the continuous clock.
  public func sleep(for duration: Duration) async throws { try await Task.sleep(for: duration) }
}
