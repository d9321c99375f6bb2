/// How long this process has stood still because the system had suspended it, as iOS does in the background.
///
/// No clock tells it: the machine stays awake. A timer that rings late does. So while there is a ``Watch``, one rings every few
/// seconds, and a time without a look at the clock that is longer than that counts as a whole. An attempt of `URLSession` has
/// timers of its own (`AttemptLimits`), which serve it without a watch of the process.
final class SuspendedTime: Sendable {
  /// That of the process, by the system's clock.
  static let shared = SuspendedTime(SystemTime())

  /// How often the timer rings.
  static let beat = Duration.seconds(5)
  /// How late it may ring before that counts: more than a busy machine makes of it.
  static let tolerance = Duration.seconds(2)

  private struct SuspensionState {
    var total = Duration.zero
    /// When the clock was last looked at; nil while nobody watches.
    var last: Duration?
    var watches = 0
    var timer: Task<Void, Never>?

    mutating func look(at now: Duration) {
      guard let last else { return }
      if now - last > beat + tolerance { total += now - last }
      self.last = now
    }
  }

  private let state = Mutex(SuspensionState())
  private let time: any TimeSource

  init(_ time: any TimeSource) { self.time = time }

  /// The time so far, as far as it was watched. It never decreases.
  var total: Duration {
    let now = time.now
    return state.withLock { state in
      state.look(at: now)
      return state.total
    }
  }

  private func begin() {
    let now = time.now
    state.withLock { state in
      state.watches += 1
      guard state.watches == 1 else { return }
      state.last = now
      state.timer = Task.detached(priority: .userInitiated) { [weak self, time] in
        while (try? await time.sleep(for: Self.beat)) != nil, let self { _ = self.total }
      }
    }
  }

  private func end() {
    let now = time.now
    state.withLock { state in
      state.watches -= 1
      guard state.watches == 0 else { return }
      state.look(at: now)
      state.last = nil
      state.timer.take()?.cancel()
    }
  }

  /// Has the time watched until it is released.
  final class Watch: Sendable {
    private let owner: SuspendedTime

    init(_ owner: SuspendedTime) {
      self.owner = owner
      owner.begin()
    }

    deinit { owner.end() }

    /// For whoever goes by a clock; nil where no process is suspended, and for a clock that is not the system's.
    static func of(_ time: any TimeSource) -> Watch? {
      #if canImport(Darwin)
        time is SystemTime ? Watch(.shared) : nil
      #else
        nil
      #endif
    }
  }
}

extension TimeSource {
  /// The time for which the process has run: ``now`` without ``suspended``.
  var running: Duration { now - suspended }

  /// Returns when the process has run for so long; throws `CancellationError` at once when the task is cancelled.
  package func sleep(running duration: Duration) async throws {
    let watch = SuspendedTime.Watch.of(self)
    defer { withExtendedLifetime(watch) {} }
    var left = duration
    while true {
      let (begin, away) = (now, suspended)
      try await sleep(for: left)
      let lost = suspended - away
      guard lost > .zero else { return }
      left -= now - begin - lost
      guard left > .zero else { return }
    }
  }
}
