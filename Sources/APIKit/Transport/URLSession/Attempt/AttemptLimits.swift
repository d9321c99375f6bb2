/// When the time limits of an attempt end it, not counting the time for which it stood still.
///
/// It stands still while its caller has suspended it, and while the system has suspended the process, as iOS does in the
/// background. No clock tells the latter, because the machine stays awake: a timer that rings late does. So it waits for
/// some seconds at most, and an interval that ended late does not count.
struct AttemptLimits {
  typealias Instant = ContinuousClock.Instant

  /// What to do now.
  enum Verdict: Equatable {
    /// Ask again after this time.
    case wait(Duration)
    /// The limit is reached.
    case totalReached(Duration)
    case idleReached(Duration)
    /// It is suspended: ask again when it is resumed.
    case suspended
  }

  /// How late a timer may ring before it counts.
  static let tolerance = SuspendedTime.tolerance
  /// The longest wait. What a suspension before the timer was due takes away from a limit is less.
  static let longestWait = SuspendedTime.beat

  private let idle: Duration?
  private let total: Duration?
  private let start: Instant
  private var lastActivity: Instant
  /// The time that does not count towards the whole.
  private var away = Duration.zero
  /// Since when the caller has suspended it.
  private var suspended: Instant?
  private var timer: (since: Instant, due: Instant)?

  init(_ timeouts: HTTPTimeouts, start: Instant) {
    func limit(_ limit: Duration?) -> Duration? { limit == .zero ? nil : limit }
    (idle, total) = (limit(timeouts.idle), limit(timeouts.total))
    (self.start, lastActivity) = (start, start)
  }

  /// Whether there is nothing to watch.
  var isEmpty: Bool { idle == nil && total == nil }

  /// Bytes went one way or the other, or it waits for this side.
  mutating func noteActivity(at now: Instant) { lastActivity = now }

  /// False when it is suspended already.
  mutating func suspend(at now: Instant) -> Bool {
    guard suspended == nil else { return false }
    (suspended, timer) = (now, nil)
    return true
  }

  /// False when it is not suspended.
  mutating func resume(at now: Instant) -> Bool {
    guard let since = suspended.take() else { return false }
    away += now - since
    lastActivity = now
    return true
  }

  /// To be called at first, and whenever the time of the verdict before is over.
  mutating func check(at now: Instant) -> Verdict {
    guard suspended == nil else { return .suspended }
    if let timer, now - timer.due > Self.tolerance {
      away += now - timer.since
      lastActivity = now
    }
    var left = Self.longestWait
    if let total {
      left = min(left, total - (now - start - away))
      if left <= .zero { return .totalReached(total) }
    }
    if let idle {
      left = min(left, idle - (now - lastActivity))
      if left <= .zero { return .idleReached(idle) }
    }
    timer = (now, now + left)
    return .wait(left)
  }
}

extension URLSessionAttempt {
  /// Watches the limits until the attempt has ended or is suspended.
  func watchLimits() {
    guard state.withLock({ !$0.limits.isEmpty }) else { return }
    let watch = Task { [weak self] in
      while let wait = self?.timeLeft(), !Task.isCancelled { try? await Task.sleep(for: wait) }
    }
    state.withLock { state in
      if state.isOver { watch.cancel() } else { state.watch = watch }
    }
  }

  /// The time until the limits are to be looked at again; nil when the attempt has ended, is suspended, or is ended here
  /// because a limit is reached.
  private func timeLeft() -> Duration? {
    let verdict = state.withLock { state -> AttemptLimits.Verdict? in
      if state.isEnding { return nil }
      if state.waitsForUs { state.limits.noteActivity(at: .now) }
      return state.limits.check(at: .now)
    }
    switch verdict {
    case .wait(let time): return time
    case .totalReached(let limit): fail(APIError(.transport, .totalTimeout, "not finished in \(limit)"))
    case .idleReached(let limit): fail(APIError(.transport, .idleTimeout, "no bytes for \(limit)"))
    // `resume()` watches it again.
    case .suspended, nil: break
    }
    return nil
  }
}
