#if os(Linux)
  /// Finds out that the process was stopped or the machine slept, from the clocks that a loop looks at in each turn.
  struct CurlSleepDetector {
    /// How late a turn may be before it counts.
    static let tolerance = SuspendedTime.tolerance.microseconds

    /// How far the clock that counts the machine's sleep was ahead.
    private var ahead: Int64?

    /// Whether the process or the machine stood still before this turn. Times are in microseconds.
    ///
    /// - Parameters:
    ///   - now: The clock that does not count the machine's sleep.
    ///   - sinceBoot: The one that does.
    ///   - alarm: When the turn was to begin at the latest; `.max` for no such time.
    mutating func isSeen(at now: Int64, sinceBoot: Int64, alarm: Int64) -> Bool {
      let before = ahead ?? sinceBoot - now
      ahead = sinceBoot - now
      let isLate = alarm != .max && now - alarm > Self.tolerance
      return isLate || sinceBoot - now - before > Self.tolerance
    }
  }
#endif
